//! Builds the pull requests that copy nothing, and the harmless part of those that do.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::builder::{Builder, Picked, SourceSegments, Spot};
use super::draft::{Mark, new_lines};
use crate::edit::{self, edit_lines, new_names, renamed, shift};
use crate::fragment::{Form, Fragment, statements};
use crate::scan::{Class, Scan};
use crate::tree::{File, is_import};
use support::Random;

/// What a function has at least that is moved, or was copied long ago.
const SUBSTANTIAL: usize = 50;

/// Functions cut from one file and pasted into another.
pub fn moved(builder: &mut Builder<'_>) -> Option<()> {
    let (file, functions) = movable(builder)?;
    let spot = builder.spot(builder.tree.files[file].scan.language, Form::Function, &[file])?;
    builder.commit_base();
    for function in &functions {
        relocate(builder, file, function, &spot);
    }
    Some(())
}

/// A function cut and pasted elsewhere in its file.
pub fn moved_inside(builder: &mut Builder<'_>) -> Option<()> {
    let (file, functions) = movable(builder)?;
    let function = functions.first()?;
    let spot = builder.spot_apart(file, Form::Function, &function.lines)?;
    builder.commit_base();
    relocate(builder, file, function, &spot);
    Some(())
}

/// A file with some functions of its own, of which one or two are worth a move.
fn movable<'t>(builder: &mut Builder<'t>) -> Option<(usize, Vec<&'t Fragment>)> {
    let tree = builder.tree;
    let is_movable = |function: &&Fragment| (SUBSTANTIAL..=400).contains(&function.tokens.len());
    let file = builder.file(|file| {
        file.of_form(Form::Function).count() > 2
            && file.of_form(Form::Function).any(|f| is_movable(&f))
    })?;
    let mut functions: Vec<_> =
        tree.files[file].of_form(Form::Function).filter(is_movable).collect();
    builder.random.shuffle(&mut functions);
    functions.truncate(builder.random.between(1, 2));
    Some((file, functions))
}

fn relocate(builder: &mut Builder<'_>, file: usize, function: &Fragment, spot: &Spot<'_>) {
    let File { path, scan, .. } = &builder.tree.files[file];
    let cut = builder.draft.cut(path, &function.lines);
    let lines: Vec<String> = cut.into_iter().map(|line| line.text).collect();
    builder.paste(spot, shift(&lines, &spot.indent, scan.language), &[]);
    builder.note(format!(
        "moved {path}:{}-{} to {}",
        function.lines.start + 1,
        function.lines.end,
        spot.path
    ));
}

/// A file under another name.
pub fn file_renamed(builder: &mut Builder<'_>) -> Option<()> {
    let file = builder.file(|file| file.scan.tokens.len() > SUBSTANTIAL)?;
    let from = &builder.tree.files[file].path;
    let to = builder.new_path(from)?;
    builder.commit_base();
    builder.draft.rename(from, &to);
    builder.note(format!("renamed {from} to {to}"));
    Some(())
}

/// A file under another name, with a few lines edited.
pub fn file_renamed_and_edited(builder: &mut Builder<'_>) -> Option<()> {
    let file =
        builder.file(|file| file.scan.lines.len() > 40 && statements(&file.scan).len() > 4)?;
    let from = &builder.tree.files[file].path;
    let to = builder.new_path(from)?;
    builder.commit_base();
    tweak_file(builder, file)?;
    builder.draft.rename(from, &to);
    builder.note(format!("renamed {from} to {to}, with edits"));
    Some(())
}

/// Half of a file's functions moved to a new file.
pub fn file_split(builder: &mut Builder<'_>) -> Option<()> {
    let file = builder.file(|file| file.of_form(Form::Function).count() >= 4)?;
    let File { path, scan, .. } = &builder.tree.files[file];
    let functions: Vec<_> = builder.tree.files[file].of_form(Form::Function).collect();
    let to = builder.new_path(path)?;
    builder.commit_base();
    // Both halves need the imports; definitions stay where they are.
    let is_definition = |at: &usize| scan.lines[*at].is_directive && !is_import(scan, *at);
    let head = (0..builder.tree.files[file].body()).filter(|at| !is_definition(at));
    let mut lines = new_lines(head.map(|at| scan.line(at).to_owned()), &[]);
    for function in &functions[functions.len() / 2..] {
        lines.extend(builder.draft.cut(path, &function.lines));
        lines.extend(new_lines([String::new()], &[]));
    }
    lines.iter_mut().for_each(|line| line.number = None);
    *builder.draft.lines(&to) = lines;
    builder.note(format!(
        "moved {} functions of {path} to the new file {to}",
        functions.len().div_ceil(2)
    ));
    Some(())
}

