//! Lists what a change edits in settings, baseline, decisions and attributes, so that it cannot
//! weaken its own check unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use super::state::{
    baseline_in, folder_settings_in, moved_submodule, readable_folder_entries, settings_entry,
    settings_in,
};
use crate::config::{NAMES, RawConfig, Reach, options};
use crate::files::Entry;
use crate::git::{self, Attributes, Reader, Snapshot};
use crate::policy::Notice;
use crate::text::{FilePath, count};

/// Maximum edits of one kind to write out.
const MAX_LISTED: usize = 20;

/// A change, and where the files are that judge it.
pub(super) struct PolicyEdits<'e> {
    pub reader: &'e Reader,
    pub base: &'e Snapshot,
    pub head: &'e Snapshot,
    /// The settings that a flag names, if it does.
    pub settings: Option<FilePath>,
    pub baseline: Option<FilePath>,
    pub decisions: Option<FilePath>,
}

impl<'e> PolicyEdits<'e> {
    /// What the change edits.
    pub fn notices(&self) -> Result<Vec<Notice>, Error> {
        let of_files = [self.settings(), self.decisions(), self.baseline()];
        let mut notices: Vec<Notice> = of_files.into_iter().flatten().collect();
        if self.settings.is_none() {
            notices.extend(self.folders());
        }
        notices.extend(self.submodules());
        notices.extend(self.attributes()?);
        Ok(notices)
    }

    /// The file at `path` before and after, when it is another one. What cannot be read counts as
    /// nothing here, and is told by [`PolicyEdits::broken`].
    fn edited(&self, path: &FilePath) -> Option<(Option<&Entry>, Option<&Entry>)> {
        let at = |files| self.reader.file_at(files, path).ok().flatten();
        other(at(self.base), at(self.head))
    }

    /// The notice about a file that the change makes a link to nowhere, if it does; `what` it
    /// breaks.
    fn broken(&self, path: &FilePath, what: &str) -> Option<Notice> {
        let why = self.reader.file_at(self.head, path).err()?;
        let was_broken = self.reader.file_at(self.base, path).is_err();
        let is_by_change = !was_broken || self.base.link(path) != self.head.link(path);
        is_by_change.then(|| broken(path.clone(), what, &why))
    }

    /// The submodules that the change moves, and that have what judges it.
    fn submodules(&self) -> Vec<Notice> {
        let named = [&self.settings, &self.baseline, &self.decisions].into_iter().flatten();
        let notice = |path: &FilePath| {
            let submodule = moved_submodule(self.base, self.head, path)?;
            let message = format!("the change moves a submodule, and with it `{path}`");
            Some(Notice::new(Some(submodule.clone()), None, &message))
        };
        named.filter_map(notice).collect()
    }

