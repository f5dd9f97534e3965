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
use crate::policy::{Finding, Fragment, Origin, Place};

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
    let is_here = |of: &&Origin| of.place == Place::Tree && of.path == finding.path;
    let origins = finding.origins.iter().filter(is_here);
    // Editors ask wherever the cursor goes: most copies need no file read and no pattern compiled.
    if origins.clone().next().is_none() {
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
    let line_of = |at: usize| text.lines().line_of(tokens[at].start);
    let functions = document.functions();
    // Those that are at least half in it.
    let within = |fragment: &Fragment| -> Vec<&Unit> {
        let is_within = |unit: &&Unit| {
            let (first, last) = (line_of(unit.tokens.start), line_of(unit.tokens.end - 1));
            let n_shared =
                (last.min(fragment.end.line) + 1).saturating_sub(first.max(fragment.start.line));
            2 * n_shared > last - first
        };
        functions.iter().filter(is_within).collect()
    };
    let copies = within(&finding.fragment);
    let pairs = origins.flat_map(|origin| copies.clone().into_iter().zip(within(&origin.fragment)));
    let write = |(copy, origin): (&Unit, &Unit)| {
        let (first, second) =
            if copy.tokens.start < origin.tokens.start { (copy, origin) } else { (origin, copy) };
        let pair = Pair {
            document: &document,
            patterns: &patterns,
            first: Function::new(&document, &patterns, first)?,
            second: Function::new(&document, &patterns, second)?,
        };
        let position = |at: usize| text.lines().position(text, at as u32);
        let edits = pair.edits()?.into_iter().map(|(bytes, text)| {
            (Fragment { start: position(bytes.start), end: position(bytes.end) }, text)
        });
        let functions =
            [&pair.first, &pair.second].map(|function| document.spelled(function.name).to_owned());
        Some(Extraction { functions, edits: edits.collect() })
    };
    pairs.filter_map(write).collect()
}

impl<'d> Document<'d> {
    /// The text of a token.
    fn spelled(&self, at: usize) -> &'d str {
        std::str::from_utf8(self.tokens[at].text(self.text)).unwrap_or_default()
    }

    /// The text between two tokens, without white space: comments, and imports.
    fn unread(&self, at: usize) -> String {
        let before = at.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let text = String::from_utf8_lossy(&self.text[before..self.tokens[at].start as usize]);
        text.split_whitespace().collect()
    }

    fn line_start(&self, at: usize) -> usize {
        (0..=at).rev().find(|&at| self.starts_line(at)).unwrap_or(0)
    }

    /// The white space before the first token of a line.
    fn margin(&self, at: usize) -> &'d str {
        let start = self.tokens[at].start as usize;
        std::str::from_utf8(&self.text[start - self.indent(at)..start]).unwrap_or_default()
    }
}

/// Whether a list of words has this one.
fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|of| of == word)
}

