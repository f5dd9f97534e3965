//! Writes one function for two of a file that are copies of each other, and makes both call it.
//!
//! Promise: where two functions differ in more than names of their own and values whose types are
//! known, or where a comment would be lost, there is none. Tokens give no types; what they leave
//! open is not written.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::words::copy_text;
use crate::audit::Outcome;
use crate::language::{HelperPatterns, Kind, Languages};
use crate::matching::{Document, Unit};
use crate::policy::{Finding, Fragment};
use crate::text::joined;

/// One function for two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The names of the two.
    pub functions: [String; 2],
    /// What to write where, in the order of the file.
    pub edits: Vec<(Fragment, String)>,
}

/// What one function can be written for, of those that a copy and its origins in the same file
/// have.
pub fn extractions(outcome: &Outcome, finding: &Finding, languages: &Languages) -> Vec<Extraction> {
    let origins: Vec<_> = finding.origins_in_tree().filter(|of| of.path == finding.path).collect();
    // Editors ask wherever the cursor goes: most copies need no file read and no pattern compiled.
    if origins.is_empty() {
        return Vec::new();
    }
    let text = copy_text(outcome, finding);
    let known = languages.named(&finding.language).zip(languages.helper(&finding.language));
    let Some((language, patterns)) = known.filter(|_| std::str::from_utf8(text).is_ok()) else {
        return Vec::new();
    };
    let mut tokens = Vec::new();
    languages.tokenize(language, text, false, &mut tokens);
    let document = Document { text, tokens: &tokens, words: &language.words };
    let lines = text.lines();
    let mut functions: Vec<(Unit, [u32; 2])> = Vec::new();
    for unit in document.functions() {
        let ends = [unit.tokens.start, unit.tokens.end - 1];
        functions.push((unit, ends.map(|at| lines.line_of(tokens[at].start))));
    }
    let copies = within(&finding.fragment, &functions);
    let mut found = Vec::new();
    for origin in origins {
        for (copy, origin) in copies.iter().zip(within(&origin.fragment, &functions)) {
            let Some(pair) = Pair::new(&document, &patterns, [copy, origin]) else { continue };
            let Some(edits) = pair.edits() else { continue };
            let edits = edits.into_iter().map(|(bytes, new)| {
                let [start, end] =
                    [bytes.start, bytes.end].map(|at| lines.position(text, at as u32));
                (Fragment { start, end }, new)
            });
            let functions = [&pair.first, &pair.second]
                .map(|function| document.spelled(function.name).to_owned());
            found.push(Extraction { functions, edits: edits.collect() });
        }
    }
    found
}

/// Of functions with their first and last lines, those that are at least half in a fragment.
fn within<'f>(fragment: &Fragment, functions: &'f [(Unit, [u32; 2])]) -> Vec<&'f Unit> {
    let within = functions.iter().filter(|(_, [first, last])| {
        let end = fragment.end.line.min(*last) + 1;
        2 * end.saturating_sub(fragment.start.line.max(*first)) > last - first
    });
    within.map(|(unit, _)| unit).collect()
}

impl<'d> Document<'d> {
    fn bytes(&self, at: usize) -> Range<usize> {
        self.tokens[at].start as usize..self.tokens[at].end as usize
    }

    fn spelled(&self, at: usize) -> &'d str {
        std::str::from_utf8(self.tokens[at].text(self.text)).unwrap_or_default()
    }

    /// The text between two tokens, without white space: comments, and imports.
    fn unread(&self, at: usize) -> String {
        let before = at.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let text = String::from_utf8_lossy(&self.text[before..self.tokens[at].start as usize]);
        text.split_whitespace().collect()
    }

    /// The white space before the first token of a line.
    fn margin(&self, at: usize) -> &'d str {
        let start = self.tokens[at].start as usize;
        std::str::from_utf8(&self.text[start - self.indent(at)..start]).unwrap_or_default()
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|of| of == word)
}

