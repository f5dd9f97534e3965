//! Builds the pull requests that copy something.

use std::ops::RangeInclusive;

use super::builder::{Builder, Picked, SourceSegments, Spot, picked};
use super::draft::{Mark, new_lines};
use crate::edit::{edit_lines, relayout, rename, rename_loosely, scan, shift};
use crate::fragment::{Form, Fragment};
use crate::language::Language;
use crate::tree::{File, Pool};
use support::Random;

/// Changes what is pasted; `None` when it cannot be changed so.
type Mutation = fn(&[String], &'static Language, &Pool, &mut Random) -> Option<Vec<String>>;

/// A copy as it is.
pub fn exact(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 0, as_it_is)
}

/// A copy with other indentation, line breaks and comments.
pub fn other_layout(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 0, |lines, language, _, random| relayout(lines, language, random))
}

/// A copy in which names were renamed one to one.
pub fn renamed(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 0, rename)
}

/// A copy in which names were changed here and there, and literals.
pub fn loosely_renamed(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 0, rename_loosely)
}

/// A copy with one line in nine edited.
pub fn lightly_edited(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 8, one_line_in_nine)
}

/// A copy with 12 to 30 percent of its lines edited.
pub fn heavily_edited(builder: &mut Builder<'_>) -> Option<()> {
    plain(builder, 6, |lines, language, pool, random| {
        let n = (lines.len() * random.between(12, 30)).div_ceil(100).min(lines.len() * 30 / 100);
        edit_lines(lines, language, pool, (n.max(1), 1), random)
    })
}

fn as_it_is(
    lines: &[String],
    _: &'static Language,
    _: &Pool,
    _: &mut Random,
) -> Option<Vec<String>> {
    Some(lines.to_vec())
}

fn one_line_in_nine(
    lines: &[String],
    language: &'static Language,
    pool: &Pool,
    random: &mut Random,
) -> Option<Vec<String>> {
    edit_lines(lines, language, pool, ((lines.len() / 9).max(1), 6), random)
}

/// Copies a function or a block into another file.
fn plain(builder: &mut Builder<'_>, min_lines: usize, mutate: Mutation) -> Option<()> {
    let wanted = builder.wanted(None, min_lines);
    let picked = builder.origin(&wanted)?;
    let spot = builder.spot(picked.language, picked.fragment.form, &[picked.file])?;
    copy(builder, &picked, &spot, mutate)
}

fn copy<'t>(
    builder: &mut Builder<'t>,
    picked: &Picked<'t>,
    spot: &Spot<'_>,
    mutate: Mutation,
) -> Option<()> {
    let lines = mutated(builder, picked, spot, mutate)?;
    builder.commit_base();
    builder.paste_copy(picked, spot, lines);
    Some(())
}

fn mutated(
    builder: &mut Builder<'_>,
    picked: &Picked<'_>,
    spot: &Spot<'_>,
    mutate: Mutation,
) -> Option<Vec<String>> {
    let lines = shift(&picked.lines, &spot.indent, picked.language);
    mutate(&lines, picked.language, builder.pool(picked.language), &mut builder.random)
}

/// A copy within the file of its origin.
pub fn same_file(builder: &mut Builder<'_>) -> Option<()> {
    const MUTATIONS: &[Mutation] = &[as_it_is, rename, one_line_in_nine];
    let wanted = builder.wanted(None, 0);
    let picked = builder.origin(&wanted)?;
    let spot = builder.spot_apart(picked.file, picked.fragment.form, &picked.fragment.lines)?;
    let mutate = *builder.random.pick(MUTATIONS)?;
    copy(builder, &picked, &spot, mutate)
}

/// The tokens of a file that is copied whole.
const FILE_TOKENS: RangeInclusive<usize> = 60..=1_500;

/// A file copied under another name, as it is or with names changed.
pub fn whole_file(builder: &mut Builder<'_>) -> Option<()> {
    let tree = builder.tree;
    let number = builder
        .file(|file| FILE_TOKENS.contains(&file.scan.tokens.len()) && !file.fragments.is_empty())?;
    let File { path, scan, .. } = &tree.files[number];
    if !tree.is_file_distinctive(number) {
        return None;
    }
    let to = builder.new_path(path)?;
    let is_exact = builder.random.chance(60);
    let lines = scan.to_lines();
    let lines = if is_exact {
        lines
    } else {
        rename(&lines, scan.language, builder.pool(scan.language), &mut builder.random)?
    };
    builder.commit_base();
    let body = tree.files[number].body();
    let n_tokens = scan.tokens.len() - scan.lines[body].tokens.start;
    let (origin, copy, all) =
        (builder.draft.new_mark(), builder.draft.new_mark(), builder.draft.new_mark());
    builder.draft.mark(path, &(body..scan.lines.len()), origin);
    *builder.draft.lines(&to) = new_lines(lines, &[all]);
    builder.draft.mark_from(&to, body, copy);
    builder.plan(copy, vec![origin], n_tokens, Some(all));
    builder.note(format!(
        "copied the file {path} to {to}, {}",
        if is_exact { "as it is" } else { "renamed" }
    ));
    Some(())
}