/// A function, as tokens.
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
        let (words, word) = (&patterns.words, |at: usize| document.spelled(at));
        let (name, tokens) = (unit.name?, unit.tokens.clone());
        let head = (tokens.start..name)
            .find(|&at| document.words.defines_function(word(at).as_bytes()))
            .unwrap_or(name);
        let is_known =
            |at: usize| has(&words.modifiers, word(at)) || has(&words.visibility, word(at));
        let caller = match name.saturating_sub(head) {
            0 | 1 => None,
            // Its name and its type.
            4.. if document.closing(head + 1, name) == Some(name - 1) => Some(word(head + 2)),
            _ => return None,
        };
        let open = Some(name + 1).filter(|&at| at < tokens.end && word(at) == "(")?;
        let close = document.closing(open, tokens.end)?;
        let end = document.head_of(unit)?.end;
        let is_in_braces = end < tokens.end && word(end) == "{";
        let mut body = if is_in_braces { end + 1..tokens.end - 1 } else { end..tokens.end };
        let is_whole = if is_in_braces {
            document.closing(end, tokens.end) == Some(body.end)
        } else {
            word(end - 1) == ":"
        };
        if words.docstrings
            && !body.is_empty()
            && document.tokens[body.start].kind() == Kind::String
        {
            let is_statement = document.starts_line(body.start + 1);
            body.start += usize::from(is_statement);
        }
        // A single line is no longer than a call.
        let is_on_lines = document.starts_line(tokens.end)
            && !body.is_empty()
            && document.starts_line(body.start)
            && document.next_line(body.start) < body.end;
        let result = close + 1..end - usize::from(!is_in_braces);
        let is_clear =
            words.not_returned.as_ref().is_none_or(|not| result.clone().all(|at| word(at) != not));
        if !is_whole || !is_on_lines || !is_clear || !(tokens.start..head).all(is_known) {
            return None;
        }
        let scope = (0..tokens.start).rev().find(|&at| {
            let is_outer =
                document.starts_line(at) && document.indent(at) < document.indent(tokens.start);
            is_outer && document.tokens[at].kind() != Kind::Punctuation
        });
        let scope = scope.filter(|_| document.indent(tokens.start) > 0);
        let kind = scope.map(|at| Scope::new(document, patterns, at));
        let mut function = Self {
            unit: tokens,
            head,
            name,
            parameters: open..close,
            names: Vec::new(),
            receiver: None,
            caller,
            scope,
            is_method: caller.is_some() || kind == Some(Scope::Type),
            returns: !result.is_empty(),
            body,
            is_in_braces,
        };
        let is_annotated = function.is_annotated(document, patterns);
        let is_readable =
            function.read_parameters(document, patterns, kind == Some(Scope::Type)).is_some();
        (kind != Some(Scope::Other) && !is_annotated && is_readable).then_some(function)
    }

    /// Whether something above it is no comment, and no annotation that may be there.
    fn is_annotated(&self, document: &Document, patterns: &HelperPatterns) -> bool {
        let above = (0..self.unit.start).rev().filter(|&at| document.starts_line(at));
        let mut above = above.take_while(|&at| matches!(document.spelled(at), "@" | "#" | "["));
        let line = |at: usize| line_around(document, at, at..document.next_line(at));
        above.any(|at| !patterns.annotations.as_ref().is_some_and(|of| of.is_match(&line(at))))
    }

    /// Reads the names of the parameters; `None` where one is none, such as a pattern.
    fn read_parameters(
        &mut self,
        document: &Document<'d>,
        patterns: &HelperPatterns,
        in_type: bool,
    ) -> Option<()> {
        let word = |at: usize| document.spelled(at);
        let parts = parts(document, self.parameters.clone())?;
        let receiver = patterns.words.receiver.as_ref();
        let is_receiver = |part: &Range<usize>| {
            receiver.is_some_and(|receiver| part.clone().any(|at| word(at) == receiver))
        };
        self.receiver = parts.first().filter(|part| is_receiver(part)).map(|part| part.end - 1);
        if receiver.is_some() && self.receiver.is_some() != in_type {
            return None;
        }
        let is_typed = patterns.words.parameter.contains("{type}");
        let parts = &parts[usize::from(self.receiver.is_some())..];
        for part in parts {
            let is_name = |at: usize| document.tokens[at].kind() == Kind::Identifier;
            let n_before =
                usize::from(part.len() > 1 && document.tokens[part.start].kind() == Kind::Keyword);
            let name = Some(part.start + n_before).filter(|&at| is_name(at) && word(at) != "_")?;
            let is_one = name + 1 == part.end;
            if !is_one && matches!(word(name + 1), "." | "{" | "(")
                || is_one && is_typed && *part == parts[parts.len() - 1]
            {
                return None;
            }
            self.names.push(word(name));
        }
        Some(())
    }
}

/// What a function is indented in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// A type, of which it is a method.
    Type,
    /// Code in which functions are called as elsewhere.
    Plain,
    /// Anything else.
    Other,
}

