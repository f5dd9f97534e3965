//! Decides what a change is checked with: settings, baseline and suppressions, of the head or of the base.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::{Check, Trust};
use super::error::Failure;
use super::flags::{Common, Suppressing};
use super::settings;
use crate::audit::{Outcome, Range, suppress};
use crate::config::{Config, NAMES, RawConfig, decisions, options};
use crate::git::{Entry, ReadFiles, Reader, Repository, Snapshot};
use crate::language::Languages;
use crate::policy::{Accepted, Baseline, Date, Decision, Notice, bound_warnings};
use crate::text::FilePath;

/// What a change is checked with.
pub(super) struct Judge {
    pub config: Config,
    pub languages: Languages,
    baseline: Baseline,
    decisions: Vec<Decision>,
    trust: Trust,
    shows_suppressed: bool,
    /// Edits of the change to settings and baseline.
    weakened: Vec<Notice>,
}

impl Judge {
    /// Reads settings and baseline, from the work tree or, with `--trust base`, from the base.
    pub fn new(repository: &Repository, range: &Range, flags: &Check, common: &Common) -> Result<Self, Failure> {
        let reader = repository.reader();
        let base = range.base.as_ref().map(|(_, snapshot)| snapshot);
        let min_tokens = flags.min_tokens.setting("min-tokens");
        let is_of_base = flags.trust == Trust::Base && common.config.is_none() && !common.isolated;
        let (config, origin) = if is_of_base {
            let written = base.and_then(settings_entry).map(|entry| written(&reader, entry)).transpose()?;
            let (raw, origin) = written.unwrap_or_else(|| (RawConfig::default(), "the settings".to_owned()));
            settings::complete(raw, origin, common, min_tokens.as_slice())?
        } else {
            settings::read(common, Some(repository.root()), min_tokens.as_slice())?
        };
        let baseline = match flags.trust {
            Trust::Base if flags.suppressing.baseline.is_none() && !flags.suppressing.no_baseline => {
                let entry = base.and_then(|base| base.get(&FilePath::new(config.baseline.as_bytes())));
                entry.map(|entry| baseline_in(&reader, entry)).transpose()?.unwrap_or_default()
            }
            _ => baseline_of(Some(repository.root()), &config, &flags.suppressing)?,
        };
        let decisions = match flags.trust {
            Trust::Base => {
                let entry = base.and_then(|base| base.get(&FilePath::new(config.decisions.as_bytes())));
                entry.map(|entry| decisions_in(&reader, entry)).transpose()?.unwrap_or_default()
            }
            Trust::Head => decisions_of(repository.root(), &config)?,
        };
        let head = &range.head.1;
        let weakened = base.map(|base| edits(&reader, base, head, &config)).transpose()?.unwrap_or_default();
        Ok(Self {
            languages: config.languages(&origin)?,
            config,
            baseline,
            decisions,
            trust: flags.trust,
            shows_suppressed: flags.suppressing.show_suppressed,
            weakened,
        })
    }

    /// Takes out of the outcome what is suppressed, adds what the change edits in its own judge, and bounds the warnings.
    pub fn suppress(self, outcome: &mut Outcome) {
        outcome.notices.extend(self.weakened);
        let accepted = Accepted { exceptions: &self.config.licenses.exceptions, decisions: &self.decisions };
        suppress(outcome, &self.baseline, accepted, today(), self.trust == Trust::Head);
        bound_warnings(&mut outcome.findings, self.config.max_warnings);
        if !self.shows_suppressed {
            outcome.suppressed.clear();
        }
    }
}

/// Today, in UTC; for reproducible builds, the day of `SOURCE_DATE_EPOCH`.
pub(super) fn today() -> Date {
    Date::of_seconds(now())
}

/// The current time in seconds since 1970; for reproducible builds, that of `SOURCE_DATE_EPOCH`.
pub(super) fn now() -> i64 {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    set.unwrap_or_else(now)
}

/// The baseline from the flags or, if it exists, from the settings.
pub(super) fn baseline_of(root: Option<&Path>, config: &Config, flags: &Suppressing) -> Result<Baseline, Failure> {
    let default = root.map(|root| root.join(&config.baseline)).filter(|file| file.symlink_metadata().is_ok());
    match flags.baseline.clone().or(default) {
        Some(file) if !flags.no_baseline => read_baseline(&file),
        _ => Ok(Baseline::default()),
    }
}

/// Reads a baseline.
pub(super) fn read_baseline(file: &Path) -> Result<Baseline, Failure> {
    let text = std::fs::read_to_string(file).map_err(|why| Failure::Unreadable { file: file.to_owned(), why })?;
    Baseline::parse(&text).map_err(|error| Failure::Baseline { file: file.display().to_string(), error })
}

/// The decisions named in the settings, if the file exists.
pub(super) fn decisions_of(root: &Path, config: &Config) -> Result<Vec<Decision>, Failure> {
    let file = root.join(&config.decisions);
    if config.decisions.is_empty() || file.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&file).map_err(|why| Failure::Unreadable { file: file.clone(), why })?;
    Ok(decisions(&text, &config.decisions)?)
}