struct Function<'d> {
    unit: Range<usize>,
    /// The word that defines it, or its name where there is none.
    head: usize,
    name: usize,
    /// The brackets of its parameters.
    parameters: Range<usize>,
    /// The names of the parameters, without the receiver.
    names: Vec<&'d str>,
    /// The last token of the first parameter, if that is the receiver.
    receiver: Option<usize>,
    /// What a call of its kind begins with: `r.` in Go.
    caller: Option<&'d str>,
    /// The line that it is indented in.
    scope: Option<usize>,
    is_method: bool,
    returns: bool,
    /// Without documentation.
    body: Range<usize>,
    is_in_braces: bool,
}

impl<'d> Function<'d> {
    /// Reads a function; `None` if it is of a kind of which none is extracted.
    fn new(document: &Document<'d>, patterns: &HelperPatterns, unit: &Unit) -> Option<Self> {
        let words = &patterns.words;
        let (name, tokens) = (unit.name?, unit.tokens.clone());
        let head = (tokens.start..name)
            .find(|&at| document.words.defines_function(document.spelled(at).as_bytes()))
            .unwrap_or(name);
        let is_known = (tokens.start..head)
            .map(|at| document.spelled(at))
            .all(|word| has(&words.modifiers, word) || has(&words.visibility, word));
        let caller = match name.saturating_sub(head) {
            0 | 1 => None,
            // Its name and its type.
            4.. if document.closing(head + 1, name) == Some(name - 1) => {
                Some(document.spelled(head + 2))
            }
            _ => return None,
        };
        let open = Some(name + 1).filter(|&at| at < tokens.end && document.spelled(at) == "(")?;
        let close = document.closing(open, tokens.end)?;
        let end = document.head_of(unit)?.end;
        let is_in_braces = end < tokens.end && document.spelled(end) == "{";
        let mut body = if is_in_braces { end + 1..tokens.end - 1 } else { end..tokens.end };
        let is_whole = if is_in_braces {
            document.closing(end, tokens.end) == Some(body.end)
        } else {
            document.spelled(end - 1) == ":"
        };
        let is_string = !body.is_empty() && document.tokens[body.start].kind() == Kind::String;
        if words.docstrings && is_string && document.starts_line(body.start + 1) {
            body.start += 1;
        }
        // A single line is no longer than a call.
        let is_on_lines = document.starts_line(tokens.end)
            && !body.is_empty()
            && document.starts_line(body.start)
            && document.next_line(body.start) < body.end;
        let result = close + 1..end - usize::from(!is_in_braces);
        let not = words.not_returned.as_ref();
        let is_clear = not.is_none_or(|not| result.clone().all(|at| document.spelled(at) != not));
        if !is_whole || !is_on_lines || !is_clear || !is_known {
            return None;
        }
        let indent = document.indent(tokens.start);
        let scope = (0..tokens.start).rev().find(|&at| {
            let is_outer = document.starts_line(at) && document.indent(at) < indent;
            is_outer && document.tokens[at].kind() != Kind::Punctuation
        });
        let in_type = match scope {
            Some(at) => defines_type(document, patterns, at)?,
            None => false,
        };
        let mut function = Self {
            unit: tokens,
            head,
            name,
            parameters: open..close,
            names: Vec::new(),
            receiver: None,
            caller,
            scope,
            is_method: caller.is_some() || in_type,
            returns: !result.is_empty(),
            body,
            is_in_braces,
        };
        function.read_parameters(document, patterns, in_type)?;
        (!function.is_annotated(document, patterns)).then_some(function)
    }

    /// Whether something above it is no comment, and no annotation that may be there.
    fn is_annotated(&self, document: &Document, patterns: &HelperPatterns) -> bool {
        let above = (0..self.unit.start).rev().filter(|&at| document.starts_line(at));
        let above = above.take_while(|&at| matches!(document.spelled(at), "@" | "#" | "["));
        let mut lines = above.map(|at| line_around(document, at, at..document.next_line(at)));
        lines.any(|line| !patterns.annotations.as_ref().is_some_and(|of| of.is_match(&line)))
    }

