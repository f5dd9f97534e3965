//! Runs `scan`: finds every clone class of a tree.
//!
//! Three passes: fingerprint all files and link what occurs more than once; align each file with
//! those it is linked to; join the pairs into classes. Memory grows with the number of
//! fingerprints, not with the text.

mod classes;
mod fragments;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use self::classes::{TreeClasses, join};
use self::fragments::{KeptTexts, Member, RecentSources, Repeat, promising, repeats};
use crate::audit::outcome::{Share, first_few, in_part};
use crate::audit::read::{Memory, Skip, Source, Sources};
use crate::audit::search::{may_be_whole, repeated};
use crate::audit::{Comment, Context, Duplication, Error, Examination, Outcome};
use crate::change::End;
use crate::files::{Entry, ReadFiles};
use crate::fingerprint::hash_exact;
use crate::git::Attributes;
use crate::index::{Occurrence, links};
use crate::matching::is_telling;
use crate::policy::{
    About, BadSuppression, Circumstances, Finding, Fragment, Ground, Notice, Origin, OtherPlace,
    Rank, Suppression, UnexaminedFiles, order_origins, suppressions,
};
use crate::text::{FilePath, Lines, agreed, count, fnv_1a, joined, readable};

/// The files of a tree, and how to read them on each thread.
pub struct Tree<'t, R> {
    /// Its name: a revision, a folder.
    pub end: End,
    /// The files, sorted by path.
    pub entries: Vec<Entry>,
    /// The requested paths; empty for all.
    pub within: Vec<FilePath>,
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
}

/// Finds all clone classes of a tree and how much of it they cover: first those that take most
/// lines more than once. Their texts are left for [`read_texts`].
///
/// # Errors
/// If a file cannot be read.
pub fn scan<R: ReadFiles>(tree: Tree<'_, R>, context: Context<'_>) -> Result<Outcome, Error> {
    let remembered = Memory::nothing();
    let attributes = Attributes::read(&tree.entries, &(tree.open)())?;
    let sources = Sources::new(context, &attributes, &remembered);
    let n_changed = tree.entries.len();
    let (entries, third_party) = scanned(tree.entries, &tree.within, &sources);
    let (entries, sources, kept) = (&entries[..], &sources, KeptTexts::default());
    let same = repeated(&entries.iter().collect::<Vec<_>>(), sources, &(tree.open)());
    let (occurrences, read) = occurrences(entries, &same, tree.open, sources, &kept)?;
    let n_bytes = size_of_val(&*occurrences);
    let links = promising(links(occurrences), sources);
    // Half of what the occurrences took: with all of it, no scan takes less time.
    kept.expect(&links, n_bytes / 2);
    let mut repeats = repeats(links, entries, tree.open, sources, &kept)?;
    let open = || RecentSources { entries, sources, reader: (tree.open)(), kept: &kept };
    repeats.runs.extend(whole_copies(&read, &open())?);
    let limits = repeats.limits.iter();
    let limits = in_part(limits.map(|&(at, of)| (entries[at as usize].path.clone(), of)));
    let limits = limits.into_iter().map(|(path, text)| Notice::new(Some(path), None, &text));
    let limits = first_few(limits.collect());
    let TreeClasses { mut classes, n_idioms, n_idiom_places } = join(repeats, &open)?;
    drop(kept);

    let files = ScannedFiles { entries, same: &same, read: &read, sources };
    // Source comes first, within a class and among classes: repetition in tests and documents is
    // intended.
    for class in &mut classes {
        class.sort_unstable_by_key(|place| {
            (files.is_besides(place), place.document, place.tokens.start)
        });
    }
    let duplication = files.duplication(&classes);
    let notices =
        [files.left_out(third_party), files.same_notice(), common(n_idioms, n_idiom_places)];
    Ok(Outcome {
        findings: files.findings(classes),
        examined: files.examined(n_changed),
        comments: files.comments(),
        notices: notices.into_iter().flatten().chain(limits).collect(),
        settings: context.config.files.clone(),
        max_findings: context.config.max_findings,
        duplication: Some(duplication),
        ..Outcome::new(None, tree.end)
    })
}