    fn settings(&self) -> Option<Notice> {
        let names = || NAMES.iter().map(|name| FilePath::new(name.as_bytes()));
        let paths: Vec<FilePath> =
            self.settings.clone().map_or_else(|| names().collect(), |path| vec![path]);
        if let Some(notice) =
            paths.iter().find_map(|path| self.broken(path, "the settings, and with them"))
        {
            return Some(notice);
        }
        let (before, after) = match &self.settings {
            Some(path) => self.edited(path)?,
            None => {
                let entry = |files| settings_entry(self.reader, files).ok().flatten();
                other(entry(self.base), entry(self.head))?
            }
        };
        if let Some(entry) = after
            && let Err(why) = settings_in(self.reader, entry)
        {
            return Some(broken(entry.path.clone(), "the settings, and with them", &why));
        }
        let raw = |entry: Option<&Entry>| -> RawConfig {
            let read = entry.and_then(|entry| settings_in(self.reader, entry).ok());
            read.map(|written| written.raw).unwrap_or_default()
        };
        let (old, new) = (raw(before), raw(after));
        let edit = |name: String| {
            let (old, new) = (old.get(&name), new.get(&name));
            let shown = |value: Option<String>| {
                value.unwrap_or_else(|| "a value that cannot be shown".to_owned())
            };
            (old != new).then(|| format!("{name} from {} to {}", shown(old), shown(new)))
        };
        let mut edited: Vec<String> =
            options().into_iter().filter_map(|option| edit(option.name)).collect();
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
        // A folder counts that either side reaches.
        let reach = |files| {
            let root = settings_entry(self.reader, files).ok().flatten();
            let root = root.and_then(|entry| settings_in(self.reader, entry).ok());
            Reach::new(&root.map(|written| written.raw).unwrap_or_default())
        };
        let reaches = [reach(self.base), reach(self.head)];
        let entries = |files| -> BTreeMap<_, _> {
            reaches
                .iter()
                .flat_map(|reach| readable_folder_entries(self.reader, files, reach))
                .collect()
        };
        let (before, after) = (entries(self.base), entries(self.head));
        let folders: BTreeSet<&FilePath> = before.keys().chain(after.keys()).collect();
        let notice = |folder: &FilePath| {
            if let Some((path, Err(_))) = after.get(folder) {
                return self.broken(path, "these settings, and with them");
            }
            let entry = |found: Option<&(FilePath, Result<&'e Entry, git::Error>)>| {
                found.and_then(|(_, entry)| entry.as_ref().ok().copied())
            };
            let (old, new) = other(entry(before.get(folder)), entry(after.get(folder)))?;
            let path = new.or(old).map(|entry| entry.path.clone());
            let read = |entry: &Entry| folder_settings_in(self.reader, folder.clone(), entry);
            let values = |entry: Option<&Entry>| {
                entry.map(|entry| read(entry).map(|of| of.values())).transpose()
            };
            let new = match values(new) {
                Ok(new) => new.unwrap_or_default(),
                Err(why) => {
                    return path.map(|path| broken(path, "these settings, and with them", &why));
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
        if let Some(notice) = self.broken(&path, "the decisions, and with them") {
            return Some(notice);
        }
        self.edited(&path)?;
        Some(Notice::new(Some(path), None, "the change edits the decisions on copies"))
    }

    fn baseline(&self) -> Option<Notice> {
        let path = self.baseline.clone()?;
        if let Some(notice) = self.broken(&path, "the baseline, and with it") {
            return Some(notice);
        }
        let (before, after) = self.edited(&path)?;
        let read =
            |entry: Option<&Entry>| entry.and_then(|entry| baseline_in(self.reader, entry).ok());
        let n_added = read(after).unwrap_or_default().n_beyond(&read(before).unwrap_or_default());
        let message = format!("the change adds {} to the baseline", count(n_added, "copy"));
        (n_added > 0).then(|| Notice::new(Some(path), None, &message))
    }

    /// What the change edits of what `.gitattributes` say of languages, of generated and of
    /// vendored files.
    fn attributes(&self) -> Result<Vec<Notice>, Error> {
        let text = |entry: Option<&Entry>| -> Result<Vec<u8>, Error> {
            let text = entry.map(|entry| Attributes::text(entry, self.reader)).transpose()?;
            Ok(text.flatten().unwrap_or_default())
        };
        let mut edited = Vec::new();
        for (before, after) in self.head.differences(self.base) {
            let Some(Entry { path, .. }) = after.or(before) else { continue };
            if path.name() == b".gitattributes" {
                edited.push((path, text(before)?, text(after)?));
            }
        }
        if edited.is_empty() {
            return Ok(Vec::new());
        }
        // Macros of both sides, which only the root can define: a line may use one that the change
        // does not touch.
        let root = FilePath::new(".gitattributes");
        let roots = [text(self.base.get(&root))?, text(self.head.get(&root))?];
        let macros = telling_macros(&roots);
        let notice = |(path, old, new): &(&FilePath, Vec<u8>, Vec<u8>)| {
            let (old, new) = (telling_lines(old, &macros), telling_lines(new, &macros));
            // The last line that matches a file counts, so their order does.
            let in_order =
                if old == new { None } else { Some("puts lines in another order".to_owned()) };
            let edits = [list("adds", &beyond(&new, &old)), list("removes", &beyond(&old, &new))];
            let edits: Vec<String> = edits.into_iter().flatten().collect();
            let edits = if edits.is_empty() { Vec::from_iter(in_order) } else { edits };
            let message = format!("the change edits attributes: {}", edits.join("; "));
            (!edits.is_empty()).then(|| Notice::new(Some((*path).clone()), None, &message))
        };
        Ok(edited.iter().filter_map(notice).collect())
    }
}

/// The notice about a file that the change breaks. With the settings of the base this is no error,
/// or any change could end its own audit. After the merge it is one.
fn broken(path: FilePath, what: &str, why: &dyn std::fmt::Display) -> Notice {
    let message = format!("the change breaks {what} every run once it lands: {why}");
    Notice::new(Some(path), None, &message)
}

/// Both entries, when their content differs.
fn other<'e>(
    before: Option<&'e Entry>,
    after: Option<&'e Entry>,
) -> Option<(Option<&'e Entry>, Option<&'e Entry>)> {
    let content = |entry: Option<&'e Entry>| entry.map(|entry| &entry.content);
    (content(before) != content(after)).then_some((before, after))
}

/// The lines that `lines` has and `others` has not, or not as often.
fn beyond<'l>(lines: &[&'l [u8]], others: &[&[u8]]) -> Vec<&'l [u8]> {
    let mut n_more: BTreeMap<&[u8], isize> = BTreeMap::new();
    lines.iter().for_each(|line| *n_more.entry(line).or_default() += 1);
    others.iter().for_each(|line| *n_more.entry(line).or_default() -= 1);
    let mut found = Vec::new();
    for &line in lines {
        let n = n_more.entry(line).or_default();
        if *n > 0 {
            *n -= 1;
            found.push(line);
        }
    }
    found
}