    /// Reads the names of the parameters; `None` where one is none, such as a pattern.
    fn read_parameters(
        &mut self,
        document: &Document<'d>,
        patterns: &HelperPatterns,
        in_type: bool,
    ) -> Option<()> {
        let parts = parts(document, self.parameters.clone())?;
        if let Some(receiver) = &patterns.words.receiver {
            let first = parts.first();
            let first =
                first.filter(|part| (*part).clone().any(|at| document.spelled(at) == receiver));
            self.receiver = first.map(|part| part.end - 1);
            if self.receiver.is_some() != in_type {
                return None;
            }
        }
        let is_typed = patterns.words.parameter.contains("{type}");
        let parts = &parts[usize::from(self.receiver.is_some())..];
        for part in parts {
            let n_before =
                usize::from(part.len() > 1 && document.tokens[part.start].kind() == Kind::Keyword);
            let name = part.start + n_before;
            if !document.tokens[name].is_name() || document.spelled(name) == "_" {
                return None;
            }
            let is_one = name + 1 == part.end;
            if !is_one && matches!(document.spelled(name + 1), "." | "{" | "(")
                || is_one && is_typed && *part == parts[parts.len() - 1]
            {
                return None;
            }
            self.names.push(document.spelled(name));
        }
        Some(())
    }
}

/// Whether the line that functions are indented in defines a type, of which they are methods;
/// `None` if they may not be called as elsewhere.
fn defines_type(document: &Document, patterns: &HelperPatterns, at: usize) -> Option<bool> {
    let words = &patterns.words;
    let line: Vec<&str> = (at..document.next_line(at)).map(|at| document.spelled(at)).collect();
    let [not_types, types, scopes] = [&words.not_types, &words.types, &words.scopes]
        .map(|words| line.iter().any(|word| has(words, word)));
    (!not_types && (types || scopes)).then_some(types)
}

/// What commas separate between two brackets, which are at the ends of `range`; `None` if other
/// brackets do not match.
fn parts(document: &Document, range: Range<usize>) -> Option<Vec<Range<usize>>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), range.start + 1, 0);
    for at in range.start + 1..=range.end {
        let is_arrow = matches!(document.spelled(at - 1), "-" | "=");
        match document.spelled(at) {
            "," | ")" if depth == 0 => {
                parts.extend((start < at).then_some(start..at));
                start = at + 1;
            }
            "<" => depth += 1,
            ">" if !is_arrow => depth -= 1,
            _ => depth += document.tokens[at].nesting(),
        }
    }
    (start == range.end + 1).then_some(parts)
}

/// The line around the token at `at`, as patterns read it.
fn line_around(document: &Document, at: usize, within: Range<usize>) -> String {
    let mut line = String::new();
    for other in within {
        let separator = if document.starts_line(other) { "\n" } else { " " };
        line.push_str(if line.is_empty() { "" } else { separator });
        line.push_str(if other == at { "HERE" } else { document.spelled(other) });
    }
    line
}

/// The values that two functions differ in, and the tokens of the first with the parameters in their
/// place.
type Differences<'d> = (Vec<Value<'d>>, Vec<(usize, String)>);

/// Two functions that may be copies.
struct Pair<'d, 'p> {
    document: &'p Document<'d>,
    patterns: &'p HelperPatterns,
    first: Function<'d>,
    second: Function<'d>,
}

/// A parameter of the helper that only one of the functions has as a word.
struct Value<'d> {
    name: String,
    of_type: String,
    words: [&'d str; 2],
}

