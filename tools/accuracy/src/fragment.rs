//! Finds the functions of a file, and the loops and branches inside them.
//!
//! Promise: a fragment is whole lines, begins and ends with a token of its own, and its brackets
//! are balanced.

use std::ops::{Range, RangeInclusive};

use crate::language::{Blocks, is_continuation, is_control};
use crate::scan::{Class, Scan};

/// What a fragment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A function, with its head.
    Function,
    /// A loop or branch inside a function.
    Block,
}

/// A stretch of a file that people copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    pub form: Form,
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// Its tokens.
    pub tokens: Range<usize>,
}

/// The lines that a fragment has at least.
const MIN_LINES: usize = 3;

/// Finds the fragments of a file, in the order of their last lines.
pub fn fragments(scan: &Scan) -> Vec<Fragment> {
    let found = match scan.language.blocks {
        Blocks::Statements | Blocks::Lines => braced(scan),
        Blocks::Indentation => indented(scan),
    };
    found.into_iter().filter(|fragment| is_whole(scan, fragment)).collect()
}

/// Whether a fragment's lines hold its tokens and nothing else.
fn is_whole(scan: &Scan, fragment: &Fragment) -> bool {
    let Range { start, end } = fragment.lines;
    let lines = &scan.lines[start..end];
    lines.len() >= MIN_LINES
        && lines[0].tokens.start == fragment.tokens.start
        && lines[lines.len() - 1].tokens.end == fragment.tokens.end
        && scan.may_break_before(start)
        && scan.may_break_before(end)
        && lines.iter().all(|line| !line.is_directive)
}

/// What a brace opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceTables {
    /// A class, a module: what functions stand in.
    Container,
    Function,
    Control,
    Other,
}

/// Functions and blocks by their braces; none when the braces are not balanced.
fn braced(scan: &Scan) -> Vec<Fragment> {
    let mut open: Vec<(usize, SourceTables)> = Vec::new();
    let mut found = Vec::new();
    for at in 0..scan.tokens.len() {
        match scan.token(at) {
            "{" => {
                let head = head(scan, at);
                let is_inside_container =
                    open.iter().all(|(_, opened)| *opened == SourceTables::Container);
                open.push((head, opened(scan, head..at, is_inside_container)));
            }
            "}" => {
                let Some((head, opened)) = open.pop() else { return Vec::new() };
                let is_in_function =
                    open.iter().any(|(_, opened)| *opened == SourceTables::Function);
                found.extend(
                    form(opened, is_in_function).and_then(|form| closed(scan, form, head, at)),
                );
            }
            _ => {}
        }
    }
    if open.is_empty() { found } else { Vec::new() }
}

fn form(opened: SourceTables, is_in_function: bool) -> Option<Form> {
    match opened {
        SourceTables::Function => Some(Form::Function),
        SourceTables::Control if is_in_function => Some(Form::Block),
        SourceTables::Container | SourceTables::Control | SourceTables::Other => None,
    }
}

/// The fragment from the token `head` to the brace `close`; none when another statement part
/// follows.
fn closed(scan: &Scan, form: Form, head: usize, close: usize) -> Option<Fragment> {
    let last = if scan.token(close + 1) == ";" { close + 1 } else { close };
    let is_part = is_continuation(scan.token(last + 1)) && form == Form::Block;
    let lines = scan.tokens[head].line..scan.tokens[last].line + 1;
    (!is_part).then_some(Fragment { form, lines, tokens: head..last + 1 })
}

/// The first token of the statement that the brace `open` belongs to.
fn head(scan: &Scan, open: usize) -> usize {
    match scan.language.blocks {
        Blocks::Lines => head_by_line(scan, open),
        Blocks::Statements | Blocks::Indentation => head_by_statement(scan, open),
    }
}

