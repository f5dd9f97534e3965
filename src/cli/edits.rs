//! Lists what a change edits in settings, baseline, decisions and attributes, so that it cannot weaken its own check
//! unnoticed.

use std::collections::BTreeSet;

use super::error::Failure;
use super::versions::{baseline_in, folder_entries, folder_settings_in, settings_entry, settings_in};
use crate::config::{RawConfig, Reach, options};
use crate::files::Entry;
use crate::git::{Attributes, Reader, Snapshot};
use crate::policy::Notice;
use crate::text::{FilePath, count};

/// Maximum edits of one kind to write out.
const MAX_LISTED: usize = 20;

/// A change, and where the files are that judge it.
pub(super) struct Edits<'e> {
    pub reader: &'e Reader,
    pub base: &'e Snapshot,
    pub head: &'e Snapshot,
    /// The settings that a flag names, if it does.
    pub settings: Option<FilePath>,
    pub baseline: Option<FilePath>,
    pub decisions: Option<FilePath>,
}

impl Edits<'_> {
    /// What the change edits.
    pub fn notices(&self) -> Result<Vec<Notice>, Failure> {
        let of_files = [self.settings(), self.decisions(), self.baseline()];
        let mut notices: Vec<Notice> = of_files.into_iter().flatten().collect();
        if self.settings.is_none() {
            notices.extend(self.folders());
        }
        notices.extend(self.attributes()?);
        Ok(notices)
    }

    /// The file at `path` before and after, when it is another one. What cannot be read is an error where it is used;
    /// here it counts as nothing.
    fn edited(&self, path: &FilePath) -> Option<(Option<&Entry>, Option<&Entry>)> {
        let at = |files| self.reader.file_at(files, path).ok().flatten();
        other(at(self.base), at(self.head))
    }

    fn settings(&self) -> Option<Notice> {
        let (before, after) = match &self.settings {
            Some(path) => self.edited(path)?,
            None => {
                let entry = |files| settings_entry(self.reader, files).ok().flatten();
                other(entry(self.base), entry(self.head))?
            }
        };
        // With the settings of the base this is no error, or any change could end its own audit. After the merge it is
        // one.
        if let Some(entry) = after
            && let Err(why) = settings_in(self.reader, entry)
        {
            let message = format!("the change breaks the settings, and with them every run once it lands: {why}");
            return Some(Notice::new(Some(entry.path.clone()), None, &message));
        }
        let raw = |entry: Option<&Entry>| -> RawConfig {
            let read = entry.and_then(|entry| settings_in(self.reader, entry).ok());
            read.map(|written| written.raw).unwrap_or_default()
        };
        let (old, new) = (raw(before), raw(after));
        let edit = |name: String| {
            let (old, new) = (old.get(&name), new.get(&name));
            let shown = |value: Option<String>| value.unwrap_or_else(|| "a value that cannot be shown".to_owned());
            (old != new).then(|| format!("{name} from {} to {}", shown(old), shown(new)))
        };
        let mut edited: Vec<String> = options().into_iter().filter_map(|option| edit(option.name)).collect();
        if old.language != new.language {
            edited.push("its languages".to_owned());
        }
        if edited.is_empty() && old != new {
            edited.push("more than can be listed".to_owned());
        }
        let path = after.or(before).map(|entry| entry.path.clone());
        let message = format!("the change edits settings: {}", edited.join("; "));
        (!edited.is_empty()).then(|| Notice::new(path, None, &message))
    }

    /// What the change edits in the settings of folders.
    fn folders(&self) -> Vec<Notice> {
        let root = settings_entry(self.reader, self.base).ok().flatten();
        let root = root.and_then(|entry| settings_in(self.reader, entry).ok());
        let reach = Reach::new(&root.map(|written| written.raw).unwrap_or_default());
        let entries = |files| folder_entries(self.reader, files, &reach).unwrap_or_default();
        let (before, after) = (entries(self.base), entries(self.head));
        let folders: BTreeSet<&FilePath> = before.keys().chain(after.keys()).collect();
        let notice = |folder: &FilePath| {
            let (old, new) = other(before.get(folder).copied(), after.get(folder).copied())?;
            let path = new.or(old).map(|entry| entry.path.clone());
            let read = |entry: &Entry| folder_settings_in(self.reader, folder.clone(), entry);
            let values = |entry: Option<&Entry>| entry.map(|entry| read(entry).map(|of| of.values())).transpose();
            let new = match values(new) {
                Ok(new) => new.unwrap_or_default(),
                Err(why) => {
                    let message =
                        format!("the change breaks these settings, and with them every run once it lands: {why}");
                    return Some(Notice::new(path, None, &message));
                }
            };
            let old = values(old).ok().flatten().unwrap_or_default();
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            let edit = |key: &String| {
                let shown = |of: Option<&String>| of.map_or("nothing", String::as_str).to_owned();
                let (old, new) = (old.get(key), new.get(key));
                (old != new).then(|| format!("{key} from {} to {}", shown(old), shown(new)))
            };
            let edited: Vec<String> = keys.into_iter().filter_map(edit).collect();
            let message = format!("the change edits settings of its folder: {}", edited.join("; "));
            (!edited.is_empty()).then(|| Notice::new(path, None, &message))
        };
        folders.into_iter().filter_map(notice).collect()
    }

    fn decisions(&self) -> Option<Notice> {
        let path = self.decisions.clone()?;
        self.edited(&path)?;
        Some(Notice::new(Some(path), None, "the change edits the decisions on copies"))
    }

    fn baseline(&self) -> Option<Notice> {
        let path = self.baseline.clone()?;
        let (before, after) = self.edited(&path)?;
        let read = |entry: Option<&Entry>| entry.and_then(|entry| baseline_in(self.reader, entry).ok());
        let n_added = read(after).unwrap_or_default().n_beyond(&read(before).unwrap_or_default());
        let message = format!("the change adds {} to the baseline", count(n_added, "copy"));
        (n_added > 0).then(|| Notice::new(Some(path), None, &message))
    }

    /// What the change edits of what `.gitattributes` say of languages, of generated and of vendored files.
    fn attributes(&self) -> Result<Vec<Notice>, Failure> {
        let is_attributes = |entry: &&Entry| entry.path.name() == b".gitattributes";
        let files = self.base.entries.iter().chain(&self.head.entries).filter(is_attributes).map(|entry| &entry.path);
        let paths: BTreeSet<&FilePath> = files.collect();
        let text = |files: &Snapshot, path: &FilePath| -> Result<String, Failure> {
            let text = files.get(path).map(|entry| Attributes::text(entry, self.reader)).transpose()?.flatten();
            Ok(String::from_utf8_lossy(&text.unwrap_or_default()).into_owned())
        };
        let mut edited = Vec::new();
        for path in paths {
            if let Some((before, after)) = other(self.base.get(path), self.head.get(path)) {
                let text = |entry: Option<&Entry>, files| entry.map_or(Ok(String::new()), |_| text(files, path));
                edited.push((path, text(before, self.base)?, text(after, self.head)?));
            }
        }
        if edited.is_empty() {
            return Ok(Vec::new());
        }
        // Macros of both sides, which only the root can define: a line may use one that the change does not touch.
        let root = FilePath::new(".gitattributes");
        let roots = [text(self.base, &root)?, text(self.head, &root)?];
        let macros = telling_macros(&roots);
        let notice = |(path, old, new): &(&FilePath, String, String)| {
            let (old, new) = (telling_lines(old, &macros), telling_lines(new, &macros));
            let edits = [list("adds", new.difference(&old)), list("removes", old.difference(&new))];
            let edits: Vec<String> = edits.into_iter().flatten().collect();
            let message = format!("the change edits attributes: {}", edits.join("; "));
            (!edits.is_empty()).then(|| Notice::new(Some((*path).clone()), None, &message))
        };
        Ok(edited.iter().filter_map(notice).collect())
    }
}

