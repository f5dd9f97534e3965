//! Holds sample code of five languages, and edits it as people do.
//!
//! Each language brings three functions of 60 to 150 tokens that have nothing
//! in common, and what is needed to copy one of them with changes.

/// A language, its sample functions, and edits of the first of them.
#[derive(Debug)]
pub struct Language {
    /// The extension of its files.
    pub extension: &'static str,
    /// What opens a comment that ends with its line.
    pub comment: &'static str,
    /// What stands at the top of a file.
    pub head: &'static str,
    /// Three functions that have nothing in common.
    pub first: &'static str,
    pub second: &'static str,
    pub third: &'static str,
    /// A run of whole lines in `second`, of more than 50 tokens.
    pub piece: &'static str,
    /// A line of `first` that statements may follow.
    pub anchor: &'static str,
    /// The lines that `first` begins with, and those it ends with.
    pub opening: &'static str,
    pub closing: &'static str,
    /// A statement of `first` that is not its last, and a few tokens in its place.
    pub statement: (&'static str, &'static str),
    /// Statements that may be put into any function, of less than 50 tokens.
    pub insertion: &'static str,
    /// Names in `first`, and others for them.
    pub names: &'static [(&'static str, &'static str)],
    /// A literal in `first`, and another of its kind.
    pub literal: (&'static str, &'static str),
    /// A list of imports, of more than 50 tokens.
    pub imports: &'static str,
    /// A table of numbers, and a text in pieces, each of more than 50 tokens.
    pub numbers: &'static str,
    pub text: &'static str,
}

/// A file of a repository.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Language {
    /// The file `name`, which holds `parts` with a blank line between.
    pub fn file(&self, name: &str, parts: &[&str]) -> File {
        File { path: self.path(name), text: format!("{}{}", self.head, parts.join("\n")) }
    }

    /// The path of the file `name`.
    pub fn path(&self, name: &str) -> String {
        format!("{name}.{}", self.extension)
    }

    /// `first`, with all its names changed one to one.
    pub fn renamed(&self) -> String {
        renamed(self.first, self.names)
    }

    /// `first`, with a name that stands in several places changed in the first of them.
    pub fn renamed_once(&self) -> String {
        let occurrences = |name: &str| {
            words(self.first).filter(|&(_, word)| word == name).map(|(at, _)| at).collect()
        };
        let repeated = self.names.iter().find_map(|(from, to)| {
            let places: Vec<usize> = occurrences(from);
            (places.len() > 1).then(|| (places[0], from, to))
        });
        let (at, from, to) = repeated.expect("a name stands in several places");
        format!("{}{to}{}", &self.first[..at], &self.first[at + from.len()..])
    }

    /// `first`, with another literal.
    pub fn with_other_literal(&self) -> String {
        replaced(self.first, self.literal.0, self.literal.1)
    }

    /// `first`, with `statements` after its anchor.
    pub fn with_inserted(&self, statements: &str) -> String {
        inserted_after(self.first, self.anchor, statements)
    }

    /// `first`, without one of its statements.
    pub fn with_deleted(&self) -> String {
        replaced(self.first, self.statement.0, "")
    }

    /// `first`, with another statement in the place of one.
    pub fn with_changed(&self) -> String {
        replaced(self.first, self.statement.0, self.statement.1)
    }

    /// `text`, with other comments: before its second line, and at the end of some lines.
    pub fn commented(&self, text: &str) -> String {
        let comment = self.comment;
        let lines = text.lines().enumerate().map(|(at, line)| match at % 3 {
            1 => format!("    {comment} Why this is so: \"see\" {{ the manual }}.\n\n{line}\n"),
            2 => format!("{line} {comment} as above\n"),
            _ => format!("{line}\n"),
        });
        lines.collect()
    }

    /// A license header of `n` lines.
    pub fn header(&self, n: usize) -> String {
        let comment = self.comment;
        let line = |at| {
            format!(
                "{comment} Permission is granted, free of charge, to use (part {at}) = \"as is\".\n"
            )
        };
        (1..=n).map(line).collect::<String>() + "\n"
    }
}

