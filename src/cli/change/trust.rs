//! Decides what a change is checked with: settings, baseline and suppressions, of the head or of the base.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::corpus_edits::ComparedEdits;
use super::components::moved_submodule;
use super::policy_edits::Edits;
use crate::cli::error::Failure;
use crate::cli::flags::{Common, Suppressing};
use crate::cli::output::warn;
use crate::cli::settings::{self, Overrides};
use super::versions::{baseline_in, decisions_in, folder_entries, folder_settings_in, settings_entry, settings_in};
use crate::audit::{Outcome, Range, project_terms, suppress};
use crate::config::{
    Config, MAX_BASELINE, MAX_SETTINGS, RawConfig, Reach, Trust, Written, below, decisions, read_text,
};
use crate::files::Entry;
use crate::git::{Reader, Repository, Snapshot};
use crate::language::Languages;
use crate::policy::{Accepted, Baseline, Date, Decision, Notice, bound_warnings, join_families};
use crate::store::corpus::Location;
use crate::text::FilePath;

/// The settings that judge a change, before variables and flags.
pub struct SettingsInUse {
    /// Whose they are: of the head or of the base.
    pub trust: Trust,
    pub written: Written,
    /// The file that the flag `--config` names.
    named: Option<PathBuf>,
    notices: Vec<Notice>,
}

impl SettingsInUse {
    /// Those of the work tree.
    pub fn of_head(repository: &Repository, common: &Common) -> Result<Self, Failure> {
        let written = settings::written(common, Some(repository))?;
        Ok(Self { trust: Trust::Head, written, named: common.config.clone(), notices: Vec::new() })
    }

    /// Those of the base as it is now; of a file that no commit has, those on disk.
    pub fn of_base(repository: &Repository, range: &Range, common: &Common) -> Result<Self, Failure> {
        let reader = repository.reader();
        let root = repository.root();
        let sides = Sides { reader: &reader, root, tip: range.tip(), head: &range.head.1 };
        let mut notices = Vec::new();
        let written = match &common.config {
            _ if common.isolated => Written::nowhere(),
            Some(file) => match sides.of_base(file)? {
                Version::Untracked => settings::written(common, Some(repository))?,
                Version::At(entry) => settings_in(&reader, entry)?,
                Version::Missing(path) => {
                    let message = "these settings are not in the base, and were not used";
                    notices.push(Notice::new(Some(path), None, message));
                    Written::nowhere()
                }
            },
            None => range.tip().map(|tip| settings_of(&reader, tip)).transpose()?.unwrap_or_else(Written::nowhere),
        };
        Ok(Self { trust: Trust::Base, written, named: common.config.clone(), notices })
    }
}

/// The settings of a state of the repository, with those of its folders.
fn settings_of(reader: &Reader, files: &Snapshot) -> Result<Written, Failure> {
    let entry = settings_entry(reader, files)?;
    let mut written = entry.map(|entry| settings_in(reader, entry)).transpose()?.unwrap_or_else(Written::nowhere);
    for (folder, entry) in folder_entries(reader, files, &Reach::new(&written.raw))? {
        written.folders.push(folder_settings_in(reader, folder, entry)?);
    }
    Ok(written)
}

/// What a change is checked with.
pub struct Judge {
    pub config: Config,
    pub languages: Languages,
    baseline: Baseline,
    decisions: Vec<Decision>,
    pub trust: Trust,
    shows_suppressed: bool,
    /// What the change edits in settings and baseline, and which of these files its base does not have.
    notices: Vec<Notice>,
}