impl Scope {
    fn new(document: &Document, patterns: &HelperPatterns, at: usize) -> Self {
        let words = &patterns.words;
        let line: Vec<&str> = (at..document.next_line(at)).map(|at| document.spelled(at)).collect();
        let has_any = |words: &str| line.iter().any(|word| has(words, word));
        match (has_any(&words.types), has_any(&words.scopes)) {
            _ if has_any(&words.not_types) => Self::Other,
            (true, _) => Self::Type,
            (false, true) => Self::Plain,
            (false, false) => Self::Other,
        }
    }
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

impl<'d> Pair<'d, '_> {
    fn edits(&self) -> Option<Vec<(Range<usize>, String)>> {
        let (first, second, document) = (&self.first, &self.second, self.document);
        let kinds = [first, second]
            .map(|of| (of.scope, of.is_method, of.returns, of.names.len(), of.receiver.is_some()));
        let is_apart = first.unit.end <= second.unit.start;
        if kinds[0] != kinds[1]
            || !is_apart
            || first.body.len() != second.body.len()
            || !self.has_same_head()
        {
            return None;
        }
        let (values, replaced) = self.differences()?;
        let helper = self.unused_name()?;
        let is_crlf = document.text.windows(2).any(|pair| pair == b"\r\n");
        let end = if is_crlf { "\r\n" } else { "\n" };
        let call = |function: &Function, side: usize| {
            let values = values.iter().map(|value| value.words[side]);
            let arguments: Vec<&str> = values.chain(function.names.iter().copied()).collect();
            let call = format!("{helper}({})", arguments.join(", "));
            let words = &self.patterns.words;
            let call = match function.caller {
                Some(caller) => format!("{caller}.{call}"),
                None if function.is_method => words.method.replace("{call}", &call),
                None => call,
            };
            let statement =
                words.returns.as_ref().filter(|_| function.returns).unwrap_or(&words.call);
            let (margin, closing) =
                (document.margin(function.body.start), document.margin(function.unit.start));
            let closing =
                if function.is_in_braces { format!("{end}{closing}}}") } else { String::new() };
            format!("{end}{margin}{}{closing}", statement.replace("{call}", &call))
        };
        let place = |function: &Function| {
            let end = |at: usize| document.tokens[at].end as usize;
            end(function.body.start - 1)..end(function.unit.end - 1)
        };
        let written = self.written(&helper, &values, replaced)?;
        let margin = document.margin(first.unit.start);
        Some(vec![
            (place(first), format!("{}{end}{end}{margin}{written}", call(first, 0))),
            (place(second), call(second, 1)),
        ])
    }

    /// What the parameters of both are called, and what a call of each begins with.
    fn own_names(&self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let parameters = self.first.names.iter().copied().zip(self.second.names.iter().copied());
        parameters.chain(self.first.caller.zip(self.second.caller))
    }

    /// Whether the heads differ only in the names of the functions and their parameters, and in
    /// default values.
    fn has_same_head(&self) -> bool {
        let (first, second, document) = (&self.first, &self.second, self.document);
        let head = |of: &Function| of.head..of.body.start;
        // Documentation may be on one side only.
        let signature = |of: &Function| of.head..of.parameters.end + 1;
        let n = signature(first).len();
        let renamed = |a: &str, b: &str| self.own_names().any(|names| names == (a, b));
        let is_same = |(a, b): (usize, usize)| {
            let (of_a, of_b) = (document.spelled(a), document.spelled(b));
            let is_default = a > first.name
                && document.spelled(a - 1) == "="
                && document.tokens[a].kind() != Kind::Identifier;
            let is_equal = of_a == of_b || a == first.name || is_default || renamed(of_a, of_b);
            is_equal && (a == first.head || document.unread(a) == document.unread(b))
        };
        let results = [first, second].map(|of| {
            let result = of.parameters.end + 1..head(of).end;
            result
                .map(|at| document.spelled(at))
                .take_while(|word| !word.starts_with(['"', '\'']))
                .collect::<Vec<_>>()
        });
        n == signature(second).len()
            && results[0] == results[1]
            && signature(first).zip(signature(second)).all(is_same)
    }

