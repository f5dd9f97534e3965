//! Runs `secondhand corpus`: adds, updates, lists, shows, removes, exports and imports corpora.

use std::env;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cache::size;
use crate::audit::{Context, CorpusLexer, Outside, Progress, StoredCorpus};
use crate::change::{Authority, Components, in_tree};
use crate::cli::args::{CorpusCommand, Declaration, ExportFormat};
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Checkout, Failure, note, print_text, report_failure};
use crate::cli::settings;
use crate::config::Config;
use crate::files::{self, ReadFiles};
use crate::fingerprint;
use crate::language::Languages;
use crate::license::Expression;
use crate::sources::{DeclaredComponent, Note, fixes_source, has_past, is_fixes, label, slashes};
use crate::store::SegmentError;
use crate::store::corpus::{
    Addition, Compaction, Corpus, CorpusError, CorpusSegment, Delivery, Location, OpenCorpus,
    Sampling, Shelf, Stats, is_name,
};
use crate::text::{agreed, count, decoded, noun_of, printable};

/// Window for the fingerprints of a corpus, in k-grams: with k = 16, every run of 31 tokens that a
/// change shares with the corpus is found. A wider window makes smaller corpora and misses more
/// heavily edited copies.
const WINDOW: usize = 16;

pub(in crate::cli) fn run(command: &CorpusCommand, common: &Common) -> Result<(), Failure> {
    let shelf = shelf(common)?;
    match command {
        CorpusCommand::Add { corpus, sources, list, fixes, declared } => {
            let sources = &[&sources[..], list.as_slice()].concat();
            if let Some(list) = list {
                check_list(list)?;
            }
            add(&shelf.new_corpus(corpus)?, sources, fixes.as_deref(), declared, common)
        }
        CorpusCommand::Update { corpus } => update(&shelf.corpus(corpus)?, common),
        CorpusCommand::List => list(&shelf),
        CorpusCommand::Show { corpus } => match Location::new(corpus) {
            Some(location) => show_sources(&location.engine()?.open(Some(&shelf.folder))?),
            None => show(&shelf.corpus(corpus)?, common.verbose),
        },
        CorpusCommand::Remove { corpus, sources } => match Location::new(corpus) {
            Some(location) if sources.is_empty() => {
                let message = format!("cannot remove everything at `{location}`: name the sources");
                Err(Failure::user(message, "delete it with the store's own tools"))
            }
            Some(location) => Ok(location.engine()?.remove(sources)?),
            None => remove(&shelf.corpus(corpus)?, sources),
        },
        CorpusCommand::Load { corpus, url, readers } => {
            put(&shelf.corpus(corpus)?, url, readers.as_deref())
        }
        CorpusCommand::Push { corpus, url } => put(&shelf.corpus(corpus)?, url, None),
        CorpusCommand::Pull { url, name } => {
            let engine = location(url)?.engine()?;
            let pulled = engine.pull(&shelf, name.as_deref())?;
            print_text(&done(&pulled))
        }
        CorpusCommand::Compact { url, older_than } => {
            let older_than = Duration::from_secs(older_than * 60);
            print_text(&compacted(&location(url)?.engine()?.compact(older_than)?))
        }
        CorpusCommand::Export { corpus, format, output } => {
            Checkout::of(common).refuse_links(output)?;
            let corpus = shelf.corpus(corpus)?;
            if *format == ExportFormat::File {
                return print_text(&format!("sha256:{}\n", corpus.export(output)?));
            }
            corpus.open()?;
            export_parquet(&corpus, output, true)
        }
        CorpusCommand::Fingerprint { source, output, declared } => {
            Checkout::of(common).refuse_links(output)?;
            fingerprint_source(source, output, declared, common)
        }
        CorpusCommand::Import { corpus, file, digest: None } if file.is_dir() => {
            import_parquet(&shelf.new_corpus(corpus)?, file)
        }
        CorpusCommand::Import { corpus, file, digest } => {
            let imported = shelf.new_corpus(corpus)?.import(file, digest.as_deref())?;
            let n_sources = count(imported.n_sources, "source");
            print_text(&format!("{n_sources}, sha256:{}\n", imported.digest))
        }
    }
}