/// Functions of a file pasted in the opposite order.
pub fn reordered(builder: &mut Builder<'_>) -> Option<()> {
    let tree = builder.tree;
    let sizes = builder.sizes.clone();
    let wanted = |fragment: &&Fragment| sizes.contains(&fragment.tokens.len());
    let file = builder.file(|file| file.of_form(Form::Function).filter(wanted).count() >= 2)?;
    let mut functions: Vec<_> = tree.files[file]
        .of_form(Form::Function)
        .filter(wanted)
        .filter(|function| tree.is_distinctive(file, function))
        .collect();
    builder.random.shuffle(&mut functions);
    functions.truncate(builder.random.between(2, 4));
    functions.sort_by_key(|function| function.lines.start);
    if functions.len() < 2 {
        return None;
    }
    let spot = builder.spot(tree.files[file].scan.language, Form::Function, &[file])?;
    builder.commit_base();
    // Each is put before what stands behind the place: the first comes last.
    for function in functions.into_iter().rev() {
        let picked = picked(&tree.files, file, function);
        copy(builder, &picked, &spot, as_it_is)?;
    }
    Some(())
}

/// A third copy of what the base has twice.
pub fn third_copy(builder: &mut Builder<'_>) -> Option<()> {
    const MUTATIONS: &[Mutation] = &[as_it_is, rename];
    let wanted = builder.wanted(Some(Form::Function), 0);
    let picked = builder.origin(&wanted)?;
    let second = builder.spot(picked.language, Form::Function, &[picked.file])?;
    let mutate = *builder.random.pick(MUTATIONS)?;
    let lines = mutated(builder, &picked, &second, mutate)?;
    let sibling = builder.draft.new_mark();
    builder.paste(&second, lines, &[sibling]);
    builder.commit_base();
    let third = builder.spot(picked.language, Form::Function, &[picked.file])?;
    let (copy, origin) = (builder.draft.new_mark(), builder.draft.new_mark());
    builder.draft.mark(picked.path, &picked.fragment.lines, origin);
    let lines = shift(&picked.lines, &third.indent, picked.language);
    builder.paste(&third, lines, &[copy]);
    builder.plan(copy, vec![origin, sibling], picked.fragment.tokens.len(), None);
    builder.note(format!(
        "{} stood in {} too, and was copied to {}",
        picked.path, second.path, third.path
    ));
    Some(())
}

/// New code that is pasted twice.
pub fn new_twice(builder: &mut Builder<'_>) -> Option<()> {
    let wanted: SourceSegments = builder.wanted(Some(Form::Function), 0);
    let picked = builder.held_out(&wanted, None)?;
    let one = builder.spot(picked.language, Form::Function, &[])?;
    let other = match builder.random.chance(30) {
        true => builder.spot_apart(one.file, Form::Function, &(one.line..one.line))?,
        false => builder.spot(picked.language, Form::Function, &[one.file])?,
    };
    // New code that goes into both members of an old clone is no copy, but the same edit to both.
    if one.file != other.file && builder.tree.are_alike(one.file, other.file) {
        return None;
    }
    let (first, second) =
        if (one.path, one.line) < (other.path, other.line) { (one, other) } else { (other, one) };
    let mutate: Mutation = if builder.random.chance(50) { as_it_is } else { rename };
    let lines = mutated(builder, &picked, &second, mutate)?;
    builder.commit_base();
    let (origin, copy): (Mark, Mark) = (builder.draft.new_mark(), builder.draft.new_mark());
    let n_tokens = scan(&lines, picked.language).tokens.len();
    builder.paste(&second, lines, &[copy]);
    builder.paste(&first, shift(&picked.lines, &first.indent, picked.language), &[origin]);
    builder.plan(copy, vec![origin], n_tokens, None);
    builder.note(format!(
        "new code (held out: {}) was put into {} and {}",
        picked.path, first.path, second.path
    ));
    Some(())
}

/// A copy whose origin is edited by the same change.
pub fn origin_edited(builder: &mut Builder<'_>) -> Option<()> {
    let wanted = builder.wanted(Some(Form::Function), 5);
    let picked = builder.origin(&wanted)?;
    let spot = builder.spot(picked.language, Form::Function, &[picked.file])?;
    builder.commit_base();
    let (copy, origin) = (builder.draft.new_mark(), builder.draft.new_mark());
    builder.draft.mark(picked.path, &picked.fragment.lines, origin);
    builder.paste(&spot, shift(&picked.lines, &spot.indent, picked.language), &[copy]);
    let n_edits = builder.random.between(1, (picked.lines.len() / 8).max(1));
    let Builder { draft, random, tree, .. } = builder;
    let edit = |lines: Vec<String>| {
        edit_lines(&lines, picked.language, tree.pool(picked.language), (n_edits, 2), random)
    };
    draft.rewrite(picked.path, origin, edit)?;
    builder.plan(copy, vec![origin], picked.fragment.tokens.len(), None);
    builder.note(format!(
        "copied {} to {}, and edited {n_edits} lines of the origin",
        picked.path, spot.path
    ));
    Some(())
}