/// The files of a scan, and what the first pass learned about each.
struct ScannedFiles<'s> {
    entries: &'s [Entry],
    /// For each file, one before it that it is the same as.
    same: &'s [Option<usize>],
    read: &'s Sizes,
    sources: &'s Sources<'s>,
}

impl ScannedFiles<'_> {
    /// Each file, and what was learned about it: what the first of many equal files shows holds for
    /// all.
    fn each(&self) -> impl Iterator<Item = (&Entry, &Result<Size, Skip>)> {
        let files = self.entries.iter().zip(self.same).enumerate();
        files.map(|(file, (entry, same))| (entry, &self.read[same.unwrap_or(file)]))
    }

    fn size_at(&self, place: &Member) -> Option<&Size> {
        self.read.get(place.document as usize)?.as_ref().ok()
    }

    /// Whether a place is in a test, an example or a document.
    fn is_besides(&self, place: &Member) -> bool {
        self.size_at(place).is_some_and(|size| size.is_besides || size.is_test(&place.fragment))
    }

    /// Whether a place is in a file that declares rather than computes.
    fn is_declarative(&self, place: &Member) -> bool {
        self.size_at(place).is_some_and(|size| size.is_declarative)
    }

    /// The places of a class that count: those in source, if what they share is worth a warning.
    fn counted<'c>(&self, class: &'c [Member]) -> Vec<&'c Member> {
        let mut source: Vec<&Member> =
            class.iter().filter(|at| !self.is_besides(at) && !self.is_declarative(at)).collect();
        // Of alternatives, a build has one: they cannot be written once.
        if let Some(&first) = source.first() {
            source.retain(|place| std::ptr::eq(*place, first) || !place.excludes(first));
        }
        if source.iter().any(|place| place.is_worth) { source } else { Vec::new() }
    }

    /// How much of the tree would go if each class were written once.
    fn duplication(&self, classes: &[Vec<Member>]) -> Duplication {
        let mut duplication = Duplication::default();
        // The lines of each file that would go, and those of the places that would stay.
        let (mut gone, mut kept): (LinesOf, LinesOf) = Default::default();
        for class in classes {
            let source = self.counted(class);
            duplication.n_classes += usize::from(source.len() > 1);
            for (at, place) in source.iter().enumerate() {
                let lines = if at == 0 { &mut kept } else { &mut gone };
                lines.entry(place.document).or_default().extend(place.rows());
            }
        }
        for (file, (entry, size)) in self.each().enumerate() {
            let Some(size) = size.as_ref().ok().filter(|size| !size.is_besides) else { continue };
            let first = self.same[file].unwrap_or(file) as u32;
            let mut lines_gone = gone.get(&first).cloned().unwrap_or_default();
            // Of equal files, one would stay.
            if self.same[file].is_some() {
                lines_gone.extend(kept.get(&first).into_iter().flatten());
            }
            duplication.add(&entry.path, &size.language, &size.share(lines_gone));
        }
        duplication
    }

    /// What was read of `n_changed` files, and what was not.
    fn examined(&self, n_changed: usize) -> Examination {
        let n_judged = self.each().filter(|(_, size)| size.is_ok()).count();
        let skips = self.each().filter_map(|(entry, size)| {
            let skip = size.as_ref().map_or_else(|skip| Some(*skip), |size| size.left_out)?;
            self.sources.is_unread(&entry.path, skip).then(|| (entry.path.clone(), skip))
        });
        Examination {
            n_changed,
            n_judged,
            n_compared: n_judged,
            skipped: skips.collect(),
            ..Examination::default()
        }
    }

    fn comments(&self) -> Vec<Comment> {
        Vec::from_iter(self.each().flat_map(|(entry, size)| {
            let comments = size.as_ref().map(|size| &*size.comments).unwrap_or_default();
            comments.iter().map(|suppression| Comment {
                path: entry.path.clone(),
                is_added: false,
                is_at_tip: true,
                added: Arc::default(),
                suppression: suppression.clone(),
            })
        }))
    }

    fn path(&self, place: &Member) -> &FilePath {
        &self.entries[place.document as usize].path
    }

    /// The classes as findings: first those that save most lines.
    fn findings(&self, classes: Vec<Vec<Member>>) -> Vec<Finding> {
        let classes = classes.into_par_iter();
        let mut ranked: Vec<_> = classes.map(|class| (self.n_saved_lines(&class), class)).collect();
        ranked.sort_by_cached_key(|(n_saved_lines, class)| {
            let besides =
                [1, 0].map(|at| class.get(at).is_some_and(|place| self.is_besides(place)));
            let first = class.first().map(|first| {
                (Reverse(first.tokens.len()), self.path(first).clone(), first.fragment)
            });
            (Reverse(*n_saved_lines), besides, first)
        });
        // Each class goes as it becomes a finding.
        let findings = ranked
            .into_par_iter()
            .map(|(n_saved_lines, class)| Some(Finding { n_saved_lines, ..self.finding(&class)? }));
        let findings: Vec<Option<Finding>> = findings.collect();
        #[expect(clippy::filter_map_identity, reason = "in place, as `flatten` would not be")]
        findings.into_iter().filter_map(|finding| finding).collect()
    }

    /// The lines of source that go if a class is written once.
    fn n_saved_lines(&self, class: &[Member]) -> u64 {
        let saved = self.counted(class).into_iter().skip(1);
        saved.map(|place| place.rows().count() as u64).sum()
    }

    /// A class as a finding: its first place, and the others as origins.
    fn finding(&self, class: &[Member]) -> Option<Finding> {
        let (first, others) = class.split_first()?;
        let path = self.path(first);
        let mut origins = Vec::from_iter(others.iter().map(|place| {
            let (fragment, similarity) = (place.fragment, place.similarity);
            let rank =
                Rank { explains: similarity, is_new: false, spelled: similarity, lines: 0.0 };
            let path = self.path(place).clone();
            Origin { rank, ..Origin::in_tree(path, fragment, place.clone_type, similarity) }
        }));
        order_origins(&mut origins, path);
        let language = self.size_at(first)?.language.clone();
        let levels = self.sources.config.thresholds(path, Some(&language)).levels;
        let circumstances = Circumstances { is_old: true, ..Circumstances::default() };
        let judgment = levels.judge_copy(&mut origins, circumstances)?;
        let known = others.iter().map(|place| OtherPlace {
            path: self.path(place).clone(),
            n_tokens: place.tokens.len(),
            content: place.content,
        });
        Some(Finding {
            language,
            n_tokens: first.tokens.len(),
            n_places: others.len(),
            others: known.collect(),
            origins,
            ..Finding::new(About::Copy, judgment, path.clone(), first.fragment, first.content)
        })
    }

    /// A notice of the source that was left out: `third_party` code, and what was not written by
    /// hand.
    fn left_out(&self, third_party: Vec<UnexaminedFiles>) -> Option<Notice> {
        let by_program = self.each().filter_map(|(Entry { path, .. }, size)| match size {
            Err(skip @ (Skip::Generated | Skip::Minified)) if self.sources.is_source(path) => {
                let (path, reason) = (path.clone(), skip.reason());
                Some(UnexaminedFiles { path, n_files: 1, reason })
            }
            _ => None,
        });
        let all: Vec<UnexaminedFiles> = third_party.into_iter().chain(by_program).collect();
        let named = joined(&all, 10, UnexaminedFiles::describe);
        let text = format!("left out of the scan: {named}");
        (!all.is_empty()).then(|| Notice::new(None, None, &text))
    }

    /// A notice of the files that are the same as one before them.
    fn same_notice(&self) -> Option<Notice> {
        let n_same = self.same.iter().flatten().count();
        let (are, they_are) = agreed(n_same, ("is", "it is"), ("are", "they are"));
        let files = count(n_same, "file");
        let text =
            format!("{files} {are} the same as many others: {they_are} counted, and not listed");
        (n_same > 0).then(|| Notice::new(None, None, &text))
    }
}