fn compacted(&Compaction { n_removed, n_merged }: &Compaction) -> String {
    let merged =
        format!("{} {} merged; ", count(n_merged, "source"), agreed(n_merged, "was", "were"));
    let merged = if n_merged > 0 { &*merged } else { "" };
    format!("{merged}the space of {} was given back\n", count(n_removed, "removed source"))
}

#[cfg(feature = "parquet")]
fn export_parquet(corpus: &Corpus, folder: &Path, is_split: bool) -> Result<(), Failure> {
    Ok(corpus.export_parquet(folder, is_split)?)
}

#[cfg(feature = "parquet")]
fn import_parquet(corpus: &Corpus, folder: &Path) -> Result<(), Failure> {
    let (n, n_same) = corpus.import_parquet(folder)?;
    let (are, they_were) = (agreed(n_same, "is", "are"), agreed(n_same, "it was", "they were"));
    let same = format!("{n_same} {are} byte for byte as {they_were} exported");
    print_text(&format!("{}, of which {same}\n", count(n, "source")))
}

#[cfg(not(feature = "parquet"))]
fn export_parquet(_: &Corpus, folder: &Path, _: bool) -> Result<(), Failure> {
    Err(CorpusError::NotBuilt { place: folder.display().to_string(), feature: "parquet" }.into())
}

#[cfg(not(feature = "parquet"))]
fn import_parquet(_: &Corpus, folder: &Path) -> Result<(), Failure> {
    Err(CorpusError::NotBuilt { place: folder.display().to_string(), feature: "parquet" }.into())
}

/// Reads one source into a corpus that is only there to be written out.
fn fingerprint_source(
    source: &str,
    folder: &Path,
    declared: &Declaration,
    common: &Common,
) -> Result<(), Failure> {
    let own = tempfile::TempDir::new().map_err(Failure::not_written(&env::temp_dir()))?;
    let corpus = Shelf { folder: own.path().to_owned() }.new_corpus("fingerprints")?;
    add(&corpus, &[source.to_owned()], None, declared, common)?;
    export_parquet(&corpus, folder, false)
}

fn put(corpus: &Corpus, url: &str, readers: Option<&str>) -> Result<(), Failure> {
    corpus.open()?;
    print_text(&done(&location(url)?.engine()?.add(corpus, readers)?))
}

fn done(written: &Delivery) -> String {
    let Delivery { n_added, n_kept, n_bytes, digest, .. } = written;
    let digest = digest.as_ref().map(|digest| format!("sha256:{digest}\n")).unwrap_or_default();
    let (added, size) = (count(*n_added, "source"), size(*n_bytes));
    let were = agreed(*n_kept, "was", "were");
    format!("{added} added, {size}; {n_kept} {were} there already\n{digest}")
}

fn location(url: &str) -> Result<Location, Failure> {
    Location::new(url).ok_or_else(|| {
        let message = format!("cannot use `{url}` as the place of a corpus: it is no URL");
        Failure::user(message, "such as `postgres://user@host/database` or `s3://bucket/corpus`")
    })
}

/// The folder of all corpora: from the flag or the variable, or else in the user's data folder.
pub(super) fn shelf(common: &Common) -> Result<Shelf, Failure> {
    if let Some(folder) = &common.corpus_dir {
        return Ok(Shelf { folder: folder.clone() });
    }
    let variable =
        |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = variable("XDG_DATA_HOME")
        .filter(|folder| folder.is_absolute())
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".local/share")));
    let data = data.ok_or_else(|| {
        let message = "cannot find a folder for corpora: neither HOME nor XDG_DATA_HOME is set";
        Failure::user(message, "set a folder with `--corpus-dir DIR`")
    })?;
    Ok(Shelf { folder: data.join("secondhand/corpora") })
}