/// Goes back to where the line starts, or the line on which its brackets were opened.
fn head_by_line(scan: &Scan, open: usize) -> usize {
    let mut depth = 0usize;
    for at in (0..open).rev() {
        match scan.token(at) {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_first = scan.lines[scan.tokens[at].line].tokens.start == at;
        if depth == 0 && is_first {
            return at;
        }
    }
    open
}

/// Goes back to the end of the statement before, a directive, or a gap between the lines.
fn head_by_statement(scan: &Scan, open: usize) -> usize {
    let mut depth = 0usize;
    for at in (0..open).rev() {
        match scan.token(at) {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.saturating_sub(1),
            ";" | "{" | "}" if depth == 0 => return at + 1,
            _ => {}
        }
        let (line, next_line) = (scan.tokens[at].end_line, scan.tokens[at + 1].line);
        if scan.lines[line].is_directive || next_line > line + 1 {
            return at + 1;
        }
    }
    0
}

/// Tells what a brace opens by what stands before it. Tests are nothing: they repeat by nature.
fn opened(scan: &Scan, head: Range<usize>, is_inside_container: bool) -> SourceTables {
    let words: Vec<&str> = head.clone().map(|at| scan.token(at)).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let has_call = words.contains(&"(");
    let Some(first) = words.first() else { return SourceTables::Other };
    if is_control(first) {
        return SourceTables::Control;
    }
    let function_words = scan.language.function_words;
    let is_named = function_words.is_empty() || has(function_words);
    if words.starts_with(&["#", "["]) && has(&["test"]) || words.starts_with(&["mod", "tests"]) {
        return SourceTables::Other;
    }
    let is_container = has(&[
        "class", "interface", "object", "impl", "trait", "namespace", "mod", "extern", "record",
    ]) || !has_call && has(&["struct", "enum", "union"]);
    if is_container && !(has_call && !function_words.is_empty() && is_named) {
        return SourceTables::Container;
    }
    // A value that is put somewhere is no function, but for JavaScript's arrows.
    let is_value = words.contains(&"=") && function_words.is_empty();
    let is_function =
        has_call && is_named && !is_value && is_inside_container && !is_continuation(first);
    if is_function { SourceTables::Function } else { SourceTables::Other }
}

/// Functions and blocks by their indentation.
fn indented(scan: &Scan) -> Vec<Fragment> {
    let logical = |&at: &usize| {
        let line = &scan.lines[at];
        !line.tokens.is_empty()
            && !line.is_glued
            && line.depth == 0
            && !scan.first_word(at).starts_with([')', ']', '}'])
    };
    let lines: Vec<usize> = (0..scan.lines.len()).filter(logical).collect();
    (0..lines.len()).filter_map(|at| indented_at(scan, &lines, at)).collect()
}

/// The fragment that the logical line numbered `at` opens.
fn indented_at(scan: &Scan, lines: &[usize], at: usize) -> Option<Fragment> {
    let indent = |at: usize| scan.indent(lines[at]).len();
    let word = |at: usize| scan.first_word(lines[at]);
    let form = match word(at) {
        "def" => Form::Function,
        "async" if scan.line(lines[at]).trim_start().starts_with("async def") => Form::Function,
        first if is_control(first) && is_in_function(scan, lines, at) => Form::Block,
        _ => return None,
    };
    if form == Form::Function && is_in_function(scan, lines, at) {
        return None;
    }
    let n_inside = (at + 1..lines.len()).take_while(|&next| indent(next) > indent(at)).count();
    let mut last = at + n_inside;
    let follower =
        (last + 1 < lines.len() && indent(last + 1) == indent(at)).then(|| word(last + 1));
    match follower {
        Some("end") => last += 1,
        Some(word) if is_continuation(word) && form == Form::Block => return None,
        _ => {}
    }
    let first = (0..at)
        .rev()
        .take_while(|&before| word(before) == "@" && indent(before) == indent(at))
        .last()
        .unwrap_or(at);
    let tokens = scan.lines[lines[first]].tokens.start..end_of_logical(scan, lines, last);
    let lines = lines[first]..scan.tokens[tokens.end - 1].end_line + 1;
    Some(Fragment { form, lines, tokens })
}

/// The token after the last one of the logical line numbered `at`.
fn end_of_logical(scan: &Scan, lines: &[usize], at: usize) -> usize {
    lines.get(at + 1).map_or(scan.tokens.len(), |&next| scan.lines[next].tokens.start)
}

/// Whether a `def` stands above the logical line, further left.
fn is_in_function(scan: &Scan, lines: &[usize], at: usize) -> bool {
    let mut left = scan.indent(lines[at]).len();
    for before in (0..at).rev() {
        let indent = scan.indent(lines[before]).len();
        if indent < left {
            left = indent;
            if matches!(scan.first_word(lines[before]), "def" | "async") {
                return true;
            }
        }
    }
    false
}

/// The lines that hold one whole statement and nothing else.
pub fn statements(scan: &Scan) -> Vec<usize> {
    (0..scan.lines.len()).filter(|&at| is_statement(scan, at)).collect()
}

/// The tokens that a statement on one line may have.
const STATEMENT_TOKENS: RangeInclusive<usize> = 4..=30;

fn is_statement(scan: &Scan, at: usize) -> bool {
    let line = &scan.lines[at];
    let tokens = line.tokens.clone();
    STATEMENT_TOKENS.contains(&tokens.len())
        && line.depth == 0
        && !line.is_directive
        && scan.may_break_before(at)
        && scan.may_break_before(at + 1)
        && scan.tokens[tokens.start].class == Class::Name
        && is_balanced(scan, tokens.clone())
        && follows_statement(scan, tokens.start)
        && ends_statement(scan, tokens.end)
}

/// Whether brackets close in `tokens` as they open, and no brace is among them.
fn is_balanced(scan: &Scan, tokens: Range<usize>) -> bool {
    let mut depth = 0i32;
    for at in tokens {
        match scan.token(at) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "{" | "}" => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Whether the token before `first` ends what stands above.
fn follows_statement(scan: &Scan, first: usize) -> bool {
    let Some(before) = first.checked_sub(1) else { return true };
    match scan.language.blocks {
        Blocks::Statements => matches!(scan.token(before), ";" | "{" | "}"),
        Blocks::Lines => !is_open_ended(scan, before),
        Blocks::Indentation => scan.token(before) == ":" || !is_open_ended(scan, before),
    }
}

/// Whether the token before `end` ends a statement.
fn ends_statement(scan: &Scan, end: usize) -> bool {
    match scan.language.blocks {
        Blocks::Statements => scan.token(end - 1) == ";",
        Blocks::Lines => {
            !is_open_ended(scan, end - 1)
                && !matches!(scan.token(end), "." | "?" | "&" | "|" | "+" | "=" | ":")
        }
        Blocks::Indentation => !is_open_ended(scan, end - 1) && scan.token(end) != ".",
    }
}

/// Whether something has to follow the token numbered `at`.
fn is_open_ended(scan: &Scan, at: usize) -> bool {
    let is_bracket_or_end = matches!(scan.token(at), ")" | "]" | "}" | ";" | "{");
    matches!(scan.tokens[at].class, Class::Mark) && !is_bracket_or_end
}