impl File {
    /// The lines on which `part` stands, with the path: `a.c:1-12`.
    #[track_caller]
    pub fn at(&self, part: &str) -> String {
        self.nth(1, part)
    }

    /// The lines on which `part` stands for the `n`th time.
    #[track_caller]
    pub fn nth(&self, n: usize, part: &str) -> String {
        let (start, _) =
            self.text.match_indices(part).nth(n - 1).expect("the file holds the part as often");
        let first = self.text[..start].matches('\n').count() + 1;
        format!("{}:{first}-{}", self.path, first + part.trim_end().matches('\n').count())
    }

    /// The same text under another name.
    pub fn named(&self, path: String) -> File {
        File { path, text: self.text.clone() }
    }

    /// The same file with its text changed by `edit`.
    pub fn edited(&self, edit: impl FnOnce(&str) -> String) -> File {
        File { path: self.path.clone(), text: edit(&self.text) }
    }
}

/// `text`, every level of its indentation three times as wide.
pub fn reindented(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let code = line.trim_start();
        format!("{}{code}\n", line[..line.len() - code.len()].repeat(3))
    });
    lines.collect()
}

/// `text`, with a line end after every opening parenthesis that may have one.
pub fn rewrapped(text: &str) -> String {
    text.replace('(', "(\n            ").replace("(\n            )", "()")
}

/// `text`, with the line ends of Windows.
pub fn with_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

/// `text`, with the words of `names` replaced.
pub fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let mut renamed = String::new();
    let mut end = 0;
    for (at, word) in words(text) {
        renamed.push_str(&text[end..at]);
        renamed.push_str(names.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| to));
        end = at + word.len();
    }
    renamed.push_str(&text[end..]);
    assert_ne!(renamed, text, "a name stands in the text");
    renamed
}

/// `text`, with a call after each line but the first and the last.
pub fn traced(text: &str) -> String {
    let n_lines = text.lines().count();
    let lines = text.lines().enumerate().map(|(at, line)| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let call = if at == 0 || at + 1 == n_lines {
            String::new()
        } else {
            format!("{indent}trace({at}, now());\n")
        };
        format!("{line}\n{call}")
    });
    lines.collect()
}

/// `text`, with all calls made on an object: `f(x)` becomes `env.f(x)`.
pub fn rewritten(text: &str) -> String {
    let is_called = |at: usize| text[at..].starts_with('(') && !text[..at].ends_with([' ', '(']);
    let calls: Vec<usize> =
        words(text).filter(|&(at, word)| is_called(at + word.len())).map(|(at, _)| at).collect();
    assert!(!calls.is_empty(), "there are calls");
    let mut rewritten = String::new();
    let mut end = 0;
    for at in calls {
        rewritten.push_str(&text[end..at]);
        rewritten.push_str("env.");
        end = at;
    }
    rewritten.push_str(&text[end..]);
    rewritten
}

/// The words of `text`, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// `text`, with `statements` after the line that is `anchor`.
#[track_caller]
pub fn inserted_after(text: &str, anchor: &str, statements: &str) -> String {
    replaced(text, anchor, &format!("{anchor}{statements}"))
}

/// `text`, with `to` in the place of `from`.
#[track_caller]
pub fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "this stands in the text once: {from}");
    text.replace(from, to)
}

/// The sample languages.
pub const LANGUAGES: &[Language] = &[C, PYTHON, TYPESCRIPT, GO, JAVA];

