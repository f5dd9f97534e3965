//! Reads a list of fixes: which commits fixed which vulnerabilities, and what they changed.
//!
//! The list is a JSON file with OSV records, a folder of such files, or a text with a commit on
//! each line. The commits are read from local clones, which are found by the hash of a commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::past::past_commit;
use super::{DeclaredComponent, Error, Folder, Note, Request, Sink, SourceKind};
use crate::files::{self, BlobId};
use crate::git::{CommitId, Event, Reader, Repository};
use crate::policy::PastCommit;
use crate::text::{FilePath, MAX_MADE, name_at_end};

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "fixes",
    help: "with `--fixes`, a list of commits that fixed vulnerabilities",
    takes: is_fixes,
    read,
};

/// What the name of such a source begins with.
const PREFIX: &str = "fixes:";
/// Minimum digits of the hash of a commit.
const MIN_HASH: usize = 7;

/// A file that a commit changed to fix a vulnerability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedFile {
    /// The component.
    pub component: Arc<DeclaredComponent>,
    /// The commit, with the ids of the vulnerabilities.
    pub commit: PastCommit,
    /// The file.
    pub path: FilePath,
    /// What it was.
    pub before: Vec<u8>,
    /// What it became.
    pub after: Vec<u8>,
}

/// The name of a source: a list of fixes, and the clones to read them from.
pub fn fixes_source(list: &str, clones: &[String]) -> String {
    [&[format!("{PREFIX}{list}")][..], clones].concat().join("\n")
}

/// Whether this names a list of fixes.
pub fn is_fixes(spec: &str) -> bool {
    spec.starts_with(PREFIX)
}

/// The list in the name of a source, and the clones.
pub(super) fn list_of(spec: &str) -> Option<(&str, Vec<&str>)> {
    let mut lines = spec.strip_prefix(PREFIX)?.split('\n');
    Some((lines.next()?, lines.collect()))
}

/// A record of an OSV database, as far as it is needed.
#[derive(Debug, Deserialize)]
struct OsvRecord {
    id: String,
    #[serde(default, deserialize_with = "or_empty")]
    aliases: Vec<String>,
    withdrawn: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    affected: Vec<OsvAffected>,
}

#[derive(Debug, Deserialize)]
struct OsvAffected {
    package: Option<OsvPackage>,
    #[serde(default, deserialize_with = "or_empty")]
    ranges: Vec<OsvRange>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct OsvPackage {
    name: Option<String>,
    purl: Option<String>,
}

#[derive(Debug, Deserialize)]
struct OsvRange {
    #[serde(rename = "type")]
    kind: String,
    repo: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    events: Vec<OsvEvent>,
}

/// An event of a range: `introduced` and `last_affected` are no fixes.
#[derive(Debug, Deserialize)]
struct OsvEvent {
    fixed: Option<String>,
}

/// What the interface of osv.dev answers to a query.
#[derive(Debug, Deserialize)]
struct OsvAnswer {
    vulns: Vec<OsvRecord>,
}

/// A list that may be `null`, as some programs write an empty one.
fn or_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

#[derive(Debug)]
struct ListedFix {
    /// The repository as it is listed: an address, or a path.
    repository: String,
    commit: String,
    component: DeclaredComponent,
    ids: BTreeSet<String>,
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let source = list_of(request.spec);
    let (list, clones) = source.ok_or_else(|| Error::Unknown(request.spec.to_owned()))?;
    let path = Path::new(list);
    let listed = read_list(path, sink)?;
    if listed.is_empty() {
        let why =
            "it lists no commit: OSV records need a range of the type GIT with a `fixed` commit";
        return Err(Error::invalid(path, why));
    }
    let mut known = Clones::default();
    for clone in clones {
        known.add(Path::new(clone), Repository::discover_another(Path::new(clone))?);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    // A commit that fixes several vulnerabilities is listed several times.
    let mut fixes: BTreeMap<(usize, CommitId), ListedFix> = BTreeMap::new();
    for listed in listed {
        known.look_at(&folder.join(&listed.repository));
        let Some(found) = known.find(&listed) else {
            let what = format!("{} of {}", listed.commit, listed.repository);
            sink.note(Note { what, why: "none of the clones has this commit" });
            continue;
        };
        fixes
            .entry(found)
            .and_modify(|known| known.ids.extend(listed.ids.iter().cloned()))
            .or_insert(listed);
    }
    for ((clone, commit), listed) in fixes {
        // What is declared about all wins over what a list says.
        let component = request.component.clone().or(listed.component);
        read_fix(&known.all[clone].reader(), commit, &Arc::new(component), &listed.ids, sink)?;
    }
    Ok(())
}

#[derive(Default)]
struct Clones {
    all: Vec<Repository>,
    paths: BTreeSet<PathBuf>,
}

impl Clones {
    fn add(&mut self, path: &Path, repository: Repository) {
        self.paths.insert(path.to_owned());
        self.all.push(repository);
    }