fn list(verb: &str, lines: &[&[u8]]) -> Option<String> {
    let lines: Vec<String> =
        lines.iter().map(|line| format!("`{}`", String::from_utf8_lossy(line))).collect();
    let n_more = lines.len().saturating_sub(MAX_LISTED);
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    (!lines.is_empty())
        .then(|| format!("{verb} {}{more}", lines[..lines.len() - n_more].join(", ")))
}

/// The macros (`[attr]NAME ...`) that say something of languages, of generated or of vendored
/// files, by way of others, too.
fn telling_macros(texts: &[Vec<u8>]) -> BTreeSet<&[u8]> {
    let definition = |line| {
        let mut words = words(line);
        Some((words.next()?.strip_prefix(b"[attr]")?, words.collect::<Vec<_>>()))
    };
    let definitions: Vec<_> =
        texts.iter().flat_map(|text| lines_of(text)).filter_map(definition).collect();
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

/// Whether an assignment is of an attribute that counts: `linguist-generated`, `-NAME`, `!NAME`,
/// `NAME=value`.
fn is_telling(word: &[u8], macros: &BTreeSet<&[u8]>) -> bool {
    let start = word.iter().position(|byte| !b"-!".contains(byte)).unwrap_or(word.len());
    let name = word[start..].split(|&byte| byte == b'=').next().unwrap_or_default();
    name.starts_with(b"linguist-") || macros.contains(name)
}

/// The lines that say something of languages, of generated and of vendored files, in order.
fn telling_lines<'t>(text: &'t [u8], macros: &BTreeSet<&[u8]>) -> Vec<&'t [u8]> {
    let lines = lines_of(text).filter(|line| !line.starts_with(b"#"));
    lines.filter(|line| words(line).skip(1).any(|word| is_telling(word, macros))).collect()
}

fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
