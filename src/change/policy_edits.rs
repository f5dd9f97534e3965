//! Lists what a change edits in settings, baseline, decisions and attributes, so that it cannot
//! weaken its own check unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use super::state::{
    baseline_in, folder_entries, folder_settings_in, moved_submodule, raw_of, settings_entry,
    settings_in,
};
use crate::config::{NAMES, Reach, option_names};
use crate::files::Entry;
use crate::git::{Attributes, Reader, Snapshot};
use crate::policy::Notice;
use crate::text::{FilePath, count, joined};

/// Maximum edits of one kind to write out.
const MAX_LISTED: usize = 20;

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
    fn edited(&self, path: &FilePath) -> Option<[Option<&'e Entry>; 2]> {
        other(self.sides().map(|files| self.reader.file_at(files, path).ok().flatten()))
    }

    fn sides(&self) -> [&'e Snapshot; 2] {
        [self.base, self.head]
    }

    /// The notice if the change makes a file a link to nowhere; `what` it breaks.
    fn broken(&self, path: &FilePath, what: &str) -> Option<Notice> {
        let why = self.reader.file_at(self.head, path).err()?;
        let was_broken = self.reader.file_at(self.base, path).is_err();
        let is_by_change = !was_broken || self.base.link(path) != self.head.link(path);
        is_by_change.then(|| broken(path.clone(), what, &why))
    }

    /// The submodules that the change moves, and that have what judges it.
    fn submodules(&self) -> Vec<Notice> {
        let named = [&self.settings, &self.baseline, &self.decisions].into_iter().flatten();
        Vec::from_iter(named.filter_map(|path| {
            let submodule = moved_submodule(self.base, self.head, path)?;
            let message = format!("the change moves a submodule, and with it `{path}`");
            Some(Notice::new(Some(submodule.clone()), None, &message))
        }))
    }

    fn settings(&self) -> Option<Notice> {
        let what = "the settings, and with them";
        let paths: Vec<FilePath> = match &self.settings {
            Some(path) => vec![path.clone()],
            None => NAMES.iter().map(|name| FilePath::new(*name)).collect(),
        };
        if let Some(notice) = paths.iter().find_map(|path| self.broken(path, what)) {
            return Some(notice);
        }
        let [before, after] = match &self.settings {
            Some(path) => self.edited(path)?,
            None => {
                other(self.sides().map(|files| settings_entry(self.reader, files).ok().flatten()))?
            }
        };
        if let Some(entry) = after
            && let Err(why) = settings_in(self.reader, entry)
        {
            return Some(broken(entry.path.clone(), what, &why));
        }
        let raws = [before, after].map(|entry| {
            let read = entry.and_then(|entry| settings_in(self.reader, entry).ok());
            read.unwrap_or_default().raw
        });
        let edits = option_names().into_iter().filter_map(|name| {
            let values = raws.each_ref().map(|raw| raw.get(&name));
            edit(&name, &values, "a value that cannot be shown")
        });
        let mut edited: Vec<String> = edits.collect();
        let [old, new] = raws;
        if old.language != new.language {
            edited.push("its languages".to_owned());
        }
        if edited.is_empty() && old != new {
            edited.push("more than can be listed".to_owned());
        }
        edits_notice("settings", &after.or(before)?.path, &edited)
    }

    fn folders(&self) -> Vec<Notice> {
        // A folder counts that either side reaches.
        let reaches = self.sides().map(|files| Reach::new(&raw_of(self.reader, files)));
        let [before, after] = self.sides().map(|files| {
            let reaches = reaches.iter();
            let found = reaches.flat_map(|of| folder_entries(self.reader, files, of));
            found.collect::<BTreeMap<_, _>>()
        });
        let folders: BTreeSet<&FilePath> = before.keys().chain(after.keys()).collect();
        Vec::from_iter(folders.into_iter().filter_map(|folder| {
            if let Some((path, Err(_))) = after.get(folder) {
                return self.broken(path, OF_FOLDER);
            }
            let entries = [&before, &after].map(|side| side.get(folder)?.1.as_ref().ok().copied());
            self.folder(folder, other(entries)?)
        }))
    }

    fn folder(&self, folder: &FilePath, entries: [Option<&Entry>; 2]) -> Option<Notice> {
        let [before, after] = entries;
        let path = &after.or(before)?.path;
        let [old, new] = entries.map(|entry| {
            let read = entry.map(|entry| folder_settings_in(self.reader, folder.clone(), entry));
            read.transpose().map(|read| read.map(|of| of.values()).unwrap_or_default())
        });
        let sides = match new {
            Ok(new) => [old.unwrap_or_default(), new],
            Err(why) => return Some(broken(path.clone(), OF_FOLDER, &why)),
        };
        let keys: BTreeSet<&String> = sides.iter().flat_map(|values| values.keys()).collect();
        let edits = keys.into_iter().filter_map(|key| {
            edit(key, &sides.each_ref().map(|values| values.get(key).cloned()), "nothing")
        });
        edits_notice("settings of its folder", path, &edits.collect::<Vec<_>>())
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
        let [old, new] = self.edited(&path)?.map(|entry| {
            entry.and_then(|entry| baseline_in(self.reader, entry).ok()).unwrap_or_default()
        });
        let n_added = new.n_beyond(&old);
        let message = format!("the change adds {} to the baseline", count(n_added, "copy"));
        (n_added > 0).then(|| Notice::new(Some(path), None, &message))
    }

    /// What it edits of languages, of generated and of vendored files in `.gitattributes`.
    fn attributes(&self) -> Result<Vec<Notice>, Error> {
        let mut edited = Vec::new();
        for (before, after) in self.head.differences(self.base) {
            let Some(Entry { path, .. }) = after.or(before) else { continue };
            if path.name() == b".gitattributes" {
                edited.push((path, self.text(before)?, self.text(after)?));
            }
        }
        if edited.is_empty() {
            return Ok(Vec::new());
        }
        // Macros of both sides, which only the root can define: a line may use one that the change
        // does not touch.
        let root = FilePath::new(".gitattributes");
        let roots = [self.text(self.base.get(&root))?, self.text(self.head.get(&root))?];
        let macros = telling_macros(&roots);
        let notices = edited.iter().filter_map(|(path, old, new)| {
            let (old, new) = (telling_lines(old, &macros), telling_lines(new, &macros));
            let edits = [list("adds", &beyond(&new, &old)), list("removes", &beyond(&old, &new))];
            let mut edits: Vec<String> = edits.into_iter().flatten().collect();
            // The last line that matches a file counts, so their order does.
            if edits.is_empty() && old != new {
                edits.push("puts lines in another order".to_owned());
            }
            edits_notice("attributes", path, &edits)
        });
        Ok(notices.collect())
    }

    fn text(&self, entry: Option<&Entry>) -> Result<Vec<u8>, Error> {
        let text = entry.map(|entry| Attributes::text(entry, self.reader)).transpose()?;
        Ok(text.flatten().unwrap_or_default())
    }
}

