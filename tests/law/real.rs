//! Holds `check` to the law on commits of a real repository, by the same brute force.
//!
//! `LAW_REPOSITORY=DIR LAW_COMMITS=ID,ID cargo test --test law -- --ignored real_commits` tells
//! what each commit breaks. Not every line of it is a fault: brute force knows no move and no
//! rename, does not compare literals, and asks for rows of a tandem repeat, which `check` leaves
//! out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use secondhand::language::{Languages, Token};
use secondhand::matching::{Document, novelty};
use secondhand::text::FilePath;

use super::oracle::{self, Said, Text};
use super::{MIN_TOKENS, setting};
use support::{Report, git, git_command, secondhand};

/// Maximum bytes of a file, and files of a change: what is larger takes brute force too long.
const MAX_SIZE: usize = 400_000;
const MAX_CHANGED: usize = 60;

/// The files of `rev`: for each path the id of its content.
fn files(root: &Path, rev: &str) -> BTreeMap<String, String> {
    let listed = git(root, &["ls-tree", "-r", "--full-tree", rev]);
    let row = |line: &str| {
        let (meta, path) = line.split_once('\t')?;
        let mut of = meta.split(' ');
        (of.nth(1) == Some("blob"))
            .then(|| Some((path.to_owned(), of.next()?.to_owned())))
            .flatten()
    };
    listed.lines().filter_map(row).collect()
}

/// The family of a language, a text and its tokens.
type Read = (String, String, Vec<Token>);

/// Reads source of a known language.
struct Sources<'s> {
    root: &'s Path,
    languages: &'static Languages,
    known: BTreeMap<String, Option<Read>>,
}

impl Sources<'_> {
    fn read(&mut self, path: &str, blob: &str) -> Option<Read> {
        let Self { root, languages, known } = self;
        let read = || {
            let output =
                git_command(root, &["cat-file", "blob", blob]).output().expect("git is installed");
            let text =
                String::from_utf8(output.stdout).ok().filter(|text| text.len() <= MAX_SIZE)?;
            let language = languages.identify(&FilePath::new(path.as_bytes()), text.as_bytes())?;
            if language.is_data || text.lines().any(|line| line.len() > 2_000) {
                return None;
            }
            let mut tokens = Vec::new();
            languages.tokenize(language, text.as_bytes(), false, &mut tokens);
            Some((language.family.clone(), text, tokens))
        };
        known.entry(blob.to_owned()).or_insert_with(read).clone()
    }
}

#[test]
#[ignore = "needs a repository and its commits: LAW_REPOSITORY and LAW_COMMITS"]
fn real_commits_break_no_law() {
    let root = std::env::var("LAW_REPOSITORY").expect("LAW_REPOSITORY is a folder");
    let commits = std::env::var("LAW_COMMITS").expect("LAW_COMMITS are ids");
    let root = Path::new(&root);
    let mut sources = Sources { root, languages: Languages::builtin(), known: BTreeMap::new() };
    let broken: Vec<String> = commits
        .split(',')
        .map(|commit| (commit, faults(root, commit, &mut sources)))
        .filter(|(_, faults)| !faults.is_empty())
        .map(|(commit, faults)| format!("{commit} breaks the law:\n{faults}"))
        .collect();
    assert!(broken.is_empty(), "{} commits break the law:\n{}", broken.len(), broken.concat());
}

fn faults(root: &Path, commit: &str, sources: &mut Sources<'_>) -> String {
    let min_tokens = setting("LAW_MIN_TOKENS").map_or(MIN_TOKENS, |n| n as usize);
    let before = format!("{commit}~1");
    let (base, head) = (files(root, &before), files(root, commit));
    let changed: Vec<&String> =
        head.iter().filter(|(path, blob)| base.get(*path) != Some(blob)).map(|of| of.0).collect();
    if changed.len() > MAX_CHANGED {
        return format!("  not examined: {} files\n", changed.len());
    }
    let mut families: BTreeSet<String> = BTreeSet::new();
    let mut novel_of: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for &path in &changed {
        let Some((family, text, tokens)) = sources.read(path, &head[path]) else { continue };
        let was = base.get(path).and_then(|blob| sources.read(path, blob));
        let (old_text, old) = was.map(|(_, text, tokens)| (text, tokens)).unwrap_or_default();
        let before = Document::new(old_text.as_bytes(), &old);
        let novel = novelty(before, Document::new(text.as_bytes(), &tokens));
        novel_of.insert(path, novel.novel);
        families.insert(family);
    }
    let mut texts = Vec::new();
    let mut novel: Vec<(String, usize, usize)> = Vec::new();
    for (path, blob) in &head {
        let Some((family, text, tokens)) = sources.read(path, blob) else { continue };
        if !families.contains(&family) {
            continue;
        }
        let text = Text::of(path, &text, tokens);
        if let Some(is_novel) = novel_of.get(path.as_str()) {
            novel.extend(
                text.lines_of(is_novel)
                    .into_iter()
                    .map(|(first, last)| (path.clone(), first, last)),
            );
        }
        texts.push(text);
    }
    let asked = oracle::asked(&texts, &novel, min_tokens, |_, _| true);
    let args = [
        "check", "--format", "json", "--isolated", "--no-cache", "--base", &before, "--head",
        commit,
    ];
    let report = Report::new(&mut secondhand(root, &args));
    oracle::faults(&texts, &asked, &report, Said::Origins)
}