/// Files with other indentation.
pub fn reindented(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    some_files(builder, |scan, random| {
        let lines = scan.to_lines();
        Some(edit::reindent(&lines, scan.language, random)).filter(|changed| *changed != lines)
    })
}

/// Files with other line breaks.
pub fn rewrapped(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    some_files(builder, |scan, random| {
        let lines = scan.to_lines();
        edit::rewrap(&lines, scan.language, random).filter(|changed| *changed != lines)
    })
}

/// Files with CRLF at the ends of their lines.
pub fn crlf(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    some_files(builder, |scan, _| {
        Some(scan.to_lines().into_iter().map(|line| line + "\r").collect())
    })
}

/// Rewrites one to three files.
fn some_files(
    builder: &mut Builder<'_>,
    rewrite: impl Fn(&Scan, &mut Random) -> Option<Vec<String>>,
) -> Option<()> {
    for _ in 0..builder.random.between(1, 3) {
        let file = builder.file(|file| file.scan.tokens.len() > SUBSTANTIAL)?;
        builder.rewrite_file(file, &rewrite)?;
        builder.note(format!("rewrote {}", builder.tree.files[file].path));
    }
    Some(())
}

/// The same license above several files.
pub fn license_added(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    let n_lines = builder.random.between(6, 20);
    for _ in 0..builder.random.between(2, 6) {
        let file = builder.file(|_| true)?;
        let File { path, scan, .. } = &builder.tree.files[file];
        let is_opener = scan.line(0).starts_with("#!") || scan.line(0).starts_with("<?");
        builder.draft.insert(
            path,
            usize::from(is_opener),
            new_lines(edit::license(scan.language, n_lines), &[]),
        );
        builder.note(format!("put a license above {path}"));
    }
    Some(())
}

/// The same imports into several files.
pub fn imports_added(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    let first =
        builder.file(|file| (0..file.scan.lines.len()).any(|at| is_import(&file.scan, at)))?;
    let language = builder.tree.files[first].scan.language;
    let mut imports = builder.pool(language).imports.clone();
    builder.random.shuffle(&mut imports);
    imports.truncate(builder.random.between(3, 15));
    let mut files = vec![first];
    let is_fit = |file: &File| {
        file.scan.language.name == language.name && file.path != builder.tree.files[first].path
    };
    let others: Vec<usize> =
        (0..builder.tree.files.len()).filter(|&at| is_fit(&builder.tree.files[at])).collect();
    files.extend(builder.random.pick(&others));
    for file in files.into_iter().filter(|_| imports.len() > 2) {
        let File { path, scan, .. } = &builder.tree.files[file];
        if builder.draft.has_touched(path) {
            continue;
        }
        let body = builder.tree.files[file].body();
        let at = (0..body).rfind(|&at| is_import(scan, at)).map_or(body, |at| at + 1);
        builder.draft.insert(path, at, new_lines(imports.clone(), &[]));
        builder.note(format!("put {} imports into {path}", imports.len()));
    }
    (imports.len() > 2).then_some(())
}

/// Names changed where they stand, in up to three files.
pub fn renamed_in_place(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    let first = builder.file(|file| file.scan.tokens.len() > SUBSTANTIAL)?;
    let scan = &builder.tree.files[first].scan;
    let names: Vec<String> = often(scan);
    let n = builder.random.between(1, 5).min(names.len());
    let others = new_names(scan, builder.pool(scan.language), n, &mut builder.random)?;
    let mut names = names;
    builder.random.shuffle(&mut names);
    let renames: BTreeMap<String, String> = names.into_iter().zip(others).collect();
    builder.rewrite_file(first, |scan, _| renamed(scan, &renames))?;
    let tree = builder.tree;
    let shares = |file: &File| {
        file.scan.language.name == scan.language.name
            && often(&file.scan).iter().any(|name| renames.contains_key(name))
    };
    for _ in 0..2 {
        if let Some(file) = builder.file(shares) {
            builder.rewrite_file(file, |scan, _| renamed(scan, &renames))?;
            builder.note(format!("renamed in {}", tree.files[file].path));
        }
    }
    builder.note(format!("renamed {renames:?} in {}", tree.files[first].path));
    Some(())
}