/// Lines of files, by the number of the file.
type LinesOf = HashMap<u32, BTreeSet<u32>>;

/// The files that are byte for byte one before them, each with the nearest of those: a copy
/// whatever it holds, also where it has no fingerprint, as plain assignments have none.
fn whole_copies<R: ReadFiles>(
    read: &Sizes,
    recent: &RecentSources<'_, R>,
) -> Result<Vec<Repeat>, Error> {
    let mut last: HashMap<(u64, &str), u32> = HashMap::new();
    let mut copies = Vec::new();
    for (document, size) in read.iter().enumerate() {
        let Ok(Size { whole: Some(hash), language, .. }) = size else { continue };
        let document = document as u32;
        if let Some(earlier) = last.insert((*hash, language), document)
            && let Some((place, earlier)) = recent.whole_copy(document, earlier)?
            && !place.excludes(&earlier)
        {
            copies.push(Repeat { place, earlier, is_telling: true });
        }
    }
    Ok(copies)
}

/// A notice of the code that is left out because it is short and everywhere.
fn common(n_idioms: usize, n_places: usize) -> Option<Notice> {
    let (passages, places) = (count(n_idioms, "short passage"), count(n_places, "place"));
    let text =
        format!("left out as common: {passages} in {places}; `--set min-rarity=0` lists these too");
    (n_idioms > 0).then(|| Notice::new(None, None, &text))
}