const C: Language = Language {
    extension: "c",
    comment: "//",
    head: "",
    first: r#"static int find_slot(const struct table *table, const char *key, size_t length)
{
    size_t mask = table->capacity - 1;
    size_t slot = hash_bytes(key, length) & mask;
    for (size_t step = 1; step <= table->capacity; step++) {
        const struct entry *entry = &table->entries[slot];
        if (entry->key == NULL)
            return -1;
        if (entry->length == length && memcmp(entry->key, key, length) == 0)
            return (int)slot;
        slot = (slot + step) & mask;
    }
    return -1;
}
"#,
    second: r#"int read_options(struct options *options, FILE *input)
{
    char line[512];
    int number = 0;
    while (fgets(line, sizeof line, input)) {
        char *value = strchr(line, '=');
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!value) {
            fprintf(stderr, "line %d has no value\n", number);
            return 1;
        }
        *value++ = '\0';
        if (!strcmp(line, "depth"))
            options->depth = atoi(value);
        else if (!strcmp(line, "name"))
            snprintf(options->name, sizeof options->name, "%s", value);
    }
    return 0;
}
"#,
    third: r#"void print_histogram(const unsigned *counts, int n_buckets, double width)
{
    unsigned highest = 1;
    for (int i = 0; i < n_buckets; i++)
        highest = counts[i] > highest ? counts[i] : highest;
    for (int i = 0; i < n_buckets; i++) {
        int n_stars = (int)(counts[i] * width / highest);
        printf("%4d | ", i);
        while (n_stars-- > 0)
            putchar('*');
        printf(" %u\n", counts[i]);
    }
}
"#,
    piece: r#"        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!value) {
            fprintf(stderr, "line %d has no value\n", number);
            return 1;
        }
        *value++ = '\0';
        if (!strcmp(line, "depth"))
            options->depth = atoi(value);
"#,
    opening: "static int find_slot(const struct table *table, const char *key, size_t length)\n{\n",
    closing: "    return -1;\n}\n",
    anchor: "        const struct entry *entry = &table->entries[slot];\n",
    statement: (
        "        slot = (slot + step) & mask;\n",
        "        slot = next_slot(table, slot);\n",
    ),
    insertion: "    if (trace_level > 2)\n        trace(\"at %s:%d\", __FILE__, __LINE__);\n",
    names: &[
        ("slot", "place"),
        ("find_slot", "find_place"),
        ("mask", "bits"),
        ("step", "turn"),
        ("key", "name"),
        ("length", "n_name"),
        ("entry", "row"),
        ("table", "directory"),
    ],
    literal: ("size_t step = 1", "size_t step = 3"),
    imports: r#"#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "table.h"
#include "util/options.h"
"#,
    numbers: r#"static const short cosines[] = {
    0x7fff, 0x7fd8, 0x7f61, 0x7e9c, 0x7d89, 0x7c29, 0x7a7c, 0x7884,
    0x7641, 0x73b5, 0x70e2, 0x6dc9, 0x6a6d, 0x66cf, 0x62f1, 0x5ed7,
    0x5a82, 0x55f5, 0x5133, 0x4c3f, 0x471c, 0x41ce, 0x3c56, 0x36ba,
    -1, -2, 3, -4, 5, -6, -7, -8, 9, 10, -11, 12, -13, -14, 15, -16,
};
"#,
    text: r#"static const char usage[] =
    "usage: sort [options] [file]...\n"
    "  -n     compare by number\n"
    "  -r     reverse the order\n"
    "  -u     each line once\n"
    "  -k N   compare from field N on\n"
    "  -t C   fields end with C\n"
    "  -o F   write to the file F\n"
    "  -s     keep the order of equal lines\n"
    "  -m     merge files that are sorted\n"
    "  -c     check whether it is sorted\n"
    "  -z     lines end with NUL\n"
    "  -h     print this help\n";
"#,
};