impl Judge {
    /// Reads baseline and decisions, of the work tree or of the base as it is now, whichever side the `settings` are
    /// of.
    pub fn new(
        repository: &Repository,
        range: &Range,
        settings: SettingsInUse,
        overrides: &Overrides,
        (suppressing, corpora): (&Suppressing, &[String]),
    ) -> Result<Self, Failure> {
        let reader = repository.reader();
        let root = repository.root();
        let SettingsInUse { trust, written, named: named_settings, mut notices } = settings;
        let sides = Sides { reader: &reader, root, tip: range.tip(), head: &range.head.1 };
        if trust == Trust::Head {
            let known = range.base.as_ref().map(|(_, base)| corpora_in(&reader, base)).unwrap_or_default();
            check_corpora(&written.raw.corpora, &known, root)?;
        }
        let (mut config, origin) = settings::complete(&written, overrides)?;
        let has_project = config.licenses.project.is_some() || config.licenses.has_no_project;
        // A change must not choose the project license that it is judged by.
        let of_project = if trust == Trust::Base { range.tip() } else { Some(&range.head.1) };
        if let Some(files) = of_project {
            config.licenses.find_project(&project_terms(files, &reader)?);
        }

        let baseline = match (trust, &suppressing.baseline) {
            _ if suppressing.no_baseline => Baseline::default(),
            (Trust::Head | Trust::Auto, _) => baseline_of(Some(root), &config, suppressing)?,
            (Trust::Base, Some(file)) => match sides.of_base(file)? {
                Version::Untracked => read_baseline(file, Some(root))?,
                Version::At(entry) => baseline_in(&reader, entry)?,
                Version::Missing(path) => {
                    notices.push(Notice::new(Some(path), None, "this baseline is not in the base, and was not used"));
                    Baseline::default()
                }
            },
            (Trust::Base, None) => {
                let entry = sides.named_by_base("baseline", &config.baseline)?;
                entry.map(|entry| baseline_in(&reader, entry)).transpose()?.unwrap_or_default()
            }
        };
        let decisions = match trust {
            Trust::Head | Trust::Auto => decisions_of(root, &config)?,
            Trust::Base => {
                let entry = sides.named_by_base("decisions", &config.decisions)?;
                entry.map(|entry| decisions_in(&reader, entry)).transpose()?.unwrap_or_default()
            }
        };
        if let Some((_, base)) = &range.base {
            let named = |file: &Option<PathBuf>| file.as_ref().and_then(|file| in_tree(file, root));
            let edits = Edits {
                reader: &reader,
                base,
                head: &range.head.1,
                settings: named(&named_settings),
                baseline: named(&suppressing.baseline).or_else(|| settled(&config.baseline)),
                decisions: settled(&config.decisions),
            };
            notices.extend(edits.notices()?);
            let edits = ComparedEdits { reader: &reader, base, head: &range.head.1 };
            let from_settings = config.corpora.iter().map(|name| root.join(name));
            let corpora = corpora.iter().map(PathBuf::from).chain(from_settings);
            let corpora: BTreeSet<FilePath> = corpora.filter_map(|folder| in_tree(&folder, root)).collect();
            notices.extend(edits.corpora(&Vec::from_iter(corpora)));
            notices.extend(edits.vendored(&config.vendored));
            if !has_project {
                notices.extend(edits.project()?);
            }
        }
        Ok(Self {
            languages: config.languages(&origin)?,
            config,
            baseline,
            decisions,
            trust,
            shows_suppressed: suppressing.show_suppressed,
            notices,
        })
    }

    /// What the change edits in its own judge, where it is judged by that.
    pub fn edits_in_use(&self) -> &[Notice] {
        if self.trust == Trust::Head { &self.notices } else { &[] }
    }

    /// Takes out of the outcome what is suppressed, adds what the change edits in its own judge, joins
    /// families, and bounds the warnings.
    pub fn suppress(self, outcome: &mut Outcome) {
        outcome.notices.extend(self.notices);
        let accepted = Accepted { exceptions: &self.config.licenses.exceptions, decisions: &self.decisions };
        suppress(outcome, &self.baseline, accepted, today(), self.trust == Trust::Head);
        join_families(&mut outcome.findings);
        bound_warnings(&mut outcome.findings, self.config.max_warnings);
        if !self.shows_suppressed {
            outcome.suppressed.clear();
        }
    }
}

/// Today, in UTC; for reproducible builds, the day of `SOURCE_DATE_EPOCH`.
pub fn today() -> Date {
    Date::of_seconds(now())
}

/// The current time in seconds since 1970; for reproducible builds, that of `SOURCE_DATE_EPOCH`.
pub fn now() -> i64 {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    set.unwrap_or_else(now)
}

/// The two states of a repository that settings may be taken from.
struct Sides<'s> {
    reader: &'s Reader,
    root: &'s Path,
    tip: Option<&'s Snapshot>,
    head: &'s Snapshot,
}

/// What the base has of a file that a flag names.
enum Version<'s> {
    /// The file, as the base has it.
    At(&'s Entry),
    /// Nothing: the change brings the file in.
    Missing(FilePath),
    /// The file is outside the repository: the user wrote it.
    Untracked,
}

impl<'s> Sides<'s> {
    fn of_base(&self, file: &Path) -> Result<Version<'s>, Failure> {
        let Some(path) = in_tree(file, self.root) else { return Ok(Version::Untracked) };
        let nothing = Snapshot::default();
        if let Some(submodule) = moved_submodule(self.tip.unwrap_or(&nothing), self.head, &path) {
            let what = path.to_string();
            return Err(Failure::MovedSubmodule { what, is_in: "is in", submodule: submodule.clone() });
        }
        let of_base = self.tip.map(|tip| self.reader.file_at(tip, &path)).transpose()?.flatten();
        Ok(match of_base {
            Some(entry) => Version::At(entry),
            None if self.reader.file_at(self.head, &path).is_ok_and(|entry| entry.is_none()) => Version::Untracked,
            None => Version::Missing(path),
        })
    }

    /// The file of the base that the base's settings name by the option `key`.
    fn named_by_base(&self, key: &'static str, name: &str) -> Result<Option<&'s Entry>, Failure> {
        if name.is_empty() {
            return Ok(None);
        }
        let path = settled(name).ok_or_else(|| Failure::OutsideOption { key, path: name.to_owned() })?;
        Ok(self.tip.map(|tip| self.reader.file_at(tip, &path)).transpose()?.flatten())
    }
}

