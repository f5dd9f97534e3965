//! Records the verdicts on a few hundred made changes, so that no number that was tuned changes
//! unseen.
//!
//! The law says what must be found. How far a gap is crossed, when an end is cut off, from where on
//! a file counts as renamed: such limits are chosen by measuring on real code, and a wrong one
//! breaks no law. Each change here lies near one of them. A difference is no fault in itself: it is
//! to be read, and accepted if the new verdict is the better one, with `UPDATE_EXPECTED=1 cargo
//! test --test law tally`.

use std::fmt::Write as _;

use rayon::prelude::*;
use serde_json::Value;

use crate::samples::{LANGUAGES, Language};
use crate::{Case, import, some};
use support::{Random, Report};

/// Changes of one kind: how a change of size `n` is made, and the sizes.
struct Kind {
    name: &'static str,
    sizes: &'static [usize],
    make: fn(&'static Language, usize, &mut Random) -> Case,
}

static KINDS: [Kind; 19] = [
    Kind {
        name: "lines inserted in different places",
        sizes: &[1, 3, 6],
        make: |language, n, random| {
            pasted(language, random, |language, function, random| {
                (0..n)
                    .fold(function, |function, _| language.with_statement(&function, false, random))
            })
        },
    },
    Kind {
        name: "lines inserted in one place",
        sizes: &[2, 5, 9, 16, 30],
        make: |language, n, random| {
            pasted(language, random, |language, function, random| {
                let at = language.place_of_statement(&function, random);
                language.with_statements_at(&function, at, n)
            })
        },
    },
    Kind {
        name: "lines changed",
        sizes: &[1, 3, 6],
        make: |language, n, random| {
            pasted(language, random, |language, function, random| {
                (0..n)
                    .fold(function, |function, _| language.with_statement(&function, true, random))
            })
        },
    },
    Kind {
        name: "lines removed",
        sizes: &[1, 3, 6],
        make: |language, n, random| {
            pasted(language, random, |_, function, random| {
                (0..n).fold(function, |function, _| without_line(&function, random))
            })
        },
    },
    Kind {
        name: "lines swapped with the next",
        sizes: &[1, 2, 4],
        make: |language, n, random| {
            pasted(language, random, |_, function, random| {
                (0..n).fold(function, |function, _| with_lines_swapped(&function, random))
            })
        },
    },
    Kind {
        name: "renamed, then lines inserted",
        sizes: &[0, 2, 5],
        make: |language, n, random| {
            pasted(language, random, |language, function, random| {
                let function = language.renamed(&function, random);
                (0..n)
                    .fold(function, |function, _| language.with_statement(&function, false, random))
            })
        },
    },
    Kind {
        name: "percent of names replaced, each time by another",
        sizes: &[10, 15, 20, 25, 30, 35, 40, 45, 50],
        make: |language, n, random| {
            pasted(language, random, |language, function, random| {
                language.renamed_at_random(&function, n, random)
            })
        },
    },
    Kind {
        name: "lines of the middle, inside another function",
        sizes: &[4, 6, 9],
        make: |language, n, random| {
            let old = some(language, 6, random);
            let lines: Vec<&str> = old[0].lines().collect();
            let first = random.between(1, lines.len().saturating_sub(n + 1).max(1));
            let part = &lines[first..(first + n).min(lines.len() - 1)];
            let new = around(&old[5], part, random);
            Case::new(language).with_base("old", &old[..4]).with_new("new", &[new])
        },
    },
    Kind {
        name: "the end of one function and the begin of the next",
        sizes: &[3, 5, 8],
        make: |language, n, random| {
            let old = some(language, 6, random);
            let (first, second): (Vec<&str>, Vec<&str>) =
                (old[0].lines().collect(), old[1].lines().collect());
            let end = &first[first.len().saturating_sub(n + 1)..first.len() - 1];
            let part = [end, &second[1..second.len().min(n + 1)]].concat();
            let new = around(&old[5], &part, random);
            Case::new(language).with_base("old", &old[..4]).with_new("new", &[new])
        },
    },
    Kind {
        name: "two functions, with others between",
        sizes: &[1, 2, 4],
        make: |language, n, random| {
            let functions = some(language, 8, random);
            let mut new = vec![functions[0].clone()];
            new.extend_from_slice(&functions[8 - n..]);
            new.push(functions[1].clone());
            Case::new(language).with_base("old", &functions[..3]).with_new("new", &new)
        },
    },
    Kind {
        name: "a file under another name, lines of each function changed",
        sizes: &[1, 2, 3, 4, 5, 6],
        make: |language, n, random| {
            let old = some(language, 8, random);
            let edit = |function: &String| {
                (0..n).fold(function.clone(), |function, _| {
                    language.with_statement(&function, true, random)
                })
            };
            let new: Vec<String> = old.iter().map(edit).collect();
            let mut case = Case::new(language).with_base("old", &old).with_base("other", &old[..3]);
            case.gone.push(case.base[0].0.clone());
            case.with_new("renamed", &new)
        },
    },
    Kind {
        name: "a function moved, lines inserted",
        sizes: &[1, 2, 4],
        make: |language, n, random| {
            let functions = some(language, 8, random);
            let moved = (0..n).fold(functions[0].clone(), |moved, _| {
                language.with_statement(&moved, false, random)
            });
            let case = Case::new(language)
                .with_base("from", &functions[..4])
                .with_base("to", &functions[4..]);
            let mut case = case.with_pasted("to", &functions[4..], 2, &[moved]);
            case.head.push(language.file("from", &functions[1..4]));
            case
        },
    },
    Kind {
        name: "lines of an old function rewritten in place",
        sizes: &[2, 4, 6, 9],
        make: |language, n, random| {
            let mut functions = some(language, 5, random);
            let other = functions.pop().unwrap_or_default();
            let case = Case::new(language).with_base("old", &functions);
            let mut lines: Vec<&str> = functions[1].lines().collect();
            let others: Vec<&str> = other.lines().skip(1).take(n).collect();
            let end = (1 + n).min(lines.len() - 1);
            lines.splice(1..end, others);
            let rewritten = lines.join("\n") + "\n";
            functions[1] = rewritten;
            case.with_new("old", &functions)
        },
    },
    Kind {
        name: "a pair, both given lines",
        sizes: &[1, 4, 8],
        make: |language, n, random| {
            let functions = some(language, 3, random);
            let at = language.place_of_statement(&functions[0], random);
            let edited = language.with_statements_at(&functions[0], at, n);
            let file = |name, function: &String, other: usize| {
                language.file(name, &[function.clone(), functions[other].clone()])
            };
            let mut case = Case::new(language);
            case.base = vec![file("one", &functions[0], 1), file("two", &functions[0], 2)];
            case.head = vec![file("one", &edited, 1), file("two", &edited, 2)];
            case
        },
    },
    Kind {
        name: "lines inserted before the last",
        sizes: &[1, 3, 5],
        make: |language, n, random| {
            pasted(language, random, |language, function, _| {
                let at = function.lines().count() - 3;
                language.with_statements_at(&function, at, n)
            })
        },
    },
    Kind {
        name: "another origin, which has so many lines less",
        sizes: &[1, 2, 3, 4],
        make: |language, n, random| {
            let functions = some(language, 4, random);
            let lines: Vec<&str> = functions[0].lines().collect();
            let less = lines[..lines.len().saturating_sub(n).max(2)].join("\n") + "\n";
            let case = Case::new(language)
                .with_base("old", &functions[..2])
                .with_base("other", &[functions[2].clone(), less]);
            case.with_new("new", &[functions[3].clone(), functions[0].clone()])
        },
    },
    Kind {
        name: "two variants of one function, the one pasted behind the other",
        sizes: &[1, 3],
        make: |language, n, random| {
            let functions = some(language, 4, random);
            let edit = |random: &mut Random| {
                (0..n).fold(functions[0].clone(), |function, _| {
                    language.with_statement(&function, true, random)
                })
            };
            let variants = [edit(random), edit(random)];
            let case = Case::new(language)
                .with_base("one", &variants[..1])
                .with_base("two", &variants[1..]);
            case.with_new("new", &[variants[1].clone(), functions[0].clone(), variants[0].clone()])
        },
    },
    Kind {
        name: "variants in a row",
        sizes: &[2, 4],
        make: |language, n, random| {
            let functions = some(language, 4, random);
            let variants = language.variants(&functions[0], n, random);
            Case::new(language).with_base("old", &functions[1..]).with_new("new", &variants)
        },
    },
    Kind {
        name: "alike tests",
        sizes: &[2, 5],
        make: |language, n, random| {
            let tests = language.alike_tests(n + 1, random);
            Case::new(language).with_base("old", &tests[..1]).with_new("new", &tests[1..])
        },
    },
];

/// A function of `old`, after `edit`, between two others of a new file.
fn pasted(
    language: &'static Language,
    random: &mut Random,
    edit: impl Fn(&Language, String, &mut Random) -> String,
) -> Case {
    let functions = some(language, 6, random);
    let copy = edit(language, functions[1].clone(), random);
    let new = [functions[4].clone(), copy, functions[5].clone()];
    Case::new(language).with_base("old", &functions[..4]).with_new("new", &new)
}

/// The function without one of its inner lines.
fn without_line(function: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = function.lines().collect();
    if lines.len() > 3 {
        lines.remove(random.between(1, lines.len() - 2));
    }
    lines.join("\n") + "\n"
}

/// The function with one of its inner lines and the next in another order.
fn with_lines_swapped(function: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = function.lines().collect();
    if lines.len() > 3 {
        let at = random.between(1, lines.len() - 3);
        lines.swap(at, at + 1);
    }
    lines.join("\n") + "\n"
}

/// The function with the lines `part` in its middle.
fn around(function: &str, part: &[&str], random: &mut Random) -> String {
    let mut lines: Vec<&str> = function.lines().collect();
    let at = random.between(1, lines.len() - 1);
    lines.splice(at..at, part.iter().copied());
    lines.join("\n") + "\n"
}

#[test]
fn the_verdicts_on_made_changes_are_those_of_the_tally() {
    let mut cases = Vec::new();
    let mut names = Vec::new();
    for (number, kind) in KINDS.iter().enumerate() {
        for &size in kind.sizes {
            for (of, language) in LANGUAGES.iter().enumerate() {
                let mut random = Random::new(2003, ((number << 16) | (size << 8) | of) as u64);
                cases.push(((kind.make)(language, size, &mut random), Vec::new()));
                names.push(format!("{}, {size}: {}", language.id, kind.name));
            }
        }
    }
    let repository = import(&cases);
    let check = |(number, name): (usize, &String)| {
        let (base, head) = (format!("base-{number}"), format!("head-{number}"));
        let report = repository.check(&["--base", &base, "--head", &head, "--no-cache"]);
        verdict(name, &report)
    };
    let verdicts: Vec<String> = names.par_iter().enumerate().map(check).collect();
    let tally = verdicts.concat();

    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/law/tally.txt");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &tally).expect("the tests folder is writable");
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let mut differences = String::new();
    let blocks = |text: &str| text.split_terminator("\n\n").map(String::from).collect::<Vec<_>>();
    for (was, is) in blocks(&recorded).iter().zip(blocks(&tally)).filter(|(was, is)| *was != is) {
        write!(differences, "recorded {was}\nnow      {is}\n\n").expect("a string takes all");
    }
    assert!(
        recorded == tally,
        "other verdicts than tests/law/tally.txt has; read them, and if they are better, record them with \
         `UPDATE_EXPECTED=1 cargo test --test law tally`:\n{differences}"
    );
}

/// What a report says of the change `name`: a line for each finding, with what it has in common
/// with its first origin.
fn verdict(name: &str, report: &Report) -> String {
    let novel = &report.json["examined"]["novelTokens"];
    let mut verdict = format!("{name}: {novel} novel tokens\n");
    let copies =
        report.list("/findings").iter().filter(|finding| finding["rule"] != "missed-sibling");
    for (line, finding) in report.findings().iter().zip(copies) {
        let origin = &finding["origins"][0];
        let similarity = origin["similarity"].as_f64().unwrap_or_default();
        let worth = finding.get("worth").and_then(Value::as_f64).unwrap_or_default();
        writeln!(verdict, "    {line}, {:.0} % alike, worth {worth:.0}", similarity * 100.0)
            .expect("a string takes all");
    }
    verdict + "\n"
}