const PYTHON: Language = Language {
    extension: "py",
    comment: "#",
    head: "",
    first: r#"def shortest_path(graph, start, goal):
    distances = {start: 0}
    previous = {}
    queue = [(0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        if node == goal:
            break
        if distance > distances[node]:
            continue
        for neighbor, weight in graph[node].items():
            total = distance + weight
            if total < distances.get(neighbor, math.inf):
                distances[neighbor] = total
                previous[neighbor] = node
                heapq.heappush(queue, (total, neighbor))
    return distances, previous
"#,
    second: r##"def read_settings(path, defaults=None):
    settings = dict(defaults or {})
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            key, separator, value = line.partition("=")
            if not separator:
                raise ValueError(f"{path}:{number}: no value")
            if value.strip().isdigit():
                settings[key.strip()] = int(value)
            else:
                settings[key.strip()] = value.strip()
    return settings
"##,
    third: r#"def format_table(rows, headers):
    widths = [len(header) for header in headers]
    for row in rows:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], len(str(cell)))
    rule = "+".join("-" * (width + 2) for width in widths)
    lines = [" | ".join(header.ljust(width) for header, width in zip(headers, widths)), rule]
    for row in rows:
        lines.append(" | ".join(str(cell).ljust(width) for cell, width in zip(row, widths)))
    return "\n".join(lines)
"#,
    piece: r##"            line = line.split("#", 1)[0].strip()
            if not line:
                continue
            key, separator, value = line.partition("=")
            if not separator:
                raise ValueError(f"{path}:{number}: no value")
            if value.strip().isdigit():
                settings[key.strip()] = int(value)
"##,
    opening: "def shortest_path(graph, start, goal):\n    distances = {start: 0}\n",
    closing: "    return distances, previous\n",
    anchor: "        distance, node = heapq.heappop(queue)\n",
    statement: (
        "                previous[neighbor] = node\n",
        "                parents.add(node, neighbor)\n",
    ),
    insertion: "        if tracer is not None:\n            tracer.emit(\"step\", level=2)\n",
    names: &[
        ("shortest_path", "cheapest_route"),
        ("graph", "roads"),
        ("node", "town"),
        ("neighbor", "suburb"),
        ("distance", "price"),
        ("distances", "prices"),
        ("previous", "origin"),
        ("total", "amount"),
    ],
    literal: ("{start: 0}", "{start: 1.5}"),
    imports: r#"import argparse
import asyncio
import collections.abc
import contextlib
import dataclasses as dc
import functools, itertools
import json
import logging
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping
from urllib.parse import (
    parse_qs,
    quote,
    urlsplit,
)
from .settings import read_settings as read
"#,
    numbers: r#"COSINES = [
    0.99939083, 0.99756405, 0.99452190, 0.99026807, 0.98480775, 0.97814760,
    0.97029573, 0.96126170, 0.95105652, 0.93969262, 0.92718385, 0.91354546,
    -1, -2, 3, -4, 5, -6, -7, -8, 9, 10, -11, 12, -13, -14, 15, -16,
    (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12), (13, 14, 15), (16, 17, 18),
]
"#,
    text: r#"USAGE = (
    "usage: sort [options] [file]...\n"
    "  -n     compare by number\n"
    "  -r     reverse the order\n"
    "  -u     each line once\n"
    "  -k N   compare from field N on\n"
    "  -t C   fields end with C\n"
    "  -o F   write to the file F\n"
    "  -s     keep the order of equal lines\n"
    "  -m     merge files that are sorted\n"
    "  -c     check whether it is sorted\n"
    "  -z     lines end with NUL\n"
    "  -h     print this help\n"
)
"#,
};

const TYPESCRIPT: Language = Language {
    extension: "ts",
    comment: "//",
    head: "",
    first: r#"export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {
  let delay = options.delay ?? 100;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt >= options.attempts || !options.isTransient(error)) {
        throw error;
      }
      options.log?.(`attempt ${attempt} failed, next in ${delay} ms`);
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay = Math.min(delay * 2, options.longest);
    }
  }
}
"#,
    second: r#"export function groupBy<K extends string, V>(items: readonly V[], keyOf: (item: V) => K | undefined) {
  const groups = new Map<K, V[]>();
  const rest: V[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) {
      rest.push(item);
      continue;
    }
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [item]);
    }
  }
  return { groups, rest };
}
"#,
    third: r#"function parseQuery(query: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const part of query.replace(/^\?/, "").split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const name = decodeURIComponent(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : decodeURIComponent(part.slice(at + 1).replaceAll("+", " "));
    (fields[name] ??= []).push(value);
  }
  return fields;
}
"#,
    piece: r#"    const key = keyOf(item);
    if (key === undefined) {
      rest.push(item);
      continue;
    }
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [item]);
    }