/// Both entries, when their content differs.
fn other<'e>(before: Option<&'e Entry>, after: Option<&'e Entry>) -> Option<(Option<&'e Entry>, Option<&'e Entry>)> {
    let content = |entry: Option<&'e Entry>| entry.map(|entry| &entry.content);
    (content(before) != content(after)).then_some((before, after))
}

fn list<'l>(verb: &str, lines: impl Iterator<Item = &'l &'l str>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| format!("`{line}`")).collect();
    let n_more = lines.len().saturating_sub(MAX_LISTED);
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    (!lines.is_empty()).then(|| format!("{verb} {}{more}", lines[..lines.len() - n_more].join(", ")))
}

/// The macros (`[attr]NAME ...`) that say something of languages, of generated or of vendored files, by way of others,
/// too.
fn telling_macros<'t>(texts: &'t [String]) -> BTreeSet<&'t str> {
    let definition = |line: &'t str| {
        let mut words = line.trim().strip_prefix("[attr]")?.split_whitespace();
        Some((words.next()?, words.collect::<Vec<_>>()))
    };
    let definitions: Vec<_> = texts.iter().flat_map(|text| text.lines()).filter_map(definition).collect();
    let mut telling = BTreeSet::new();
    loop {
        let n_before = telling.len();
        for (name, words) in &definitions {
            if words.iter().any(|word| is_telling(word, &telling)) {
                telling.insert(*name);
            }
        }
        if telling.len() == n_before {
            return telling;
        }
    }
}

/// Whether an assignment is of an attribute that counts: `linguist-generated`, `-NAME`, `!NAME`, `NAME=value`.
fn is_telling(word: &str, macros: &BTreeSet<&str>) -> bool {
    let name = word.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
    name.starts_with("linguist-") || macros.contains(name)
}

/// The lines that say something of languages, of generated and of vendored files.
fn telling_lines<'t>(text: &'t str, macros: &BTreeSet<&str>) -> BTreeSet<&'t str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter(|line| line.split_whitespace().skip(1).any(|word| is_telling(word, macros))).collect()
}
