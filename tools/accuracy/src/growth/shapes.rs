//! Lists shapes of changes, each of any size.
//!
//! All are legal input, most are ugly: what repeats itself is what makes matching slow. Code of
//! some variety is among them, so that one sees what an input of the same size costs that is not
//! made to hurt.

use super::code::*;
use crate::git::State;

/// A change of one shape: what base holds, and what differs from it in the head.
#[derive(Debug)]
pub struct Change {
    pub base: State,
    pub head: State,
}

/// A shape.
#[derive(Debug)]
pub struct Shape {
    /// Its name, for `--shapes` and the table.
    pub name: &'static str,
    /// What its size counts.
    pub unit: &'static str,
    /// The sizes to try: twice the one before, from the first to the last.
    pub sizes: (usize, usize),
    /// The change of a size.
    pub change: fn(usize) -> Change,
}

const fn shape(
    name: &'static str,
    unit: &'static str,
    sizes: (usize, usize),
    change: fn(usize) -> Change,
) -> Shape {
    Shape { name, unit, sizes, change }
}

/// Sizes of shapes that are one file: up to the largest that the program reads by default.
const LINES: (usize, usize) = (125, 64_000);
/// Sizes of shapes whose parts are functions.
const FUNCTIONS: (usize, usize) = (25, 6_400);
/// Sizes of shapes that are many files.
const FILES: (usize, usize) = (31, 4_000);
/// Sizes of shapes that are many small files.
const PATHS: (usize, usize) = (156, 20_000);