/// The files to scan, and the third-party ones: these are left out, unless the requested paths are
/// in their folder.
fn scanned(
    entries: Vec<Entry>,
    within: &[FilePath],
    sources: &Sources<'_>,
) -> (Vec<Entry>, Vec<UnexaminedFiles>) {
    let asked: Vec<Vec<u8>> = within.iter().map(|of| [of.as_bytes(), b"/"].concat()).collect();
    let mut left_out: BTreeMap<FilePath, usize> = BTreeMap::new();
    let scanned = entries.into_iter().filter(|Entry { path, .. }| {
        let skip = sources.skip_judging(path);
        if skip != Some(Skip::Vendored) {
            return skip.is_none();
        }
        let folder = sources.vendored_folder(path);
        let is_asked = folder
            .as_ref()
            .is_some_and(|folder| asked.iter().any(|path| path.starts_with(folder.as_bytes())));
        if !is_asked && sources.is_source(path) {
            *left_out.entry(folder.unwrap_or_else(|| path.clone())).or_default() += 1;
        }
        is_asked
    });
    let scanned = scanned.collect();
    let (reason, left_out) = (Skip::Vendored.reason(), left_out.into_iter());
    let left_out = left_out.map(|(path, n_files)| UnexaminedFiles { path, n_files, reason });
    (scanned, left_out.collect())
}

/// What the first pass learned about a file.
struct Size {
    /// Whether it is a test, an example or a document.
    is_besides: bool,
    /// Whether it declares rather than computes.
    is_declarative: bool,
    /// The lines of test code in it.
    tests: Vec<Range<u32>>,
    language: String,
    /// A hash of its bytes, if it may be reported as a whole.
    whole: Option<u64>,
    comments: Vec<Result<Suppression, BadSuppression>>,
    n_lines: u32,
    /// Why some of its lines were skipped, if any were.
    left_out: Option<Skip>,
}

impl Size {
    /// What was learned about `source`.
    fn new(source: &Source, sources: &Sources<'_>) -> Self {
        let Source { path, text, tokens, language, is_prose, .. } = source;
        let ground = sources.config.ground(path, *is_prose);
        Self {
            is_besides: !matches!(ground, Ground::Code | Ground::Declarative),
            is_declarative: is_declarative(source, sources),
            tests: sources.test_lines(source).to_vec(),
            language: language.clone(),
            whole: may_be_whole(source).then(|| fnv_1a(text.iter().copied())),
            comments: suppressions(text, tokens, &sources.config.honor),
            n_lines: Lines::new(text).n_lines(),
            left_out: sources.left_out_of(source),
        }
    }