    /// What the bodies differ in besides their own names, and the tokens of the first in whose
    /// place it is; `None` if that is more than can be told.
    fn differences(&self) -> Option<Differences<'d>> {
        let (first, second, document) = (&self.first, &self.second, self.document);
        let (words, word) = (&self.patterns.words, |at: usize| document.spelled(at));
        let mut names: [HashMap<&str, &str>; 2] = Default::default();
        let mut pair =
            |a, b| *names[0].entry(a).or_insert(b) == b && *names[1].entry(b).or_insert(a) == a;
        let mut renamed: HashSet<(&str, &str)> = self.own_names().collect();
        let is_paired = renamed.iter().all(|&(a, b)| pair(a, b));
        let (mut values, mut replaced): (Vec<Value>, _) = (Vec::new(), Vec::new());
        for (a, b) in first.body.clone().zip(second.body.clone()) {
            let (of_a, of_b) = (word(a), word(b));
            let is_left_alone =
                has(&words.not_with, of_a) || !first.is_method && has(&words.only_in_methods, of_a);
            let is_name = document.tokens[a].kind() == Kind::Identifier
                && document.tokens[b].kind() == Kind::Identifier;
            let is_member = document.is_member(a) || word(a - 1) == ":" && word(a - 2) == ":";
            let is_itself =
                [of_a, of_b].iter().any(|of| [word(first.name), word(second.name)].contains(of));
            let is_equal = of_a == of_b;
            if is_left_alone
                || is_itself
                || !is_equal && is_member
                || document.unread(a) != document.unread(b)
            {
                return None;
            }
            if is_equal && (!is_name || is_member || pair(of_a, of_b)) {
                continue;
            }
            let lines = [(a, first), (b, second)].map(|(at, of)| self.line(at, of));
            let is_declared =
                !is_equal && lines.iter().all(|line| self.patterns.locals.is_match(line));
            if is_equal || is_name && (renamed.contains(&(of_a, of_b)) || is_declared) {
                if !pair(of_a, of_b) || !is_declared && self.is_key(a) {
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
        let is_outer =
            |value: &Value| (0..2).all(|side| !names[side].contains_key(value.words[side]));
        let is_closed = document.unread(first.unit.end - 1) == document.unread(second.unit.end - 1);
        (is_paired && is_closed && values.iter().all(is_outer)).then_some((values, replaced))
    }

    /// Whether a name may be a key as well, or the name of an argument: `{a}`, `{a: 1}` and
    /// `f(a=1)`.
    fn is_key(&self, at: usize) -> bool {
        let (before, after) = (self.document.spelled(at - 1), self.document.spelled(at + 1));
        let behind = self.document.spelled((at + 2).min(self.document.tokens.len() - 1));
        let follows = matches!(before, "{" | ",") || self.document.starts_line(at);
        let is_in = |bracket: &str| {
            self.bracket(at, self.first.body.start)
                .is_some_and(|at| self.document.spelled(at) == bracket)
        };
        follows && after == ":"
            || is_in("{") && matches!(before, "{" | ",") && matches!(after, "," | "}")
            || is_in("(") && after == "=" && !matches!(behind, "=" | ">")
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
        let bracket =
            self.bracket(at, of.body.start).filter(|&at| self.document.spelled(at) != "{");
        let start = bracket
            .map_or_else(|| self.document.line_start(at), |bracket| bracket.saturating_sub(2));
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
        let numbered =
            (1..100).map(|n| if n == 1 { name.to_owned() } else { format!("{name}{n}") });
        let is_unused = |name: &String| {
            let mut tokens = self.first.unit.clone().chain(self.second.unit.clone());
            values.iter().all(|value| value.name != *name)
                && tokens.all(|at| self.document.spelled(at) != name)
        };
        numbered.into_iter().find(is_unused)
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
        let parameter = |value: &Value| {
            words.parameter.replace("{name}", &value.name).replace("{type}", &value.of_type)
        };
        let parameters: Vec<String> = values.iter().map(parameter).collect();
        let parameters = parameters.join(", ");
        let bytes =
            |at: usize| document.tokens[at].start as usize..document.tokens[at].end as usize;
        let mut edits: Vec<(Range<usize>, String)> = vec![(bytes(first.name), helper.to_owned())];
        if !values.is_empty() {
            let at = bytes(first.receiver.unwrap_or(first.parameters.start)).end;
            let separator =
                if document.starts_line(first.parameters.start + 1) { "," } else { ", " };
            edits.push(match (first.receiver, first.names.is_empty()) {
                (Some(_), _) => (at..at, format!(", {parameters}")),
                (None, true) => (at..at, parameters),
                (None, false) => (at..at, format!("{parameters}{separator}")),
            });
        }
        let documentation = first.body.start - 1;
        if document.tokens[documentation].kind() == Kind::String {
            edits.push((bytes(documentation).start..bytes(first.body.start).start, String::new()));
        }
        edits.extend(replaced.into_iter().map(|(at, name)| (bytes(at), name)));
        let modifiers = (first.unit.start..first.head).map(|at| document.spelled(at));
        let mut text: String = modifiers
            .filter(|word| has(&words.modifiers, word))
            .flat_map(|word| [word, " "])
            .collect();
        let mut at = bytes(first.head).start;
        for (range, new) in edits {
            text.push_str(std::str::from_utf8(document.text.get(at..range.start)?).ok()?);
            text.push_str(&new);
            at = range.end;
        }
        text.push_str(std::str::from_utf8(&document.text[at..bytes(first.unit.end - 1).end]).ok()?);
        Some(text)
    }
}