"#,
    opening: "export async function retry<T>(action: () => Promise<T>, options: RetryOptions): Promise<T> {\n",
    closing: "      delay = Math.min(delay * 2, options.longest);\n    }\n  }\n}\n",
    anchor: "      options.log?.(`attempt ${attempt} failed, next in ${delay} ms`);\n",
    statement: (
        "      await new Promise((resolve) => setTimeout(resolve, delay));\n",
        "      await pause(clock, delay / 2);\n",
    ),
    insertion: "      if (tracer !== null) {\n        tracer.emit(\"step\", { level: 2 });\n      }\n",
    names: &[
        ("retry", "persist"),
        ("action", "request"),
        ("options", "policy"),
        ("delay", "pause"),
        ("attempt", "round"),
        ("error", "reason"),
        ("resolve", "done"),
    ],
    literal: ("delay * 2", "delay * 1.5"),
    imports: r#"import assert from "node:assert";
import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import path, { join, relative, resolve } from "node:path";
import type { Server } from "node:http";
import {
  groupBy,
  parseQuery,
  retry,
  type RetryOptions,
} from "./util.js";
import "./polyfills.js";
import { Cache } from "../cache/cache.js";
import { Session } from "../session.js";
"#,
    numbers: r#"export const cosines = [
  0.99939083, 0.99756405, 0.9945219, 0.99026807, 0.98480775, 0.9781476,
  0.97029573, 0.9612617, 0.95105652, 0.93969262, 0.92718385, 0.91354546,
  -1, -2, 3, -4, 5, -6, -7, -8, 9, 10, -11, 12, -13, -14, 15, -16,
  [1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15], [16, 17, 18],
];
"#,
    text: r#"export const usage =
  "usage: sort [options] [file]...\n" +
  "  -n     compare by number\n" +
  "  -r     reverse the order\n" +
  "  -u     each line once\n" +
  "  -k N   compare from field N on\n" +
  "  -t C   fields end with C\n" +
  "  -o F   write to the file F\n" +
  "  -s     keep the order of equal lines\n" +
  "  -m     merge files that are sorted\n" +
  "  -c     check whether it is sorted\n" +
  "  -z     lines end with NUL\n" +
  "  -i     ignore what is not printable\n" +
  "  -f     upper and lower case are the same\n" +
  "  -b     ignore leading blanks\n" +
  "  -M     compare by month\n" +
  "  -V     compare by version\n" +
  "  -R     shuffle\n" +
  "  -d     compare by dictionary\n" +
  "  -g     compare by general number\n" +
  "  -S N   use N bytes of memory\n" +
  "  -T D   use D for temporary files\n" +
  "  -q     print nothing\n" +
  "  -v     print more\n" +
  "  -w N   lines are N wide\n" +
  "  -x     hexadecimal\n" +
  "  -h     print this help\n";
"#,
};

const GO: Language = Language {
    extension: "go",
    comment: "//",
    head: "package sample\n\n",
    first: r#"func (c *Cache) Get(key string, load func(string) ([]byte, error)) ([]byte, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if entry, ok := c.entries[key]; ok && time.Since(entry.loaded) < c.lifetime {
		c.hits++
		return entry.value, nil
	}
	value, err := load(key)
	if err != nil {
		return nil, fmt.Errorf("load %q: %w", key, err)
	}
	c.misses++
	c.entries[key] = entry{value: value, loaded: time.Now()}
	return value, nil
}
"#,
    second: r##"func scanLevels(input io.Reader, minimum int) (map[string]int, error) {
	counts := make(map[string]int)
	scanner := bufio.NewScanner(input)
	for scanner.Scan() {
		fields := strings.SplitN(scanner.Text(), " ", 3)
		if len(fields) < 3 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		level, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		if level >= minimum {
			counts[fields[2]] += level
		}
	}
	return counts, scanner.Err()
}
"##,
    third: r#"func walkTree(root *Node, visit func(*Node, int) bool) int {
	type item struct {
		node  *Node
		depth int
	}
	seen := 0
	stack := []item{{root, 0}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		seen++
		if !visit(top.node, top.depth) {
			continue
		}
		for i := len(top.node.Children) - 1; i >= 0; i-- {
			stack = append(stack, item{top.node.Children[i], top.depth + 1})
		}
	}
	return seen
}
"#,
    piece: r##"		fields := strings.SplitN(scanner.Text(), " ", 3)
		if len(fields) < 3 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		level, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