    /// Adds the repository at `path`, if there is one.
    fn look_at(&mut self, path: &Path) {
        if !self.paths.contains(path)
            && path.is_dir()
            && super::repository::is_repository(path)
            && let Ok(repository) = Repository::discover_another(path)
        {
            self.add(path, repository);
        }
    }

    /// The clone that has a commit, and its whole hash.
    fn find(&self, listed: &ListedFix) -> Option<(usize, CommitId)> {
        let hash = Some(&listed.commit).filter(|commit| is_hash(commit))?;
        let mut clones = self.all.iter().enumerate();
        clones.find_map(|(at, clone)| Some((at, clone.reader().commit(hash).ok()?)))
    }
}

/// Passes on the files that a commit changed. One without a parent fixed nothing; of a merge all
/// that it brought in counts, as it is what the list names.
fn read_fix(
    reader: &Reader,
    commit: CommitId,
    component: &Arc<DeclaredComponent>,
    ids: &BTreeSet<String>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let info = reader.info(commit)?;
    let Some(parent) = reader.first_parent(commit).ok().flatten() else {
        let why = "the commit has no parent here: it shows no fix";
        sink.note(Note { what: commit.to_string(), why });
        return Ok(());
    };
    let mut past = past_commit(commit.to_string(), &info);
    past.ids.extend(ids.iter().cloned());
    past.ids.sort_unstable();
    past.ids.dedup();
    past.is_security = true;
    for Event { path, before, after } in reader.events_between(&[parent], commit)? {
        if let (Some(before), Some(after)) = (before, after)
            && sink.wants(&path, 0)
            && let (Some(before), Some(after)) =
                (short_blob(before, &path, reader)?, short_blob(after, &path, reader)?)
        {
            let (component, commit) = (Arc::clone(component), past.clone());
            sink.fixed(FixedFile { component, commit, path, before, after })?;
        }
    }
    Ok(())
}

/// The bytes of a file of a commit, unless it is too large.
fn short_blob(blob: BlobId, path: &FilePath, reader: &Reader) -> Result<Option<Vec<u8>>, Error> {
    let is_short = reader.blob_size(blob).is_some_and(|size| size <= MAX_MADE);
    Ok(if is_short { reader.past_blob(blob, path)? } else { None })
}

/// The commits in a file or in a folder, where a file that is no list is noted and passed over.
fn read_list(path: &Path, sink: &mut dyn Sink) -> Result<Vec<ListedFix>, Error> {
    if !path.is_dir() {
        return parse_file(path);
    }
    let mut listed = Vec::new();
    for file in Folder::new(path).json_files()? {
        match parse_file(&file) {
            Ok(of_file) => listed.extend(of_file),
            Err(Error::Invalid { .. }) => {
                let what = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().into_owned();
                sink.note(Note { what, why: "it is not an OSV record" });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(listed)
}

fn parse_file(path: &Path) -> Result<Vec<ListedFix>, Error> {
    let size = path.metadata().map_err(|why| Error::file(path, why))?.len();
    if size > MAX_MADE {
        return Err(Error::invalid(path, "it is too large"));
    }
    let bytes = files::read(path, MAX_MADE).map_err(|why| Error::file(path, why))?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned());
    text.and_then(|text| parse(&text)).map_err(|why| Error::invalid(path, why))
}

/// The commits in a text: OSV records if it begins like JSON, otherwise lines.
fn parse(text: &str) -> Result<Vec<ListedFix>, String> {
    let records = match text.trim_start().as_bytes().first() {
        Some(b'[') => serde_json::from_str(text),
        Some(b'{') => serde_json::from_str::<OsvAnswer>(text)
            .map(|answer| answer.vulns)
            .or_else(|_| serde_json::from_str(text).map(|record| vec![record])),
        _ => {
            let lines = text.lines().zip(1..);
            return lines.filter_map(|(line, number)| parse_line(number, line)).collect();
        }
    };
    let records: Vec<OsvRecord> =
        records.map_err(|error| format!("it is not an OSV record: {error}"))?;
    let valid = records.into_iter().filter(|record| record.withdrawn.is_none());
    Ok(valid.flat_map(listed_in).collect())
}

fn listed_in(record: OsvRecord) -> Vec<ListedFix> {
    let ids: BTreeSet<String> = [record.id].into_iter().chain(record.aliases).collect();
    let mut listed = Vec::new();
    for affected in record.affected {
        for range in affected.ranges.iter().filter(|range| range.kind == "GIT") {
            let repository = range.repo.clone().unwrap_or_default();
            let OsvPackage { name, purl } = affected.package.clone().unwrap_or_default();
            let named = name.filter(|name| !name.is_empty());
            let component = DeclaredComponent {
                name: named.unwrap_or_else(|| name_at_end(&repository).to_owned()),
                purl,
                url: (!repository.is_empty()).then(|| repository.clone()),
                ..DeclaredComponent::default()
            };
            let fixed = range.events.iter().filter_map(|event| event.fixed.as_ref());
            listed.extend(fixed.map(|commit| ListedFix {
                repository: repository.clone(),
                commit: commit.clone(),
                component: component.clone(),
                ids: ids.clone(),
            }));
        }
    }
    listed
}

/// Whether this may be the hash of a commit, or its first digits.
fn is_hash(text: &str) -> bool {
    text.len() >= MIN_HASH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A line `REPOSITORY COMMIT [ID]...`; nothing for an empty one and for a comment.
fn parse_line(number: usize, line: &str) -> Option<Result<ListedFix, String>> {
    let line = line.split('#').next().unwrap_or_default();
    let words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let mut words = words.map(|word| word.trim_end_matches('\r').to_owned());
    let repository = words.next()?;
    let Some(commit) = words.next() else {
        return Some(Err(format!("line {number}: expected `REPOSITORY COMMIT [ID]...`")));
    };
    if !is_hash(&commit) {
        return Some(Err(format!("line {number}: `{commit}` is not the hash of a commit")));
    }
    let component = DeclaredComponent {
        name: name_at_end(&repository).to_owned(),
        url: repository.contains("://").then(|| repository.clone()),
        ..DeclaredComponent::default()
    };
    let ids = words.filter(|id| !id.is_empty()).collect();
    Some(Ok(ListedFix { repository, commit, component, ids }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let told: Vec<String> = parse(text)
            .expect("it is a list")
            .into_iter()
            .map(|of| [vec![of.component.name, of.commit], of.ids.into_iter().collect()].concat())
            .map(|words| words.join(" "))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn the_fixed_commits_of_git_ranges_are_read_from_osv_records() {
        let record = r#"{"id": "CVE-1", "aliases": ["GHSA-1"], "affected": [{"package": {"name": "zlib", "ecosystem": "x"},
            "ranges": [{"type": "GIT", "repo": "https://host/madler/zlib", "events": [{"introduced": "0"}, {"fixed": "abcdef1"}]},
                       {"type": "SEMVER", "events": [{"fixed": "1.2"}]}]}]}"#;
        check(record, &["zlib abcdef1 CVE-1 GHSA-1"]);
        check(&format!("[{record}]"), &["zlib abcdef1 CVE-1 GHSA-1"]);
        check(r#"{"id": "CVE-2", "withdrawn": "2024", "affected": []}"#, &[]);
        check(r#"{"id": "CVE-3"}"#, &[]);
    }

    #[test]
    fn each_fixed_commit_of_each_repository_counts_and_nothing_else_of_a_record() {
        // As the records converted from NVD are: no package, several repositories, a distribution's
        // package beside them.
        let converted = r#"{"schema_version": "1.6.0", "id": "CVE-4", "related": ["DSA-1"], "severity": [{"type": "CVSS_V3", "score": "x"}],
            "affected": [
                {"package": {"name": "magick", "ecosystem": "Debian:12", "purl": "pkg:deb/debian/magick"}, "versions": null,
                 "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "8:6.9.6.2+dfsg-2"}]}],
                 "ecosystem_specific": {"urgency": "low"}},
                {"ranges": [
                    {"type": "GIT", "repo": "https://host/magick/magick",
                     "events": [{"introduced": "0"}, {"fixed": "abcdef1"}, {"introduced": "abcdef2"}, {"fixed": "abcdef3"}],
                     "database_specific": {"versions": [{"introduced": "0"}, {"fixed": "7.0"}]}},
                    {"type": "GIT", "repo": "https://host/magick/magick6.git",
                     "events": [{"introduced": "0"}, {"last_affected": "abcdef4"}]},
                    {"type": "GIT", "repo": "https://host/magick/fork.git",
                     "events": [{"introduced": "0"}, {"limit": "abcdef5"}, {"fixed": "abcdef6"}]}],
                 "versions": ["7.0"], "database_specific": {"unresolved_ranges": [{"events": [{"fixed": "7.1"}]}]}}],
            "references": [{"type": "FIX", "url": "https://host/magick/magick/commit/abcdef7"}],
            "database_specific": {"last_affected": "8.4.0", "CWE": {"id": "CWE-311"}}}"#;
        let expected = ["magick abcdef1 CVE-4", "magick abcdef3 CVE-4", "fork abcdef6 CVE-4"];
        check(converted, &expected);
        check(&format!(r#"{{"vulns": [{converted}], "next_page_token": "x"}}"#), &expected);
        let withdrawn = converted
            .replace(r#""id": "CVE-4","#, r#""id": "CVE-4", "withdrawn": "2021-02-10T20:15:00Z","#);
        check(&withdrawn, &[]);
        check(&format!("[{withdrawn}, {converted}]"), &expected);
    }

    #[test]
    fn a_list_of_a_record_may_be_null() {
        check(r#"{"id": "CVE-5", "aliases": null, "withdrawn": null, "affected": null}"#, &[]);
        let ranges = r#""ranges": [{"type": "GIT", "repo": "r", "events": null}, {"type": "GIT", "events": [{"fixed": "abcdef1"}]}]"#;
        check(
            &format!(
                r#"{{"id": "CVE-6", "aliases": null, "affected": [{{"ranges": null}}, {{"package": {{"name": null}}, {ranges}}}]}}"#
            ),
            &[" abcdef1 CVE-6"],
        );
    }

    #[test]
    fn a_plain_list_has_a_commit_on_each_line() {
        check(
            "# fixes\nhttps://host/a/b.git abcdef1 CVE-1 GHSA-2\n\n../c\tabcdef2,CVE-3\r\n",
            &["b abcdef1 CVE-1 GHSA-2", "c abcdef2 CVE-3"],
        );
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_line() {
        for (text, expected) in [
            ("a\n", "line 1: expected"),
            ("a b\n", "`b` is not the hash"),
            ("{\"id\": 1}", "not an OSV record"),
            ("[{]", "not an OSV record"),
        ] {
            let why = parse(text).expect_err("it is no list");
            assert!(why.contains(expected), "{why}");
        }
    }
}