/// The corpora from the flags and the settings; paths in the settings are relative to the root of
/// the repository.
///
/// An empty corpus is an error: a mistyped path must not make an audit clean. Of a folder inside of
/// the checkout, the base may have the say.
pub(super) fn outsides(
    named: &[String],
    config: &Config,
    judges: (&Languages, Option<&Authority<'_>>),
    root: &Path,
    common: &Common,
) -> Result<Vec<Outside>, Failure> {
    let from_flags = named.iter().map(|name| (name, PathBuf::from(name)));
    let from_settings = config.corpora.iter().map(|name| (name, root.join(name)));
    // Only the user chooses whom this program contacts, not the settings of what it judges.
    if let Some(url) = config.corpora.iter().find_map(|name| Location::new(name)) {
        let why = "settings do not choose whom this program contacts";
        let help = format!("name it on the command line: `--corpus {url}`");
        return Err(not_comparable(&url.to_string(), why, help));
    }
    let mut outsides = Vec::new();
    for (name, path) in from_flags.chain(from_settings) {
        let shelf = shelf(common);
        if let Some(stored) = stored(name, shelf.as_ref().ok())? {
            outsides.push(Outside::Stored(stored));
        } else {
            let components = components(name, &path, judges, root)?;
            let components = components.ok_or_else(|| no_corpus(name, &shelf))?;
            outsides.push(Outside::folder(&path, components));
        }
    }
    Ok(outsides)
}

/// The corpus at a URL, or the stored one of this name.
fn stored(name: &str, shelf: Option<&Shelf>) -> Result<Option<StoredCorpus>, Failure> {
    if let Some(location) = Location::new(name) {
        let opened = location.engine()?.open(shelf.map(|shelf| &*shelf.folder))?;
        if opened.sources.iter().all(|(_, stats)| stats.n_files == 0) {
            return Err(empty(&location.to_string()));
        }
        return Ok(Some(StoredCorpus::elsewhere(opened)));
    }
    let shelf = shelf.filter(|_| is_name(name));
    let Some(corpus) = shelf.and_then(|shelf| shelf.corpus(name).ok()) else { return Ok(None) };
    if corpus.records()?.iter().all(|(_, record)| record.stats.n_files == 0) {
        return Err(empty(name));
    }
    Ok(Some(StoredCorpus::open(&corpus)?))
}

fn components(
    name: &str,
    path: &Path,
    (languages, authority): (&Languages, Option<&Authority<'_>>),
    root: &Path,
) -> Result<Option<Components>, Failure> {
    let in_checkout = authority.zip(in_tree(path, root));
    let found = match &in_checkout {
        Some((authority, folder)) => authority.components(name, folder, path)?,
        None if path.is_dir() => without_own(Components::on_disk(path)?, name, path, root)?,
        None => return Ok(None),
    };
    if found.root().is_none() && found.entries().is_empty() {
        return Ok(None);
    }
    check_components(name, &found, languages, |link| {
        let link = in_checkout.as_ref().zip(in_tree(link, root));
        link.is_some_and(|((authority, _), link)| authority.adds_link(&link))
    })?;
    Ok(Some(found))
}

/// What is in the folder of a corpus at `path` without the repository at `root`, which would be
/// found to be its own copy.
fn without_own(
    components: Components,
    name: &str,
    path: &Path,
    root: &Path,
) -> Result<Components, Failure> {
    let [path, root] = [path, root].map(|folder| folder.canonicalize().unwrap_or_default());
    let Ok(own) = root.strip_prefix(&path) else { return Ok(components) };
    let own = slashes(own);
    if own.as_bytes().is_empty() {
        let why = "it is the repository under audit itself";
        return Err(not_comparable(name, why, "give a folder with other projects in it"));
    }
    note(&format!("left out of the corpus `{}`: `{own}`, which is under audit", printable(name)));
    Ok(components.without(&own))
}

pub(super) fn report_traffic(outsides: &[Outside], common: &Common) {
    for stored in outsides.iter().filter(|_| !common.quiet).filter_map(Outside::stored) {
        if let Some(traffic) = stored.traffic() {
            let (n, kilobytes) = (traffic.n_requests(), traffic.n_bytes() as f64 / 1e3);
            let (name, requests) = (printable(stored.name()), count(n, "request"));
            note(&format!("corpus `{name}`: {requests}, {kilobytes:.1} kB"));
        }
    }
}

fn no_corpus(name: &str, shelf: &Result<Shelf, Failure>) -> Failure {
    let known = shelf.as_ref().map_or_else(|_| Vec::new(), Shelf::names);
    let help = match known.is_empty() {
        true => "give a folder, or create a corpus with `secondhand corpus add NAME SOURCE`".into(),
        false => format!("available: {}; or give a folder", known.join(", ")),
    };
    not_comparable(name, "there is no such corpus and no such folder", help)
}

fn empty(name: &str) -> Failure {
    let help = format!("add to it with `secondhand corpus add {name} SOURCE`");
    not_comparable(name, "nothing with source code has been added to it", help)
}

fn not_comparable(name: &str, why: &str, help: impl Into<String>) -> Failure {
    Failure::user(format!("cannot compare with the corpus `{name}`: {why}"), help)
}

/// Checks that a folder has components, and that none is a link, since these are not followed.
fn check_components(
    name: &str,
    components: &Components,
    languages: &Languages,
    is_of_change: impl Fn(&Path) -> bool,
) -> Result<(), Failure> {
    let mut links = Vec::new();
    if let Some(root) = components.root() {
        for child in std::fs::read_dir(root).map_err(Failure::unreadable(root))? {
            let child = child.map_err(Failure::unreadable(root))?;
            let path = child.path();
            // A link to a file or a device is not a component.
            if child.file_type().is_ok_and(|kind| kind.is_symlink())
                && path.metadata().map_or(true, |target| target.is_dir())
                && !is_of_change(&path)
            {
                links.push(printable(child.file_name().as_encoded_bytes()));
            }
        }
    }
    if let Some(link) = links.into_iter().min() {
        let why = format!("its component `{link}` is a link, and links are not followed");
        let help = format!(
            "replace `{link}` with a copy of its target, or give the folder that contains the components themselves"
        );
        return Err(not_comparable(name, &why, help));
    }
    // Names promise source, and bytes are it: the first file is, in nearly every corpus.
    let reader = components.reader();
    let mut sources = components.entries().iter().filter(|entry| languages.may_know(&entry.path));
    if sources.any(|entry| reader.read(entry).is_ok_and(|bytes| decoded(&bytes).is_ok())) {
        return Ok(());
    }
    let why = "no component in this folder contains source code";
    Err(not_comparable(name, why, "give a folder with a subfolder for each component"))
}

fn check_list(list: &str) -> Result<(), Failure> {
    let refused = Failure::unreadable(Path::new(list));
    files::open(Path::new(list)).map_err(&refused)?;
    if list.to_ascii_lowercase().ends_with(".toml") {
        return Ok(());
    }
    Err(refused(std::io::Error::other("a list of sources is a .toml file")))
}

fn add(
    corpus: &Corpus,
    sources: &[String],
    fixes: Option<&str>,
    declared: &Declaration,
    common: &Common,
) -> Result<(), Failure> {
    let Declaration { name, component_version: version, purl, url, license } = declared.clone();
    let name = name.unwrap_or_default();
    let component = DeclaredComponent { name, version, purl, url, license };
    if let Some(list) = fixes {
        let mut clones: Vec<String> = sources.iter().map(|source| absolute(source)).collect();
        // The source of the corpus is known as well.
        let records = corpus.records().unwrap_or_default().into_iter();
        let known = records.filter_map(|(_, record)| record.spec);
        clones.extend(known.filter(|spec| has_past(spec)));
        clones.sort_unstable();
        clones.dedup();
        return read_all(corpus, &[(fixes_source(&absolute(list), &clones), component)], common);
    }
    if component != DeclaredComponent::default() && sources.len() > 1 {
        let help = "add one source at a time, or list them in a corpus.toml";
        return Err(Failure::user("cannot decide which of the sources the flags are for", help));
    }
    let sources: Vec<_> =
        sources.iter().map(|source| (absolute(source), component.clone())).collect();
    read_all(corpus, &sources, common)
}

/// The path in absolute form, so that it is valid from any folder.
fn absolute(source: &str) -> String {
    if source.starts_with("pkg:") {
        return source.to_owned();
    }
    std::path::absolute(source)
        .map_or_else(|_| source.to_owned(), |path| path.to_string_lossy().into_owned())
}

fn update(corpus: &Corpus, common: &Common) -> Result<(), Failure> {
    let records = corpus.records()?.into_iter().map(|(_, record)| record);
    let sources: Vec<_> =
        records.filter_map(|record| Some((record.spec?, record.component))).collect();
    read_all(corpus, &sources, common)
}

fn read_all(
    corpus: &Corpus,
    sources: &[(String, DeclaredComponent)],
    common: &Common,
) -> Result<(), Failure> {
    let config = settings::read(common, None, &[])?;
    let languages = config.languages();
    let k = config.fingerprint.noise_threshold();
    let [k, longest] =
        [k, k + WINDOW - 1].map(|n| NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN));
    let params = fingerprint::Params::new(k, longest).unwrap_or(config.fingerprint);
    let sampling = Sampling { fingerprint: params, min_distinct: config.matching.min_distinct };
    let bar = Bar::of(common);
    bar.begin("reading", 0);
    let context = Context { config: &config, languages: &languages, progress: &bar };
    let added = corpus.add(sources, sampling, &CorpusLexer::new(context))?;
    drop(bar);
    let mut failed = None;
    for ((source, _), added) in sources.iter().zip(added) {
        match added {
            Ok(_) if common.quiet => {}
            Ok(Addition { stats, notes }) => {
                let said = stats.map_or_else(|| "nothing new".to_owned(), |stats| figures(&stats));
                let source = printable(label_of(source));
                let notes = notes_text(&notes, common.verbose);
                print_text(&format!("{source}: {said}\n{notes}"))?;
            }
            // All failures are printed; the first one ends the run.
            Err(why) if failed.is_none() => failed = Some(why),
            Err(why) => report_failure(&why.into()),
        }
    }
    failed.map_or(Ok(()), |why| Err(why.into()))
}

/// What a source is called when it is added: as it was named.
fn label_of(source: &str) -> String {
    if source.contains('\n') || is_fixes(source) { label(source) } else { source.to_owned() }
}

/// Lists what was not read: packages that are missing as a whole first, and all of them.
fn notes_text(notes: &[Note], is_verbose: bool) -> String {
    let (missing, others): (Vec<&Note>, Vec<&Note>) =
        notes.iter().partition(|note| note.why == Note::NOT_FETCHED);
    let n_listed = if is_verbose { others.len() } else { others.len().min(20) };
    let mut text = String::new();
    for Note { what, why } in missing.iter().chain(&others[..n_listed]) {
        let _ = writeln!(text, "  not read: {} ({why})", printable(what));
    }
    if others.len() > n_listed {
        let _ = writeln!(text, "  and {} more, which `--verbose` lists", others.len() - n_listed);
    }
    if !missing.is_empty() {
        let n = count(missing.len(), "package");
        let _ = writeln!(text, "  left out: {n} that could not be fetched, listed first");
    }
    text
}

fn figures(stats: &Stats) -> String {
    let Stats { n_components, n_files, n_tokens, n_bytes, .. } = stats;
    let (components, files) = (count(*n_components, "component"), count(*n_files, "file"));
    format!("{components}, {files}, {}, {}", count(*n_tokens, "token"), size(*n_bytes))
}

/// A number and its noun in a list, where numbers end below each other, and so do nouns.
fn column(width: usize, n: u64, noun: &str) -> String {
    format!("{n:>width$} {:<n_noun$}", noun_of(n, noun), n_noun = noun.len() + 1)
}

fn list(shelf: &Shelf) -> Result<(), Failure> {
    let mut text = String::new();
    for name in shelf.names() {
        let records = shelf.corpus(&name)?.records()?;
        let mut sum = Stats::default();
        for (_, record) in &records {
            sum.n_components += record.stats.n_components;
            sum.n_files += record.stats.n_files;
            sum.n_bytes += record.stats.n_bytes;
        }
        let sources = column(5, records.len() as u64, "source");
        let components = column(7, sum.n_components, "component");
        let (files, size) = (column(9, sum.n_files, "file"), size(sum.n_bytes));
        let _ = writeln!(text, "{name:<24} {sources} {components} {files} {size:>11}");
    }
    if text.is_empty() {
        note("there is no corpus yet: `secondhand corpus add NAME SOURCE` makes one");
    }
    print_text(&text)
}

fn show(corpus: &Corpus, is_verbose: bool) -> Result<(), Failure> {
    let max_components = if is_verbose { usize::MAX } else { 50 };
    let mut text = String::new();
    let segments = corpus.open()?;
    for ((_, record), segment) in corpus.records()?.iter().zip(&segments) {
        let (figures, size) = (figures(segment.stats()), size(segment.n_bytes() as u64));
        let _ = writeln!(text, "{}: {figures}, {size} on disk", printable(&record.label));
        for (number, component) in segment.components().iter().enumerate().take(max_components) {
            let terms = segment.component_license(number);
            let terms = terms.map_err(|why| damaged(corpus, &record.label, why))?;
            let version = component.version.as_deref().unwrap_or("no version");
            let license = license_words(terms.license.as_ref());
            let evidence = terms.evidence.as_ref().map(|evidence| format!(": {evidence}"));
            let evidence = evidence.unwrap_or_default();
            let line = format!("{} {version} ({license}{evidence})", component.name);
            let _ = writeln!(text, "  {}", printable(line));
            for contradiction in &terms.contradictions {
                let _ = writeln!(text, "    contradicted: {}", printable(&contradiction.evidence));
            }
            let others = segment.licenses_of(number);
            let others = others.map_err(|why| damaged(corpus, &record.label, why))?.into_iter();
            let others = others.filter(|(other, ..)| *other != terms.license);
            for (other, n, first) in others.take(10) {
                let (files, license) = (count(n, "file"), license_words(other.as_ref()));
                let such_as = if n > 1 { "such as " } else { "" };
                let line = format!("{files}: {license}, {such_as}{first}");
                let _ = writeln!(text, "    {}", printable(line));
            }
        }
        let n_more = segment.components().len().saturating_sub(max_components);
        if n_more > 0 {
            let _ = writeln!(text, "  and {n_more} more, which `--verbose` lists");
        }
    }
    if let Some(digest) = CorpusSegment::digest_of(&segments) {
        let _ = writeln!(text, "sha256 {digest}");
    }
    print_text(&text)
}

fn show_sources(corpus: &OpenCorpus) -> Result<(), Failure> {
    let sources = corpus.sources.iter();
    let lines = sources.map(|(label, stats)| format!("{}: {}\n", printable(label), figures(stats)));
    print_text(&lines.collect::<String>())
}

fn license_words(license: Option<&Expression>) -> String {
    license.map_or_else(|| "license not known".to_owned(), ToString::to_string)
}

fn damaged(corpus: &Corpus, source: &str, why: SegmentError) -> CorpusError {
    CorpusError::Segment { corpus: corpus.name().to_owned(), source_name: source.to_owned(), why }
}

fn remove(corpus: &Corpus, sources: &[String]) -> Result<(), Failure> {
    if sources.is_empty() {
        return Ok(corpus.remove()?);
    }
    for source in sources {
        let records = corpus.records().unwrap_or_default();
        let is_known = records.iter().any(|(_, record)| record.label == *source);
        let name = if is_known { source.clone() } else { absolute(source) };
        corpus.remove_source(&name)?;
    }
    Ok(())
}