"##,
    opening: "func (c *Cache) Get(key string, load func(string) ([]byte, error)) ([]byte, error) {\n",
    closing: "\treturn value, nil\n}\n",
    anchor: "		c.hits++\n",
    statement: ("	c.misses++\n", "	c.events = append(c.events, miss)\n"),
    insertion: "	if tracer != nil {\n		tracer.Emit(\"step\", 2)\n	}\n",
    names: &[
        ("c", "store"),
        ("Cache", "Store"),
        ("key", "name"),
        ("load", "fetch"),
        ("entry", "row"),
        ("entries", "rows"),
        ("value", "body"),
        ("err", "failure"),
        ("ok", "found"),
    ],
    literal: ("\"load %q: %w\"", "\"cannot get %q: %w\""),
    imports: r#"import "embed"

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/sample/cache"
	_ "example.com/sample/drivers"
	log "example.com/sample/logging"
)
"#,
    numbers: r#"var cosines = [...]float64{
	0.99939083, 0.99756405, 0.99452190, 0.99026807, 0.98480775, 0.97814760,
	0.97029573, 0.96126170, 0.95105652, 0.93969262, 0.92718385, 0.91354546,
	-1, -2, 3, -4, 5, -6, -7, -8, 9, 10, -11, 12, -13, -14, 15, -16,
	0x7fff, 0x7fd8, 0x7f61, 0x7e9c, 0x7d89, 0x7c29, 0x7a7c, 0x7884,
}
"#,
    text: r#"const usage = "usage: sort [options] [file]...\n" +
	"  -n     compare by number\n" +
	"  -r     reverse the order\n" +
	"  -u     each line once\n" +
	"  -k N   compare from field N on\n" +
	"  -t C   fields end with C\n" +
	"  -o F   write to the file F\n" +
	"  -s     keep the order of equal lines\n" +
	"  -m     merge files that are sorted\n" +
	"  -c     check whether it is sorted\n" +
	"  -z     lines end with NUL\n" +
	"  -i     ignore what is not printable\n" +
	"  -f     upper and lower case are the same\n" +
	"  -b     ignore leading blanks\n" +
	"  -M     compare by month\n" +
	"  -V     compare by version\n" +
	"  -R     shuffle\n" +
	"  -d     compare by dictionary\n" +
	"  -g     compare by general number\n" +
	"  -S N   use N bytes of memory\n" +
	"  -T D   use D for temporary files\n" +
	"  -q     print nothing\n" +
	"  -v     print more\n" +
	"  -w N   lines are N wide\n" +
	"  -x     hexadecimal\n" +
	"  -h     print this help\n"
"#,
};