impl<'d, 'p> Pair<'d, 'p> {
    /// Two functions in the order of the file, if both can be read.
    fn new(
        document: &'p Document<'d>,
        patterns: &'p HelperPatterns,
        mut units: [&Unit; 2],
    ) -> Option<Self> {
        units.sort_by_key(|unit| unit.tokens.start);
        let [first, second] = units.map(|unit| Function::new(document, patterns, unit));
        Some(Self { document, patterns, first: first?, second: second? })
    }

    fn edits(&self) -> Option<Vec<(Range<usize>, String)>> {
        let (first, second) = (&self.first, &self.second);
        let [kind, other_kind] = [first, second].map(|of| {
            let n_names = (of.names.len(), of.receiver.is_some());
            (of.scope, of.is_method, of.returns, n_names, of.body.len())
        });
        let is_apart = first.unit.end <= second.unit.start;
        if kind != other_kind || !is_apart || !self.has_same_head() {
            return None;
        }
        let (values, replaced) = self.differences()?;
        let helper = self.unused_name()?;
        let written = self.written(&helper, &values, replaced)?;
        let (end, margin) = (self.line_end(), self.document.margin(first.unit.start));
        let [of_first, of_second] = [(first, 0), (second, 1)].map(|(function, side)| {
            let arguments = values.iter().map(|value| value.words[side]);
            let arguments: Vec<&str> = arguments.chain(function.names.iter().copied()).collect();
            self.body(function, format!("{helper}({})", arguments.join(", ")))
        });
        Some(vec![
            (self.place(first), format!("{of_first}{end}{end}{margin}{written}")),
            (self.place(second), of_second),
        ])
    }