/// The names that a file has twice or more.
fn often(scan: &Scan) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for at in (0..scan.tokens.len()).filter(|&at| scan.tokens[at].class == Class::Name) {
        *counts.entry(scan.token(at)).or_default() += 1;
    }
    counts.into_iter().filter(|(_, n)| *n > 1).map(|(name, _)| name.to_owned()).collect()
}

/// The lengths of new code.
const NEW_TOKENS: RangeInclusive<usize> = 30..=400;

/// New functions that are like nothing in the tree, in files of the tree or in a new one.
pub fn unrelated(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    let wanted = SourceSegments { form: Some(Form::Function), tokens: NEW_TOKENS, min_lines: 0 };
    let first = builder.held_out(&wanted, None)?;
    let mut functions = vec![first];
    for _ in 0..builder.random.between(0, 4) {
        functions.extend(builder.held_out(&wanted, Some(functions[0].language)));
    }
    if builder.random.chance(40) {
        return as_new_file(builder, &functions);
    }
    functions.iter().try_for_each(|function| put(builder, function))
}

fn as_new_file(builder: &mut Builder<'_>, functions: &[Picked<'_>]) -> Option<()> {
    let path = builder.new_path(functions[0].path)?;
    let lines = functions.iter().flat_map(|function| {
        let mut lines = shift(&function.lines, "", function.language);
        lines.push(String::new());
        lines
    });
    *builder.draft.lines(&path) = new_lines(lines, &[]);
    builder.note(format!("new file {path} of {} new functions", functions.len()));
    Some(())
}

fn put(builder: &mut Builder<'_>, function: &Picked<'_>) -> Option<()> {
    let spot = builder.spot(function.language, Form::Function, &[])?;
    builder.paste(&spot, shift(&function.lines, &spot.indent, function.language), &[]);
    builder.note(format!(
        "new code in {} (held out: {}:{})",
        spot.path,
        function.path,
        function.fragment.lines.start + 1
    ));
    Some(())
}

/// A clone that the base had already.
struct OldClone<'t> {
    picked: Picked<'t>,
    /// The lines of the one member.
    origin: Mark,
    /// Where the other member is, and its lines.
    spot: Spot<'t>,
    clone: Mark,
}

fn old_clone<'t>(builder: &mut Builder<'t>) -> Option<OldClone<'t>> {
    let wanted =
        SourceSegments { form: Some(Form::Function), tokens: SUBSTANTIAL..=250, min_lines: 6 };
    let picked = builder.origin(&wanted)?;
    let spot = builder.spot(picked.language, Form::Function, &[picked.file])?;
    let (origin, clone) = (builder.draft.new_mark(), builder.draft.new_mark());
    let mut lines = shift(&picked.lines, &spot.indent, picked.language);
    if builder.random.chance(50) {
        lines = edit::rename(
            &lines,
            picked.language,
            builder.tree.pool(picked.language),
            &mut builder.random,
        )?;
    }
    builder.draft.mark(picked.path, &picked.fragment.lines, origin);
    builder.paste(&spot, lines, &[clone]);
    builder.commit_base();
    builder.note(format!(
        "base had {}:{} in {} too",
        picked.path,
        picked.fragment.lines.start + 1,
        spot.path
    ));
    Some(OldClone { picked, origin, spot, clone })
}

/// New code directly before or behind a clone that was there.
pub fn beside_old_clone(builder: &mut Builder<'_>) -> Option<()> {
    let OldClone { picked, spot, clone, .. } = old_clone(builder)?;
    let wanted = SourceSegments { form: Some(Form::Function), tokens: NEW_TOKENS, min_lines: 0 };
    let function = builder.held_out(&wanted, Some(picked.language))?;
    let lines = shift(&function.lines, &spot.indent, picked.language);
    let is_before = builder.random.chance(50);
    builder.draft.insert_beside(spot.path, clone, is_before, lines)?;
    builder.note(format!(
        "new code (held out: {}:{}) beside it",
        function.path,
        function.fragment.lines.start + 1
    ));
    Some(())
}