fn decisions_in(reader: &Reader, entry: &Entry) -> Result<Vec<Decision>, Failure> {
    Ok(decisions(&String::from_utf8_lossy(&reader.read(entry)?), &entry.path.to_string())?)
}

fn baseline_in(reader: &Reader, entry: &Entry) -> Result<Baseline, Failure> {
    let text = String::from_utf8_lossy(&reader.read(entry)?).into_owned();
    Baseline::parse(&text).map_err(|error| Failure::Baseline { file: entry.path.to_string(), error })
}

/// The settings file in one state of the repository.
fn settings_entry(snapshot: &Snapshot) -> Option<&Entry> {
    NAMES.iter().find_map(|name| snapshot.get(&FilePath::new(name.as_bytes())))
}

fn written(reader: &Reader, entry: &Entry) -> Result<(RawConfig, String), Failure> {
    let name = entry.path.to_string();
    let text = String::from_utf8(reader.read(entry)?).map_err(|_| Failure::BaseSettings { file: name.clone() })?;
    Ok((RawConfig::parse(&text, &name)?, format!("`{name}` of the base")))
}

/// Edits of the change to settings and baseline: it must not loosen its own check unseen.
fn edits(reader: &Reader, base: &Snapshot, head: &Snapshot, config: &Config) -> Result<Vec<Notice>, Failure> {
    let mut notices = Vec::new();
    let (before, after) = (settings_entry(base), settings_entry(head));
    if before.map(|entry| &entry.content) != after.map(|entry| &entry.content) {
        // Settings that cannot be read are an error where they are used; here they count as empty.
        let raw = |entry: Option<&Entry>| entry.and_then(|entry| written(reader, entry).ok()).unwrap_or_default().0;
        let (old, new) = (raw(before), raw(after));
        let edit = |name: String| {
            let (old, new) = (old.get(&name)?, new.get(&name)?);
            (old != new).then(|| format!("{name} from {old} to {new}"))
        };
        let mut edited: Vec<String> = options().into_iter().filter_map(|option| edit(option.name)).collect();
        if old.language != new.language {
            edited.push("its languages".to_owned());
        }
        if !edited.is_empty() {
            let path = after.or(before).map(|entry| entry.path.clone());
            notices.push(Notice::new(path, None, &format!("the change edits settings: {}", edited.join("; "))));
        }
    }
    let path = FilePath::new(config.decisions.as_bytes());
    if base.get(&path).map(|entry| &entry.content) != head.get(&path).map(|entry| &entry.content) {
        let message = "the change edits the decisions on copies".to_owned();
        notices.push(Notice::new(Some(path), None, &message));
    }
    let path = FilePath::new(config.baseline.as_bytes());
    let (before, after) = (base.get(&path), head.get(&path));
    if before.map(|entry| &entry.content) != after.map(|entry| &entry.content) {
        let read = |entry: Option<&Entry>| entry.and_then(|entry| baseline_in(reader, entry).ok()).unwrap_or_default();
        let (old, new) = (read(before), read(after));
        let n_added = new.n_beyond(&old);
        if n_added > 0 {
            let copies = if n_added == 1 { "copy" } else { "copies" };
            let message = format!("the change adds {n_added} {copies} to the baseline");
            notices.push(Notice::new(Some(path), None, &message));
        }
    }
    notices.extend(edited_attributes(reader, base, head)?);
    Ok(notices)
}

/// Edits of the change to what `.gitattributes` say about languages, generated and vendored files.
fn edited_attributes(reader: &Reader, base: &Snapshot, head: &Snapshot) -> Result<Vec<Notice>, Failure> {
    let is_attributes = |entry: &&Entry| entry.path.name() == b".gitattributes";
    let files = base.entries.iter().chain(&head.entries).filter(is_attributes).map(|entry| &entry.path);
    let mut notices = Vec::new();
    for path in files.collect::<BTreeSet<_>>() {
        let (before, after) = (base.get(path), head.get(path));
        if before.map(|entry| &entry.content) == after.map(|entry| &entry.content) {
            continue;
        }
        let rules = |entry: Option<&Entry>| -> Result<BTreeSet<String>, Failure> {
            let text = entry.map(|entry| reader.read(entry)).transpose()?.unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let lines = text.lines().map(str::trim).filter(|line| line.contains("linguist-") && !line.starts_with('#'));
            Ok(lines.map(ToOwned::to_owned).collect())
        };
        let (old, new) = (rules(before)?, rules(after)?);
        let list = |verb: &str, rules: Vec<&String>| {
            let rules: Vec<String> = rules.into_iter().map(|rule| format!("`{rule}`")).collect();
            (!rules.is_empty()).then(|| format!("{verb} {}", rules.join(", ")))
        };
        let edits = [list("adds", new.difference(&old).collect()), list("removes", old.difference(&new).collect())];
        let edits: Vec<String> = edits.into_iter().flatten().collect();
        if !edits.is_empty() {
            let message = format!("the change edits attributes: {}", edits.join("; "));
            notices.push(Notice::new(Some(path.clone()), None, &message));
        }
    }
    Ok(notices)
}
