//! Words for what copies lack: missed commits, and the versions of folders.

use std::collections::BTreeMap;
use std::ops::Range;

use super::words::{self, MAX_NAMED, count, day, first};
use crate::audit::{EditedFile, FolderVersion};
use crate::policy::{Behind, MissedCommit};
use crate::text::{FilePath, printable};

/// `5c44459c3b 2018-04-19 Fix a bug (CVE-2018-25032): lines 12, 20-24 of 3 places in deflate.c`.
pub(super) fn commit_line(missed: &MissedCommit) -> String {
    let MissedCommit { commit, origin, places, n_hunks } = missed;
    let on = day(commit.time).map(|day| format!(" {day}")).unwrap_or_default();
    let ids = match &commit.further_ids()[..] {
        [] => String::new(),
        ids => format!(" ({})", ids.join(", ")),
    };
    let at = first(places, MAX_NAMED, |place| place.fragment.lines());
    let noun =
        if places.len() == 1 && places[0].fragment.n_lines() == 1 { "line" } else { "lines" };
    let (short, subject, at) = (commit.short(), &commit.subject, at.join(", "));
    let mut line = format!("{short}{on} {subject}{ids}: {noun} {at}");
    if *n_hunks > places.len() {
        line += &format!("; {} of {n_hunks} changes", places.len());
    }
    printable(format!("{line}, in {origin}"))
}

/// The commits that a copy lacks, a line each; those beyond `max` are counted.
pub(super) fn commit_lines(behind: &Behind, max: usize) -> Vec<String> {
    // What says that it fixes a security fault comes first.
    let mut commits: Vec<&MissedCommit> = behind.commits.iter().collect();
    commits.sort_by_key(|missed| !missed.commit.is_security);
    words::listed(&commits, max, ", which `secondhand stale` lists", |of| commit_line(of))
}

fn folder_name(folder: &FilePath) -> String {
    let name = folder.to_string();
    let name = name.trim_end_matches('/');
    if name.is_empty() { "the root".to_owned() } else { format!("{name}/") }
}

/// What a folder is a copy of, and how it differs, a line each.
pub(super) fn version_lines(of: &FolderVersion, is_verbose: bool) -> Vec<String> {
    let is_part = !of.origin.as_bytes().is_empty() && of.n_files != 1;
    let from = if is_part { format!(", its {}", folder_name(&of.origin)) } else { String::new() };
    let mut lines = vec![format!("  {} {}{from}: {}", copied(of), identity(of), evidence(of))];
    if let (Some(_), Some((commit, n))) = (&of.tags, &of.commit) {
        let on = day(commit.time).map(|day| format!(" of {day}")).unwrap_or_default();
        let (short, n) = (commit.short(), count(*n, "line"));
        lines.push(format!("    nearest commit: {short}{on}, {n} differ"));
    }
    if let Some((first, last)) = &of.nearest_tag {
        let tag = if first == last { first.clone() } else { format!("{first} to {last}") };
        lines.push(format!("    a state between releases; nearest tag: {tag}"));
    }
    let max = if is_verbose { usize::MAX } else { MAX_NAMED };
    let mut others: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, version) in &of.of_others {
        others.entry(version).or_default().push(path.to_string());
    }
    for (version, names) in others {
        lines.extend(listed(&format!("mixed in, of {version}"), &names, max, String::clone));
    }
    lines.extend(listed("edited", &of.edited, max, edited_file));
    lines.extend(listed("added", &of.added, max, FilePath::to_string));
    lines.extend(listed("missing", &of.missing, max, FilePath::to_string));
    if of.n_missing_elsewhere > 0 {
        let n = count(of.n_missing_elsewhere, "file");
        lines.push(format!("    not copied: {n} in other folders"));
    }
    lines.into_iter().map(printable).collect()
}

/// What was copied: a folder, a file, or some files of a folder.
fn copied(of: &FolderVersion) -> String {
    match &of.files[..] {
        [] => folder_name(&of.folder),
        [file] => file.to_string(),
        files => {
            let names = files.iter().take(MAX_NAMED).map(|path| path.name_lossy());
            let names = Vec::from_iter(names);
            let more = if files.len() > names.len() { ", ..." } else { "" };
            let (n, folder) = (count(files.len(), "file"), folder_name(&of.folder));
            format!("{n} in {folder} ({}{more})", names.join(", "))
        }
    }
}

/// `is zlib v1.2.8 (pkg:generic/zlib@1.2.8)`, or `is nearest to zlib v1.2.8` where most files
/// differ from it.
fn identity(of: &FolderVersion) -> String {
    let verb = match (of.files.len(), of.is_exact()) {
        (0 | 1, true) => "is",
        (0 | 1, false) => "is nearest to",
        (_, true) => "are",
        (_, false) => "are nearest to",
    };
    let version = of.nearest().map(|version| format!(" {version}")).unwrap_or_default();
    let purl = of.purl().map(|purl| format!(" ({purl})")).unwrap_or_default();
    format!("{verb} {}{version}{purl}", of.component.name)
}

/// `8 of 12 files identical, 1 in all but comments and layout; +12 -3 lines in the others`, or that
/// it differs in most.
pub(super) fn evidence(of: &FolderVersion) -> String {
    let (n_identical, n_equal) = (of.identical.len(), of.equal.len());
    let files = count(of.n_files, "file");
    let mut parts = vec![match of.is_exact() {
        true => format!("{n_identical} of {files} identical"),
        false => format!("differs in {} of {files}", of.n_files - n_identical - n_equal),
    }];
    if !of.of_others.is_empty() {
        parts.push(format!("{} of other versions", of.of_others.len()));
    }
    if n_equal > 0 {
        parts.push(format!("{n_equal} but for comments and layout"));
    }
    if !of.edited.is_empty() {
        let (added, removed) = of.n_edited_lines();
        let noun = if of.is_exact() { "other" } else { "edited file" };
        parts.push(format!("+{added} -{removed} lines in {}", count(of.edited.len(), noun)));
    }
    parts.join(", ")
}

fn edited_file(file: &EditedFile) -> String {
    let (added, removed) = file.n_lines();
    format!("{} +{added} -{removed}", file.path)
}

fn listed<T>(word: &str, all: &[T], max: usize, told: impl Fn(&T) -> String) -> Option<String> {
    let listed = first(all, max, told);
    (!all.is_empty()).then(|| format!("    {word}: {}", listed.join(", ")))
}

/// The edits of a file as a diff, from the version to the copy. Lines of the version are only known
/// where its repository is available; otherwise they are counted.
pub(super) fn edits(file: &EditedFile) -> Vec<String> {
    let mut diff = vec![format!("--- {}", file.origin), format!("+++ {}", file.path)];
    for edit in &file.edits {
        diff.push(format!("@@ -{} +{} @@", range(&edit.removed), range(&edit.added)));
        match &edit.removed_text {
            Some(lines) => diff.extend(lines.iter().map(|line| diff_line("-", line))),
            None if edit.removed.is_empty() => {}
            None => diff.push(format!("-({})", count(edit.removed.len(), "line"))),
        }
        diff.extend(edit.added_text.iter().map(|line| diff_line("+", line)));
    }
    diff
}

/// Lines as the head of a hunk names them.
fn range(lines: &Range<u32>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start.saturating_sub(1)),
        1 => lines.start.to_string(),
        n => format!("{},{n}", lines.start),
    }
}

fn diff_line(sign: &str, line: &[u8]) -> String {
    format!("{sign}{}", printable(line.strip_suffix(b"\r").unwrap_or(line)))
}