/// A few lines edited inside one member of a clone that was there.
pub fn inside_old_clone(builder: &mut Builder<'_>) -> Option<()> {
    let OldClone { picked, spot, clone, .. } = old_clone(builder)?;
    let n = builder.random.between(1, 2);
    let pool = builder.pool(picked.language);
    let Builder { draft, random, .. } = builder;
    draft.rewrite(spot.path, clone, |lines| {
        edit_lines(&lines, picked.language, pool, (n, 2), random)
    })?;
    builder.note(format!("edited {n} lines of it"));
    Some(())
}

/// The same new lines in both members of a clone that was there.
pub fn inside_both(builder: &mut Builder<'_>) -> Option<()> {
    let OldClone { picked, origin, spot, clone } = old_clone(builder)?;
    let inner = |lines: &[String]| {
        let is_inner = |&at: &usize| at > 0 && at + 1 < lines.len();
        statements(&edit::scan(lines, picked.language))
            .into_iter()
            .filter(is_inner)
            .collect::<Vec<_>>()
    };
    let at = *builder.random.pick(&inner(&picked.lines))?;
    let pool = builder.pool(picked.language);
    let n = builder.random.between(1, 6);
    let new: Vec<String> =
        (0..n).filter_map(|_| builder.random.pick(&pool.statements).cloned()).collect();
    let insert = |mut lines: Vec<String>| {
        let indent: String = lines[at].chars().take_while(|byte| byte.is_whitespace()).collect();
        lines.splice(at + 1..at + 1, new.iter().map(|line| format!("{indent}{line}")));
        Some(lines)
    };
    builder.draft.rewrite(spot.path, clone, insert)?;
    builder.draft.rewrite(picked.path, origin, insert)?;
    builder.note(format!("put the same {n} lines into both"));
    Some(())
}

/// A copy that one commit adds and a later one removes.
pub fn added_and_removed(builder: &mut Builder<'_>) -> Option<()> {
    let wanted =
        SourceSegments { form: Some(Form::Function), tokens: SUBSTANTIAL..=250, min_lines: 0 };
    let picked = builder.origin(&wanted)?;
    let spot = builder.spot(picked.language, Form::Function, &[picked.file])?;
    builder.commit_base();
    let mark = builder.draft.new_mark();
    builder.paste(&spot, shift(&picked.lines, &spot.indent, picked.language), &[mark]);
    builder.commit();
    builder.draft.cut_marked(spot.path, mark);
    builder.note(format!("copied {} to {} and took it out again", picked.path, spot.path));
    tweaked(builder)
}

/// A few lines edited here and there in one file.
pub fn tweaked(builder: &mut Builder<'_>) -> Option<()> {
    builder.commit_base();
    let file = builder.file(|file| statements(&file.scan).len() > 4)?;
    tweak_file(builder, file)?;
    builder.note(format!("edited a few lines of {}", builder.tree.files[file].path));
    Some(())
}

fn tweak_file(builder: &mut Builder<'_>, file: usize) -> Option<()> {
    let n = builder.random.between(1, 3);
    let pool = builder.pool(builder.tree.files[file].scan.language);
    builder.rewrite_file(file, |scan, random| {
        edit_lines(&scan.to_lines(), scan.language, pool, (n, 4), random)
    })
}

/// Up to three harmless changes beside a copy, in files that it does not touch.
///
/// What cannot be done is left out; a draft that a failed step began on is put back.
pub fn company(builder: &mut Builder<'_>) {
    const CHANGES: &[fn(&mut Builder<'_>) -> Option<()>] =
        &[unrelated, unrelated, tweaked, renamed_in_place, license_added, imports_added];
    for _ in 0..builder.random.between(1, 3) {
        let Some(&change) = builder.random.pick(CHANGES) else { return };
        let before = (builder.draft.clone(), builder.n_notes());
        if change(builder).is_none() {
            builder.draft = before.0;
            builder.forget_notes_after(before.1);
        }
    }
}