    /// Whether most lines of a fragment are test code.
    fn is_test(&self, fragment: &Fragment) -> bool {
        let Range { start, end } = fragment.rows();
        let tests = self.tests.iter();
        let shared = tests.map(|unit| end.min(unit.end).saturating_sub(start.max(unit.start)));
        2 * shared.sum::<u32>() > fragment.n_lines()
    }

    /// Its part that is not test code, of which these lines would go.
    fn share(&self, mut lines_gone: BTreeSet<u32>) -> Share {
        lines_gone.retain(|line| !self.tests.iter().any(|unit| unit.contains(line)));
        let n_tests: usize = self.tests.iter().map(ExactSizeIterator::len).sum();
        let n_lines = (self.n_lines as usize).saturating_sub(n_tests);
        Share { n_files: 1, n_lines, duplicated_lines: lines_gone.len() }
    }
}

/// Whether a file declares rather than computes.
fn is_declarative(source: &Source, sources: &Sources<'_>) -> bool {
    let language = sources.languages.named(&source.language);
    sources.config.ground(&source.path, source.is_prose) == Ground::Declarative
        || language.is_some_and(|language| language.is_declarative)
}

/// What the first pass learned about each file, or why it was skipped.
type Sizes = Vec<Result<Size, Skip>>;

/// Fingerprints every file. The fingerprints are in no order.
fn occurrences<R: ReadFiles>(
    entries: &[Entry],
    same: &[Option<usize>],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
    kept: &KeptTexts,
) -> Result<(Vec<Occurrence>, Sizes), Error> {
    let progress = sources.progress;
    open().fetch(&mut entries.iter().filter(|entry| sources.needs(entry)));
    progress.begin("reading", entries.len());
    let config = sources.config;
    let k = config.matching.k;
    let found = Mutex::new(Vec::new());
    let open = || (open(), Vec::new(), Vec::new());
    let files = entries.par_iter().enumerate();
    let sizes = files.map_init(open, |(reader, scratch, own), (document, entry)| {
        progress.step();
        if same[document].is_some() {
            return Ok(Err(Skip::Repeated));
        }
        Ok(sources.read(reader, entry)?.map(|source| {
            let size = Size::new(&source, sources);
            own.clear();
            for print in config.scan_fingerprint.fingerprints(&source.tokens, scratch) {
                let (at, kgram) = (print.position, &source.tokens[print.position as usize..][..k]);
                if is_telling(kgram, config.matching.min_distinct) {
                    own.push(Occurrence::new(print.hash, hash_exact(kgram), document as u32, at));
                }
            }
            found.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(own);
            kept.offer(document as u32, source, sources);
            size
        }))
    });
    let sizes = sizes.collect::<Result<Sizes, Error>>()?;
    Ok((found.into_inner().unwrap_or_else(PoisonError::into_inner), sizes))
}

/// Reads the texts that an outcome does not have yet of the files with the first place or the first
/// origin of a finding, which are shown in frames; `entries` are the files of the tree, sorted by path.
///
/// # Errors
/// If a file cannot be read.
pub fn read_texts(
    outcome: &mut Outcome,
    entries: &[Entry],
    reader: &impl ReadFiles,
) -> Result<(), Error> {
    let suppressed = outcome.suppressed.iter().map(|suppressed| &suppressed.finding);
    let mut texts = std::mem::take(&mut outcome.texts);
    for finding in outcome.all_findings().chain(suppressed) {
        let origin = finding.origins.first().map(|origin| &origin.path);
        for path in origin.into_iter().chain([&finding.path]) {
            if !texts.contains_key(path)
                && let Ok(at) = entries.binary_search_by(|entry| entry.path.cmp(path))
            {
                texts.insert(path.clone(), readable(reader.read(&entries[at])?).into());
            }
        }
    }
    outcome.texts = texts;
    Ok(())
}