    fn line_end(&self) -> &'static str {
        let is_crlf = self.document.text.windows(2).any(|pair| pair == b"\r\n");
        if is_crlf { "\r\n" } else { "\n" }
    }

    /// The body of a function that only calls the helper.
    fn body(&self, function: &Function, call: String) -> String {
        let (words, end) = (&self.patterns.words, self.line_end());
        let call = match function.caller {
            Some(caller) => format!("{caller}.{call}"),
            None if function.is_method => words.method.replace("{call}", &call),
            None => call,
        };
        let statement = words.returns.as_ref().filter(|_| function.returns).unwrap_or(&words.call);
        let statement = statement.replace("{call}", &call);
        let margin = self.document.margin(function.body.start);
        let closing = match function.is_in_braces {
            true => format!("{end}{}}}", self.document.margin(function.unit.start)),
            false => String::new(),
        };
        format!("{end}{margin}{statement}{closing}")
    }

    /// Where the body of a function is, with its layout.
    fn place(&self, function: &Function) -> Range<usize> {
        let [before, last] = [function.body.start - 1, function.unit.end - 1];
        self.document.bytes(before).end..self.document.bytes(last).end
    }

    /// What the parameters of both are called, and what a call of each begins with.
    fn own_names(&self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let parameters = self.first.names.iter().copied().zip(self.second.names.iter().copied());
        parameters.chain(self.first.caller.zip(self.second.caller))
    }

    /// Whether the heads differ only in the names of the functions and their parameters, and in
    /// default values.
    fn has_same_head(&self) -> bool {
        let (first, document) = (&self.first, self.document);
        // Documentation may be on one side only.
        let [of_first, of_second] = [first, &self.second].map(|of| of.head..of.parameters.end + 1);
        let results = [first, &self.second].map(|of| {
            let words = (of.parameters.end + 1..of.body.start).map(|at| document.spelled(at));
            words.take_while(|word| !word.starts_with(['"', '\''])).collect::<Vec<_>>()
        });
        if of_first.len() != of_second.len() || results[0] != results[1] {
            return false;
        }
        of_first.zip(of_second).all(|(a, b)| {
            let words = (document.spelled(a), document.spelled(b));
            let is_default =
                a > first.name && document.spelled(a - 1) == "=" && !document.tokens[a].is_name();
            let is_equal = words.0 == words.1
                || a == first.name
                || is_default
                || self.own_names().any(|names| names == words);
            is_equal && (a == first.head || document.unread(a) == document.unread(b))
        })
    }

    /// How the bodies differ; `None` if in more than values and their own names.
    fn differences(&self) -> Option<Differences<'d>> {
        let (first, second, document) = (&self.first, &self.second, self.document);
        let words = &self.patterns.words;
        let mut names: [HashMap<&str, &str>; 2] = Default::default();
        let mut renamed: HashSet<(&str, &str)> = self.own_names().collect();
        let is_paired = renamed.iter().all(|&(a, b)| pair(&mut names, a, b));
        let (mut values, mut replaced): (Vec<Value>, _) = (Vec::new(), Vec::new());
        for (a, b) in first.body.clone().zip(second.body.clone()) {
            let (of_a, of_b) = (document.spelled(a), document.spelled(b));
            let is_left_alone =
                has(&words.not_with, of_a) || !first.is_method && has(&words.only_in_methods, of_a);
            let is_name = [a, b].iter().all(|&at| document.tokens[at].is_name());
            let is_member = document.is_member(a)
                || document.spelled(a - 1) == ":" && document.spelled(a - 2) == ":";
            let own = [first, second].map(|function| document.spelled(function.name));
            let is_itself = own.contains(&of_a) || own.contains(&of_b);
            let is_equal = of_a == of_b;
            if is_left_alone
                || is_itself
                || !is_equal && is_member
                || document.unread(a) != document.unread(b)
            {
                return None;
            }
            if is_equal && (!is_name || is_member || pair(&mut names, of_a, of_b)) {
                continue;
            }
            let lines = [(a, first), (b, second)].map(|(at, of)| self.line(at, of));
            let is_declared =
                !is_equal && lines.iter().all(|line| self.patterns.locals.is_match(line));
            if is_equal || is_name && (renamed.contains(&(of_a, of_b)) || is_declared) {
                if !pair(&mut names, of_a, of_b) || !is_declared && self.is_key(a) {
                    return None;
                }
                renamed.insert((of_a, of_b));
                continue;
            }
            let mut rows = self.patterns.values.iter();
            let row =
                rows.find(|row| row.is_value(of_a, &lines[0]) && row.is_value(of_b, &lines[1]))?;
            let of_type = row.row.of_type.replace("{values}", &format!("{of_a} | {of_b}"));
            let known =
                values.iter().find(|value| value.words == [of_a, of_b] && value.of_type == of_type);
            let name = match known {
                Some(value) => value.name.clone(),
                None => self.parameter_name(&row.row.name, &values)?,
            };
            if known.is_none() {
                values.push(Value { name: name.clone(), of_type, words: [of_a, of_b] });
            }
            replaced.push((a, name));
        }
        // What is given to the helper has its meaning outside of the functions.
        let are_outer = values
            .iter()
            .all(|value| (0..2).all(|side| !names[side].contains_key(value.words[side])));
        let is_closed = document.unread(first.unit.end - 1) == document.unread(second.unit.end - 1);
        (is_paired && is_closed && are_outer).then_some((values, replaced))
    }

    /// Whether a name may be a key as well, or the name of an argument: `{a}`, `{a: 1}` and
    /// `f(a=1)`.
    fn is_key(&self, at: usize) -> bool {
        let (before, after) = (self.document.spelled(at - 1), self.document.spelled(at + 1));
        let behind = self.document.spelled((at + 2).min(self.document.tokens.len() - 1));
        let follows = matches!(before, "{" | ",") || self.document.starts_line(at);
        let bracket = self.bracket(at, self.first.body.start).map(|at| self.document.spelled(at));
        let is_element = matches!(before, "{" | ",") && matches!(after, "," | "}");
        follows && after == ":"
            || bracket == Some("{") && is_element
            || bracket == Some("(") && after == "=" && !matches!(behind, "=" | ">")
    }

    /// The bracket that the token at `at` is in, from `start` on.
    fn bracket(&self, at: usize, start: usize) -> Option<usize> {
        let mut depth = 0;
        (start..at).rev().find(|&at| {
            depth += self.document.tokens[at].nesting();
            depth > 0
        })
    }

    fn line(&self, at: usize, of: &Function) -> String {
        let open = self.bracket(at, of.body.start).filter(|&at| self.document.spelled(at) != "{");
        let start = match open {
            Some(open) => open.saturating_sub(2),
            None => (0..=at).rev().find(|&at| self.document.starts_line(at)).unwrap_or(0),
        };
        let end = (self.document.next_line(at) + 1).min(self.document.tokens.len());
        line_around(self.document, at, start.max(of.body.start)..end)
    }

    /// A name that nothing in the file has.
    fn unused_name(&self) -> Option<String> {
        let name = self.document.spelled(self.first.name);
        let mut letters = name.chars();
        let capital: String =
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let name = self.patterns.words.name.replace("{name}", name).replace("{Name}", &capital);
        let is_used = (0..self.document.tokens.len()).any(|at| self.document.spelled(at) == name);
        (!is_used).then_some(name)
    }

    /// A name for a parameter that neither function has.
    fn parameter_name(&self, name: &str, values: &[Value]) -> Option<String> {
        let mut numbered =
            (1..100).map(|n| if n == 1 { name.to_owned() } else { format!("{name}{n}") });
        numbered.find(|name| {
            let mut tokens = self.first.unit.clone().chain(self.second.unit.clone());
            values.iter().all(|value| value.name != *name)
                && tokens.all(|at| self.document.spelled(at) != name)
        })
    }

    /// The helper: the first function with another name, the parameters and what they replace.
    fn written(
        &self,
        helper: &str,
        values: &[Value],
        replaced: Vec<(usize, String)>,
    ) -> Option<String> {
        let (first, document) = (&self.first, self.document);
        let words = &self.patterns.words;
        let parameters = joined(values, values.len(), |value| {
            words.parameter.replace("{name}", &value.name).replace("{type}", &value.of_type)
        });
        let mut edits = vec![(document.bytes(first.name), helper.to_owned())];
        if !values.is_empty() {
            let at = document.bytes(first.receiver.unwrap_or(first.parameters.start)).end;
            let comma = if document.starts_line(first.parameters.start + 1) { "," } else { ", " };
            edits.push(match (first.receiver, first.names.is_empty()) {
                (Some(_), _) => (at..at, format!(", {parameters}")),
                (None, true) => (at..at, parameters),
                (None, false) => (at..at, format!("{parameters}{comma}")),
            });
        }
        let documentation = first.body.start - 1;
        if document.tokens[documentation].kind() == Kind::String {
            let end = document.bytes(first.body.start).start;
            edits.push((document.bytes(documentation).start..end, String::new()));
        }
        edits.extend(replaced.into_iter().map(|(at, name)| (document.bytes(at), name)));
        let modifiers = (first.unit.start..first.head).map(|at| document.spelled(at));
        let modifiers = modifiers.filter(|word| has(&words.modifiers, word));
        let mut text: String = modifiers.flat_map(|word| [word, " "]).collect();
        let mut at = document.bytes(first.head).start;
        for (range, new) in edits {
            text.push_str(std::str::from_utf8(document.text.get(at..range.start)?).ok()?);
            text.push_str(&new);
            at = range.end;
        }
        let end = document.bytes(first.unit.end - 1).end;
        text.push_str(std::str::from_utf8(&document.text[at..end]).ok()?);
        Some(text)
    }
}

/// Takes a name for the counterpart of another; `false` if one of them has another counterpart.
fn pair<'d>(names: &mut [HashMap<&'d str, &'d str>; 2], a: &'d str, b: &'d str) -> bool {
    *names[0].entry(a).or_insert(b) == b && *names[1].entry(b).or_insert(a) == a
}