/// The path from the root of the repository of a file that a flag names, if it lies there.
pub fn in_tree(file: &Path, root: &Path) -> Option<FilePath> {
    below(file, root).as_ref().and_then(|path| settled(path.to_str()?))
}

/// A path that the settings write, from the root of the repository; `None` when it leads out of it.
fn settled(name: &str) -> Option<FilePath> {
    let mut names: Vec<&[u8]> = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(names.pop()?),
            Component::Normal(name) => names.push(name.as_encoded_bytes()),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!names.is_empty()).then(|| FilePath::new(names.join(&b'/')))
}

/// Where the file lies that the settings name by the option `key`.
///
/// # Errors
/// When it is not inside of the repository.
pub fn inside(root: &Path, key: &'static str, name: &str) -> Result<PathBuf, Failure> {
    settled(name).map(|_| root.join(name)).ok_or_else(|| Failure::OutsideOption { key, path: name.to_owned() })
}

/// Checks that corpora which a change adds to its settings are inside of the repository: it must not have
/// the folders of the machine read that judges it.
fn check_corpora(named: &[String], known: &[String], root: &Path) -> Result<(), Failure> {
    let unresolved = |why| Failure::Unreadable { file: root.to_owned(), why };
    let real_root = root.canonicalize().map_err(unresolved)?;
    let is_inside = |name: &String| {
        let is_below = |folder: PathBuf| folder.starts_with(&real_root);
        // What a URL names is elsewhere, whatever path its text would make.
        Location::new(name).is_none()
            && settled(name).is_some()
            && root.join(name).canonicalize().map_or(true, is_below)
    };
    match named.iter().find(|name| !known.contains(name) && !is_inside(name)) {
        Some(name) => {
            let shown = Location::new(name).map_or_else(|| name.clone(), |location| location.to_string());
            Err(Failure::OutsideCorpus { name: shown })
        }
        None => Ok(()),
    }
}

/// The corpora that the settings of a state of the repository name. Settings that cannot be read name none.
fn corpora_in(reader: &Reader, files: &Snapshot) -> Vec<String> {
    let entry = settings_entry(reader, files).ok().flatten();
    entry.and_then(|entry| settings_in(reader, entry).ok()).map(|written| written.raw.corpora).unwrap_or_default()
}

/// The baseline that the flags name or, if it is there, the one of the settings.
pub fn baseline_of(root: Option<&Path>, config: &Config, flags: &Suppressing) -> Result<Baseline, Failure> {
    if flags.no_baseline {
        return Ok(Baseline::default());
    }
    if let Some(file) = &flags.baseline {
        return read_baseline(file, root);
    }
    let Some(root) = root.filter(|_| !config.baseline.is_empty()) else { return Ok(Baseline::default()) };
    let file = inside(root, "baseline", &config.baseline)?;
    if file.symlink_metadata().is_ok() {
        return read_baseline(&file, Some(root));
    }
    if config.baseline != RawConfig::default().baseline {
        warn(&format!(
            "`{}`, which `baseline` names, does not exist: `secondhand baseline create` writes it",
            crate::text::printable(config.baseline.as_bytes())
        ));
    }
    Ok(Baseline::default())
}

/// Reads a baseline, of the repository at `root` if there is one.
pub fn read_baseline(file: &Path, root: Option<&Path>) -> Result<Baseline, Failure> {
    let text = read_text(file, root, MAX_BASELINE);
    let text = text.map_err(|why| Failure::Unreadable { file: file.to_owned(), why })?;
    Baseline::parse(&text).map_err(|error| Failure::Baseline { file: file.display().to_string(), error })
}

/// The decisions named in the settings, if the file exists.
pub fn decisions_of(root: &Path, config: &Config) -> Result<Vec<Decision>, Failure> {
    if config.decisions.is_empty() {
        return Ok(Vec::new());
    }
    let file = inside(root, "decisions", &config.decisions)?;
    if file.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    let text = read_text(&file, Some(root), MAX_SETTINGS);
    let text = text.map_err(|why| Failure::Unreadable { file: file.clone(), why })?;
    Ok(decisions(&text, &config.decisions)?)
}