const JAVA: Language = Language {
    extension: "java",
    comment: "//",
    head: "package sample;\n\n",
    first: r#"final class Gate {
    public Optional<Session> authenticate(String name, char[] password) {
        User user = users.findByName(name);
        if (user == null || user.isLocked(clock.instant())) {
            audit.record(Event.DENIED, name);
            return Optional.empty();
        }
        byte[] digest = hasher.hash(password, user.salt());
        Arrays.fill(password, '\0');
        if (!MessageDigest.isEqual(digest, user.digest())) {
            user.countFailure(MAX_FAILURES);
            return Optional.empty();
        }
        return Optional.of(sessions.open(user, Duration.ofMinutes(30)));
    }
}
"#,
    second: r#"class Wrapper {
    static String wrap(String text, int width) {
        StringBuilder wrapped = new StringBuilder();
        int column = 0;
        for (String word : text.split("\\s+")) {
            if (column > 0 && column + word.length() >= width) {
                wrapped.append('\n');
                column = 0;
            } else if (column > 0) {
                wrapped.append(' ');
                column++;
            }
            wrapped.append(word);
            column += word.length();
        }
        return wrapped.toString();
    }
}
"#,
    third: r#"interface Lists {
    public static <T> List<List<T>> partition(List<T> items, int size) {
        if (size <= 0) {
            throw new IllegalArgumentException("size must be positive: " + size);
        }
        List<List<T>> parts = new ArrayList<>();
        for (int start = 0; start < items.size(); start += size) {
            int end = Math.min(start + size, items.size());
            parts.add(List.copyOf(items.subList(start, end)));
        }
        return parts;
    }
}
"#,
    piece: r#"            if (column > 0 && column + word.length() >= width) {
                wrapped.append('\n');
                column = 0;
            } else if (column > 0) {
                wrapped.append(' ');
                column++;
            }
            wrapped.append(word);
"#,
    opening: "    public Optional<Session> authenticate(String name, char[] password) {\n        User user = users.findByName(name);\n",
    closing: "        return Optional.of(sessions.open(user, Duration.ofMinutes(30)));\n    }\n}\n",
    anchor: "            audit.record(Event.DENIED, name);\n",
    statement: (
        "        Arrays.fill(password, '\\0');\n",
        "        secrets.wipe(this, password);\n",
    ),
    insertion: "            if (tracer != null) {\n                tracer.emit(\"step\", 2);\n            }\n",
    names: &[
        ("Gate", "Door"),
        ("authenticate", "logIn"),
        ("Session", "Visit"),
        ("user", "member"),
        ("User", "Member"),
        ("users", "members"),
        ("password", "secret"),
        ("digest", "sum"),
        ("name", "handle"),
    ],
    literal: ("ofMinutes(30)", "ofMinutes(45)"),
    imports: r#"import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import static java.util.stream.Collectors.*;
"#,
    numbers: r#"class Cosines {
    private static final double[] COSINES = {
        0.99939083, 0.99756405, 0.99452190, 0.99026807, 0.98480775, 0.97814760,
        0.97029573, 0.96126170, 0.95105652, 0.93969262, 0.92718385, 0.91354546,
        -1, -2, 3, -4, 5, -6, -7, -8, 9, 10, -11, 12, -13, -14, 15, -16,
        0x7fff, 0x7fd8, 0x7f61, 0x7e9c, 0x7d89, 0x7c29, 0x7a7c, 0x7884,
    };
}
"#,
    text: r#"class Usage {
    static final String USAGE = "usage: sort [options] [file]...\n"
        + "  -n     compare by number\n"
        + "  -r     reverse the order\n"
        + "  -u     each line once\n"
        + "  -k N   compare from field N on\n"
        + "  -t C   fields end with C\n"
        + "  -o F   write to the file F\n"
        + "  -s     keep the order of equal lines\n"
        + "  -m     merge files that are sorted\n"
        + "  -c     check whether it is sorted\n"
        + "  -z     lines end with NUL\n"
        + "  -i     ignore what is not printable\n"
        + "  -f     upper and lower case are the same\n"
        + "  -b     ignore leading blanks\n"
        + "  -M     compare by month\n"
        + "  -V     compare by version\n"
        + "  -R     shuffle\n"
        + "  -d     compare by dictionary\n"
        + "  -g     compare by general number\n"
        + "  -S N   use N bytes of memory\n"
        + "  -T D   use D for temporary files\n"
        + "  -q     print nothing\n"
        + "  -v     print more\n"
        + "  -w N   lines are N wide\n"
        + "  -x     hexadecimal\n"
        + "  -h     print this help\n";
}
"#,
};