const OF_FOLDER: &str = "these settings, and with them";

fn edits_notice(what: &str, path: &FilePath, edits: &[String]) -> Option<Notice> {
    let message = format!("the change edits {what}: {}", edits.join("; "));
    (!edits.is_empty()).then(|| Notice::new(Some(path.clone()), None, &message))
}

/// How a value differs, if it does; `unset` is shown where there is none.
fn edit(name: &str, values: &[Option<String>; 2], unset: &str) -> Option<String> {
    let [old, new] = values.each_ref().map(|value| value.as_deref().unwrap_or(unset));
    (values[0] != values[1]).then(|| format!("{name} from {old} to {new}"))
}

/// The notice about a file that the change breaks. With the settings of the base this is no error,
/// or any change could end its own audit. After the merge it is one.
fn broken(path: FilePath, what: &str, why: &dyn std::fmt::Display) -> Notice {
    let message = format!("the change breaks {what} every run once it lands: {why}");
    Notice::new(Some(path), None, &message)
}

/// Both entries, when their content differs.
fn other(entries: [Option<&Entry>; 2]) -> Option<[Option<&Entry>; 2]> {
    let [old, new] = entries.map(|entry| entry.map(|entry| &entry.content));
    (old != new).then_some(entries)
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
    let listed = joined(lines, MAX_LISTED, |line| format!("`{}`", String::from_utf8_lossy(line)));
    (!lines.is_empty()).then(|| format!("{verb} {listed}"))
}

/// The macros (`[attr]NAME ...`) that say something of languages, of generated or of vendored
/// files, by way of others, too.
fn telling_macros(texts: &[Vec<u8>]) -> BTreeSet<&[u8]> {
    let lines = texts.iter().flat_map(|text| lines_of(text));
    let definitions = Vec::from_iter(lines.filter_map(|line| {
        let mut words = words(line);
        Some((words.next()?.strip_prefix(b"[attr]")?, words.collect::<Vec<_>>()))
    }));
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
