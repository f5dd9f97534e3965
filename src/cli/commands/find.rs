//! Runs `secondhand find`.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::cache::with_past;
use super::corpus::{outsides, report_traffic};
use super::{cache, scan};
use crate::audit::{
    self, Context, Elsewhere, FindParams, FoundCode, MAX_SKETCH, Progress, Sketch, SketchError,
    find,
};
use crate::change::{End, PastScope};
use crate::cli::args::Find;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports, limit, warn};
use crate::cli::{CLEAN, FOUND, settings};
use crate::config::Config;
use crate::files;
use crate::fingerprint::Effort;
use crate::git::{Repository, Snapshot};
use crate::language::Languages;
use crate::report::FIND_FORMATS;
use crate::sources::slashes;
use crate::text::FilePath;

/// Unlike elsewhere, status 0 means that something was found: an answer, not a finding.
pub(in crate::cli) fn run(flags: &Find, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(FIND_FORMATS, &flags.reporting, common)?;
    let repository = common.repository()?;
    // To compare the work tree with the index takes a third of the time: whatever can be is read
    // meanwhile.
    let (read, tree) = rayon::join(
        || read(flags, &repository, common),
        || scan::tree(&repository, flags.tree.rev.as_deref()),
    );
    let (config, languages, sketch) = read?;
    let reports = reports.with(&config)?;
    let bar = Bar::of(common);
    let context = Context { config: &config, languages: &languages, progress: &bar };
    let request = FindRequest {
        corpora: flags.corpora.named.clone(),
        effort: flags.effort.effort,
        limit: flags.limit.get(),
        past: if flags.past.history { Some(flags.past.scope()?) } else { None },
    };
    let found = found(&repository, &sketch, tree?, (&request, common), context)?;
    drop(bar);
    reports.write(&found, common)?;
    Ok(if found.n_found == 0 { FOUND } else { CLEAN })
}

fn read(
    flags: &Find,
    repository: &Repository,
    common: &Common,
) -> Result<(Config, Arc<Languages>, Sketch), Failure> {
    let config = settings::read(common, Some(repository), &flags.reporting.settings())?;
    let languages = config.languages();
    Ok((config, languages, sketch(flags, repository, common)?))
}

/// What is found for a sketch in the work tree, with the settings of the repository.
pub(in crate::cli) fn existing(
    sketch: &Sketch,
    request: &FindRequest,
    common: &Common,
    progress: &dyn Progress,
) -> Result<FoundCode, Failure> {
    let repository = Repository::discover(&common.repo)?;
    let config = settings::read(common, Some(&repository), &[])?;
    let languages = config.languages();
    let context = Context { config: &config, languages: &languages, progress };
    found(&repository, sketch, scan::tree(&repository, None)?, (request, common), context)
}

/// What a sketch is compared with, besides a tree, and how.
#[derive(Default)]
pub(in crate::cli) struct FindRequest {
    pub corpora: Vec<String>,
    pub effort: Effort,
    pub limit: usize,
    /// Which deleted code is searched; `None` for none.
    pub past: Option<PastScope>,
}

fn found(
    repository: &Repository,
    sketch: &Sketch,
    (end, files): (End, Snapshot),
    (request, common): (&FindRequest, &Common),
    context: Context<'_>,
) -> Result<FoundCode, Failure> {
    let mut config = context.config.clone();
    config.effort = request.effort;
    let context = Context { config: &config, ..context };
    let Context { config, languages, .. } = context;
    let outsides =
        outsides(&request.corpora, config, (languages, None), repository.root(), common)?;
    let remembered = cache::open(common, repository, config, languages);
    let reader = repository.reader();
    let tip = end.commit.map_or_else(|| reader.head(), |commit| Ok(Some(commit)))?;
    let span = request.past.as_ref().map(|past| past.span(tip, &reader)).transpose()?.flatten();
    let (mut found, not_read) =
        with_past((repository, span.as_ref()), None, context, common, |past| {
            let (tree, elsewhere) = (end.clone(), Elsewhere { outsides: &outsides, past });
            let params = FindParams { tree, files: &files, elsewhere, max_results: request.limit };
            find(repository, sketch, params, &remembered, context)
        })?;
    found.unavailable = not_read.or(found.unavailable);
    cache::save(remembered, common);
    report_traffic(&outsides, common);
    if limit::complete().is_err() {
        let ended = || "some files, since the time or memory limit was reached".to_owned();
        found.unavailable.get_or_insert_with(ended);
    }
    if let Some(missing) = &found.unavailable {
        warn(&format!("not searched: {missing}"));
    }
    Ok(found)
}

fn sketch(flags: &Find, repository: &Repository, common: &Common) -> Result<Sketch, Failure> {
    let name = flags.name.as_ref().map(|name| FilePath::new(name.as_bytes()));
    let (language, lines) = (flags.lang.clone(), flags.lines.clone());
    let Some(file) = flags.file.as_ref().filter(|file| file.as_os_str() != "-") else {
        let bytes = read_at_most(io::stdin().lock());
        let bytes = bytes.map_err(Failure::unreadable(Path::new("standard input")))?;
        return Ok(Sketch { bytes, name, language, lines, in_tree: None });
    };
    let path = common.repo.join(file);
    if let Some(words) = file.to_str().filter(|words| is_sketch(words) && !path.exists()) {
        return Ok(Sketch { bytes: words.into(), name, language, lines: None, in_tree: None });
    }
    if path.is_dir() {
        return Err(Failure::unreadable(file)(io::ErrorKind::IsADirectory.into()));
    }
    let opened = files::open(&path).map_err(Failure::unreadable(file))?;
    if opened.metadata().is_ok_and(|metadata| metadata.len() > MAX_SKETCH as u64) {
        return Err(audit::Error::from(SketchError::too_large(MAX_SKETCH)).into());
    }
    let bytes = read_at_most(opened).map_err(Failure::unreadable(file))?;
    let in_tree = in_repository(&path, repository).filter(|_| flags.tree.rev.is_none());
    let named = path.file_name().map(|name| FilePath::new(name.as_encoded_bytes()));
    Ok(Sketch { bytes, name: name.or_else(|| in_tree.clone()).or(named), language, lines, in_tree })
}

/// Whether an argument is a sketch rather than a file: several words, or a plain name.
fn is_sketch(argument: &str) -> bool {
    argument.contains(char::is_whitespace) || !argument.contains(['.', '/', '\\'])
}

/// One byte more than a sketch may have shows that it is too large.
fn read_at_most(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_SKETCH as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn in_repository(path: &Path, repository: &Repository) -> Option<FilePath> {
    let root = repository.root().canonicalize().ok()?;
    Some(slashes(path.canonicalize().ok()?.strip_prefix(&root).ok()?))
}