/// All shapes, in the order of the table.
pub static SHAPES: &[Shape] = &[
    // Lines of one shape, in a new file.
    shape("getters-identical", "lines", LINES, |n| {
        added(&lines(n, |_| "int get(struct s *p) { return p->a; }".into()))
    }),
    shape("getters", "lines", LINES, |n| {
        added(&lines(n, |i| format!("int get_a{i}(struct s *p) {{ return p->a{i}; }}")))
    }),
    shape("register-writes", "lines", LINES, |n| added(&register_writes(n, 1))),
    shape("array-rows", "lines", LINES, |n| added(&array_rows(n))),
    shape("number-rows", "lines", LINES, |n| added(&number_rows(n))),
    shape("struct-rows", "lines", LINES, |n| added(&struct_rows(n))),
    shape("struct-fields", "lines", LINES, |n| {
        added(&braced("struct s", &lines(n, |i| format!("    int field_{i};"))))
    }),
    shape("assertions", "lines", LINES, |n| {
        added(&function(&lines(n, |i| format!("    assert(parse(\"{i}\") == {i});"))))
    }),
    shape("assignments", "lines", LINES, |n| {
        added(&function(&lines(n, |i| format!("    self->x{i} = x{i};"))))
    }),
    shape("random-assignments", "lines", LINES, |n| added(&random_assignments(n))),
    shape("chained-calls", "lines", LINES, |n| added(&function(&chained_calls(n)))),
    shape("strings-joined", "lines", LINES, |n| {
        added(&function(&lines(n, |i| format!("    s = join(s, \"part {i}\");"))))
    }),
    shape("switch-arms", "lines", LINES, |n| added(&switch_arms(n))),
    shape("else-if-arms", "lines", LINES, |n| added(&else_if_arms(n))),
    shape("declarations", "lines", LINES, |n| {
        added(&lines(n, |i| format!("int call_{i}(struct s *p, int n, char *q);")))
    }),
    shape("macros", "lines", LINES, |n| {
        added(&lines(n, |i| format!("#define FLAG_{i} (1 << {})", i % 64)))
    }),
    shape("imports", "lines", LINES, |n| added(&lines(n, |i| format!("#include \"part_{i}.h\"")))),
    shape("two-in-turn", "lines", LINES, |n| added(&function(&two(n, |i| i % 2 == 1)))),
    shape("period-seven", "lines", LINES, |n| added(&function(&of_statements(n, |i| i % 7)))),
    shape("thue-morse", "lines", LINES, |n| added(&function(&two(n, thue_morse)))),
    shape("fibonacci-word", "lines", LINES, |n| added(&function(&two(n, fibonacci)))),
    shape("two-at-random", "lines", LINES, |n| added(&function(&two(n, |i| draw(i) % 2 == 1)))),
    shape("eight-at-random", "lines", LINES, |n| {
        added(&function(&of_statements(n, |i| draw(i) as usize % 8)))
    }),
    shape("de-bruijn", "lines", LINES, |n| added(&function(&de_bruijn(n)))),
    shape("one-run-of-tokens", "lines", LINES, |n| added(&lines(n, |_| "a = b;".into()))),
    shape("closing-braces", "lines", LINES, |n| added(&lines(n, |_| "}".into()))),
    shape("quotes-left-open", "lines", LINES, |n| {
        added(&lines(n, |i| format!("x{i} = \"left open;")))
    }),
    shape("comments", "lines", LINES, |n| {
        added(&lines(n, |i| format!("/* as line {i} says */ // and more")))
    }),
    // The same in a file that was there, and is copied.
    shape("getters-identical-copied", "lines", LINES, |n| {
        copied(&lines(n, |_| "int get(struct s *p) { return p->a; }".into()))
    }),
    shape("register-writes-copied", "lines", LINES, |n| copied(&register_writes(n, 1))),
    shape("array-rows-copied", "lines", LINES, |n| copied(&array_rows(n))),
    shape("two-in-turn-copied", "lines", LINES, |n| copied(&function(&two(n, |i| i % 2 == 1)))),
    shape("thue-morse-copied", "lines", LINES, |n| copied(&function(&two(n, thue_morse)))),
    shape("de-bruijn-copied", "lines", LINES, |n| copied(&function(&de_bruijn(n)))),
    shape("eight-at-random-copied", "lines", LINES, |n| {
        copied(&function(&of_statements(n, |i| draw(i) as usize % 8)))
    }),
    shape("random-assignments-copied", "lines", LINES, |n| copied(&random_assignments(n))),
    shape("varied-code-copied", "functions", FUNCTIONS, |n| copied(&varied_functions(n, 0))),
    shape("varied-code", "functions", FUNCTIONS, |n| added(&varied_functions(n, 0))),
    // An old file of lines of one shape, edited.
    shape("rows-edited-tenth", "lines", LINES, |n| {
        edited(&register_writes(n, 1), &every_tenth_edited(&register_writes(n, 1)))
    }),
    shape("rows-added-tenth", "lines", LINES, |n| {
        edited(&register_writes(n, 1), &after_every(&register_writes(n, 1), 10, "    flush(dev);"))
    }),
    shape("rows-all-edited", "lines", LINES, |n| {
        edited(&register_writes(n, 1), &register_writes(n, 7))
    }),
    shape("rows-doubled", "lines", LINES, |n| {
        edited(&register_writes(n, 1), &(register_writes(n, 1) + &register_writes(n, 7)))
    }),
    shape("rows-reversed", "lines", LINES, |n| {
        edited(&register_writes(n, 1), &reversed(&register_writes(n, 1)))
    }),
    shape("call-after-each-line", "lines", LINES, |n| {
        edited(
            &varied_functions(n / 10, 0),
            &after_every(&varied_functions(n / 10, 0), 1, "    trace(here);"),
        )
    }),
    shape("functions-reversed", "functions", FUNCTIONS, |n| {
        edited(&varied_functions(n, 0), &varied_functions_reversed(n))
    }),
    shape("name-changed-all-over", "functions", FUNCTIONS, |n| {
        edited(&varied_functions(n, 0), &varied_functions(n, 0).replace("total", "sum"))
    }),
    // Copies and variants of one function.
    shape("copies-in-one-file", "copies", FUNCTIONS, |n| {
        added(&repeated(n, |_| sample("total", 3)))
    }),
    shape("copies-renamed-in-one-file", "copies", FUNCTIONS, |n| {
        added(&repeated(n, |i| sample(&format!("total_{i}"), 3)))
    }),
    shape("variants-in-one-file", "copies", FUNCTIONS, |n| added(&repeated(n, variant))),
    shape("copies-in-old-file", "copies", FUNCTIONS, |n| {
        edited(&sample("total", 3), &repeated(n, |_| sample("total", 3)))
    }),
    shape("copies-over-files", "files", FILES, |n| {
        files(n, |i| varied_functions(2, i) + &sample("total", 3))
    }),
    shape("copies-renamed-over-files", "files", FILES, |n| {
        files(n, |i| varied_functions(2, i) + &sample(&format!("total_{i}"), 3))
    }),
    shape("one-more-of-many", "files", FILES, |n| {
        onto(n, |i| varied_functions(2, i) + &sample("total", 3), &sample("total", 3))
    }),
    shape("one-more-of-many-rows", "files", FILES, |n| {
        onto(n, |_| register_writes(100, 1), &register_writes(400, 3))
    }),
    shape("alike-tests", "tests", FUNCTIONS, |n| alike_tests(n, 1)),
    shape("alike-tests-over-files", "tests", FUNCTIONS, |n| alike_tests(n, n.div_ceil(20))),
    // Many files.
    shape("near-duplicate-files", "files", (31, 2_000), |n| files(n, near_duplicate)),
    shape("near-duplicate-files-of-few-shapes", "files", (16, 2_000), |n| {
        files(n, near_duplicate_of_few_shapes)
    }),
    shape("near-duplicates-copied", "files", (31, 2_000), |n| {
        onto(n, near_duplicate, &near_duplicate(n + 1))
    }),
    shape("one-blob", "paths", PATHS, |n| files(n, |_| varied_functions(3, 0))),
    shape("one-blob-of-rows", "paths", PATHS, |n| files(n, |_| register_writes(60, 1))),
    shape("small-files", "paths", PATHS, |n| {
        files(n, |i| format!("int f{i}(void) {{ return {i}; }}\n"))
    }),
    shape("varied-files", "files", FILES, |n| files(n, |i| varied_functions(5, i))),
    shape("varied-files-copied", "files", FILES, |n| {
        moved(n, |i| varied_functions(5, i), |text, _| (true, text))
    }),
    shape("files-moved", "files", FILES, |n| {
        moved(n, |i| varied_functions(5, i), |text, _| (false, text))
    }),
    shape("files-moved-and-edited", "files", FILES, |n| {
        moved(
            n,
            |i| varied_functions(5, i),
            |text, i| (false, text.replacen("0;", &format!("{i};"), 1) + "int more;\n"),
        )
    }),
    shape("near-duplicates-moved", "files", (31, 2_000), |n| {
        moved(n, near_duplicate, |text, _| (false, text + "int more;\n"))
    }),
    shape("files-replaced", "files", FILES, |n| {
        moved(
            n,
            |i| varied_functions(5, i),
            move |_, i| (false, varied_functions(5, i + 1_000_000)),
        )
    }),
    shape("file-split", "functions", FUNCTIONS, split),
    shape("files-joined", "functions", FUNCTIONS, joined),
    shape("documents", "blocks", FUNCTIONS, document),
    // One thing that is long or deep.
    shape("nested-parentheses", "levels", LINES, |n| copied(&function(&nested(n, "(", ")", 40)))),
    shape("nested-blocks", "levels", (125, 16_000), |n| {
        copied(&function(&nested(n, "if (a) {\n", "}\n", 1)))
    }),
    shape("one-long-line", "statements", LINES, |n| copied(&long_line(n))),
    shape("long-literal", "bytes", (4_000, 2_000_000), |n| {
        copied(&(varied_functions(20, 0) + "char *s = \"" + &"a".repeat(n) + "\";\n"))
    }),
    shape("long-names", "bytes", (4_000, 2_000_000), |n| {
        copied(&(varied_functions(20, 0) + "int " + &"a".repeat(n) + ";\n"))
    }),
    shape("lines-between-the-parts", "lines", LINES, |n| {
        edited(
            &varied_functions(10, 0),
            &(varied_functions(10, 0)
                + &after_every(&varied_functions(10, 0), 4, &varied_functions(n / 600 + 1, 9))),
        )
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    fn n_bytes(change: &Change) -> usize {
        [&change.base, &change.head]
            .iter()
            .flat_map(|state| state.values())
            .flatten()
            .map(String::len)
            .sum()
    }

    #[test]
    fn a_shape_of_twice_the_size_is_twice_as_large() {
        let always = n_bytes(&added(""));
        for shape in SHAPES {
            let [small, large] = [200, 400].map(|size| n_bytes(&(shape.change)(size)) - always);
            let growth = large as f64 / small as f64;
            // Small ones are mostly what does not grow.
            assert!(
                (1.6..=2.3).contains(&growth) || large < 100_000,
                "{}: {small}, {large}",
                shape.name
            );
        }
    }

    #[test]
    fn joined_files_are_a_split_file_backwards() {
        let (split, joined) = (split(20), joined(20));
        let after = |change: &Change| {
            let mut state = change.base.clone();
            state.extend(change.head.clone());
            state.retain(|_, text| text.as_ref().is_some_and(|text| !text.is_empty()));
            state
        };
        assert_eq!(after(&split), joined.base);
        assert_eq!(after(&joined), split.base);
    }
}
