//! What a copy is worth: which are warnings, and which are notes that say why.

use std::fmt::Write as _;

use support::Repository;

/// Commits `before`, then `after` on top of it, and returns the level of each finding with its
/// reason, by place.
#[track_caller]
fn levels(args: &[&str], before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<String> {
    let repository = Repository::new();
    for (path, text) in before {
        repository.write(path, text);
    }
    repository.commit("before");
    for (path, text) in after {
        repository.write(path, text);
    }
    repository.commit("after");
    let report = repository.check(&[&["--base", "HEAD~1"], args].concat());
    let of = |finding: &serde_json::Value| {
        let word = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let reason = word("levelReason");
        let reason = if reason.is_empty() { reason } else { format!(", {reason}") };
        format!("{} {}:{}{reason}", word("level"), word("path"), finding["fragment"]["startLine"])
    };
    report.list("/findings").iter().map(of).collect()
}

/// A function that decides and computes.
const DECIDES: &str = "int find(const struct table *t, const char *key)\n{\n    unsigned at = hash(key) % t->size;\n    \
    while (t->slots[at].key) {\n        if (strcmp(t->slots[at].key, key) == 0)\n            return at;\n        \
    at = (at + 1) % t->size;\n    }\n    return -1;\n}\n";

/// Fields, which declare and do nothing.
fn fields(n: usize) -> String {
    let mut text = String::from("struct settings {\n");
    for at in 0..n {
        writeln!(text, "    unsigned long field_{at};").expect("a string takes all");
    }
    text + "};\n"
}

#[test]
fn a_function_that_decides_is_a_warning() {
    let found = levels(&[], &[("a.c", DECIDES)], &[("b.c", &format!("int other;\n{DECIDES}"))]);
    assert_eq!(found, ["warning b.c:2"]);
}

#[test]
fn a_short_piece_elsewhere_does_not_make_alternatives_copies() {
    let text = |poll: &str| {
        let begin = "    if (c->N_count == 0 && c->N_tries > 0) {\n        c->N_count = n;\n        \
            c->N_error = start(c, b, n);\n        c->N_state = BUSY;\n    }\n";
        let (write, read) = (begin.replace('N', "write"), begin.replace('N', "read"));
        format!(
            "int conn_write(struct conn *c, const char *b, int n)\n{{\n{write}    {poll}\n    \
             while (put(c, b, n) < 0 && c->write_tries--)\n        pause(c, 2 * c->write_tries);\n    \
             return c->write_count - n;\n}}\n\n\
             int conn_read(struct conn *c, char *b, int n)\n{{\n{read}    {poll}\n    \
             for (int at = 0; at < n; at++) {{\n        if (b[at] == c->mark || c->errors > c->limit)\n            \
             return stop(c, c->errors + at);\n        c->sum = (c->sum << 1) ^ b[at];\n    }}\n    \
             memcpy(c->last, b, min(n, sizeof c->last));\n    return c->is_closed ? EOF : c->sum;\n}}\n"
        )
    };
    let port = "post(c, b, n, OVERLAPPED | c->flags, sizeof *b, c->port, NULL);";
    let before = [("poll_epoll.c", &*text("poll(c);"))];
    let found = levels(&[], &before, &[("poll_kqueue.c", &text(port))]);
    let reason = "no build has both: they are alternatives";
    // The second has another origin, too: the beginning of the first.
    assert_eq!(found, [1, 15].map(|line| format!("note poll_kqueue.c:{line}, {reason}")));
    let found = levels(&[], &before, &[("conn.c", &text(port))]);
    assert_eq!(found, ["warning conn.c:1", "warning conn.c:15"]);
}

#[test]
fn a_copy_that_only_declares_is_a_note_that_says_so() {
    let copy = format!("int other(void);\n{}", fields(12));
    let found = levels(&[], &[("a.c", &fields(12))], &[("b.c", &copy)]);
    assert_eq!(found, ["note b.c:2, says little: no statement, no control flow, 2 equal lines"]);
    let found = levels(&["--set", "min-worth=0"], &[("a.c", &fields(12))], &[("b.c", &copy)]);
    assert_eq!(found, ["warning b.c:2"]);
}

#[test]
fn rows_of_one_shape_are_a_note_however_long_they_are() {
    let check =
        |text: &str| levels(&[], &[("a.c", text)], &[("b.c", &format!("int other;\n{text}"))]);
    assert_eq!(
        check(&fields(200)),
        ["note b.c:2, says little: no statement, no control flow, 2 equal lines"]
    );
    let assignments: String =
        (0..60).map(|at| format!("    s->field_{at} = value_{at};\n")).collect();
    let found = check(&format!("void reset(struct settings *s)\n{{\n{assignments}}}\n"));
    assert!(found[0].starts_with("note b.c:2, says little: 1 statement"), "{found:?}");
}

#[test]
fn a_function_of_a_hundred_tokens_is_a_warning_when_all_its_names_are_replaced_one_to_one() {
    let function = |word: &str, n: usize| {
        let steps: String =
            (0..n).map(|at| format!("    {word}_{at} = {word}_{at} + {word}_n;\n")).collect();
        format!("int {word}(int {word}_n)\n{{\n{steps}    return {word}_n;\n}}\n")
    };
    let check =
        |n: usize| levels(&[], &[("a.c", &function("sum", n))], &[("b.c", &function("weigh", n))]);
    assert_eq!(check(15), ["warning b.c:1"], "11 tokens and 6 for each step");
    assert!(check(14)[0].starts_with("note b.c:1, says little"), "{:?}", check(14));
}

/// Branches of one decision are written side by side, however many are between.
#[test]
fn a_branch_of_the_same_decision_is_next_to_its_origin() {
    let branch = |name: &str, mark: &str| {
        format!(
            "    {mark}if (strcmp(word, \"{name}\") == 0) {{\n        unsigned *option = &options->{name};\n        \
             if (is_on)\n            set(option, MASK_{name});\n        else\n            clear(option, MASK_{name});\n    }}\n"
        )
    };
    let between: String =
        (0..9).map(|at| format!("    else if (n == {at})\n        n = m;\n")).collect();
    let check = |mark: &str| {
        let before = format!("{}{between}", branch("all", mark));
        let text = |body: &str| format!("void parse(int n, int m)\n{{\n{body}}}\n");
        let after = format!("{before}{}", branch("some", mark));
        levels(&[], &[("a.c", &text(&before))], &[("a.c", &text(&after))])
    };
    assert!(check("else ")[0].starts_with("note a.c:28, says little"), "{:?}", check("else "));
    assert_eq!(check(""), ["warning a.c:28"]);
}

#[test]
fn type_arguments_compute_nothing() {
    for (extension, opening, field, closing) in [
        ("rs", "pub struct Place {\n", "    pub of_N: Option<Vec<Place_N>>,\n", "}\n"),
        ("java", "class Place {\n", "    private Map<String, List<Place_N>> of_N;\n", "}\n"),
        ("cpp", "struct Place {\n", "    std::vector<std::pair<int, Place_N>> of_N;\n", "};\n"),
        ("ts", "type Place = {\n", "    of_N: Array<Map<string, Place_N>>;\n", "};\n"),
    ] {
        let path = |name: &str| format!("{name}.{extension}");
        let fields: String = (0..16).map(|at| field.replace('N', &at.to_string())).collect();
        let text = format!("{opening}{fields}{closing}");
        let renamed = text.replace("Place", "Road").replace("of_", "on_");
        let found = levels(&[], &[(&path("a"), &text)], &[(&path("b"), &renamed)]);
        let says = "says little: no statement, no control flow";
        assert!(found[0].contains(says), "{extension}: {found:?}");
    }
}

#[test]
fn what_comes_from_a_document_is_a_note() {
    let page = format!("# Find\n\nA table is searched like this:\n\n```c\n{DECIDES}```\n");
    let found = levels(&[], &[("guide.md", &page)], &[("b.c", &format!("int other;\n{DECIDES}"))]);
    assert_eq!(found, ["note b.c:2, its origin is in a document"]);
}

#[test]
fn a_copy_of_tests_with_as_much_other_code_is_judged_by_that() {
    let code = "fn find(table: &Table, key: &str) -> Option<usize> {\n    let mut at = hash(key) % table.size;\n    \
        while let Some(slot) = table.slots.get(at) {\n        if slot.key == key {\n            return Some(at);\n        }\n        \
        at = (at + 1) % table.size;\n    }\n    None\n}\n";
    let tests: String = (0..9)
        .map(|at| format!("    #[test]\n    fn finds_{at}() {{\n        assert_eq!(find(&table({at}), \"{at}\"), Some({at}));\n    }}\n"))
        .collect();
    let before = format!("{code}\n#[cfg(test)]\nmod tests {{\n{tests}}}\n");
    let found = levels(&[], &[("a.rs", &before)], &[("b.rs", &format!("fn b() {{}}\n\n{before}"))]);
    assert_eq!(found, ["warning b.rs:3"]);
}

#[test]
fn what_a_change_writes_in_many_places_at_once_is_no_habit() {
    let function = "void start(struct engine engine, int key)\n{\n    engine.key = key;\n    engine.speed = engine.idle;\n    \
        engine.gear = engine.neutral;\n    engine.lights = engine.daylight;\n    if (engine.locked)\n        \
        unlock(engine, key);\n    ignite(engine, key, engine.gear);\n    report(engine);\n}\n";
    let files: Vec<(String, String)> =
        (0..9).map(|at| (format!("f{at}.c"), format!("int f{at};\n{function}"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let found = levels(&[], &[("a.c", "int a;\n")], &files);
    assert_eq!(found.len(), 8, "{found:?}");
    assert!(found.iter().all(|finding| finding.starts_with("warning")), "{found:?}");
    let found = levels(&[], &files[..8], &files[8..]);
    assert!(found[0].starts_with("note f8.c:1, says little"), "{found:?}");
}

#[test]
fn a_list_of_arguments_is_one_statement_however_many_lines_of_it_are_the_same() {
    let call: String =
        (0..9).map(|at| format!("        some_field_{at}{},\n", ".x".repeat(at))).collect();
    let function =
        |name: &str| format!("int {name}(void)\n{{\n    return fill(\n{call}        0);\n}}\n");
    let found = levels(&[], &[("a.c", &function("a"))], &[("b.c", &function("b"))]);
    assert!(found[0].starts_with("note b.c:1, says little"), "{found:?}");
}

#[test]
fn of_two_copies_that_begin_on_one_line_the_graver_one_is_told() {
    let fields = fields(12).replace('\n', " ");
    let found = levels(
        &[],
        &[("a.c", &fields), ("c.c", DECIDES)],
        &[("b.c", &format!("int other(void);\n{fields}{DECIDES}"))],
    );
    assert_eq!(found, ["warning b.c:2"]);
}

#[test]
fn a_copy_of_a_whole_file_is_a_warning_whatever_it_holds() {
    let found = levels(&[], &[("a.c", &fields(12))], &[("b.c", &fields(12))]);
    assert_eq!(found, ["warning b.c:1"]);
}

#[test]
fn test_code_inside_a_file_is_test_code() {
    let function = "fn find(table: &Table, key: &str) -> Option<usize> {\n    let mut at = hash(key) % table.size;\n    \
        while let Some(slot) = table.slots.get(at) {\n        if slot.key == key {\n            return Some(at);\n        }\n        \
        at = (at + 1) % table.size;\n    }\n    None\n}\n";
    let indented: String = function.lines().map(|line| format!("    {line}\n")).collect();
    let before = format!("{function}\nfn main() {{}}\n");
    let found = levels(
        &[],
        &[("a.rs", &before)],
        &[("b.rs", &format!("fn b() {{}}\n\n#[cfg(test)]\nmod tests {{\n{indented}}}\n"))],
    );
    assert_eq!(found, ["note b.rs:5, in test code"]);
    let found = levels(
        &[],
        &[("a.rs", &before)],
        &[("b.rs", &format!("fn b() {{}}\n\nmod table {{\n{indented}}}\n"))],
    );
    assert_eq!(found, ["warning b.rs:4"], "with the brackets around it");
}

#[test]
fn where_code_is_not_shipped_or_declares_it_is_a_note() {
    for path in [
        "examples/b.c",
        "bench/b.c",
        "src/b_bench.c",
        "demo/b.c",
        "samples/b.c",
        "Acme.Examples/b.c",
        "src/docs-examples/b.c",
        "acme-bench/src/b.c",
        "Sources/Documentation.docc/Resources/b.c",
    ] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("note {path}:2, in an example or benchmark")]);
    }
    for path in [
        "testdir/b.c", "src/testFixtures/b.c", "testsuite/b.c", "tests.c", "FooTests/b.c",
        "jest.setup.c",
    ] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("note {path}:2, in test code")]);
    }
    for path in [
        "shop/migrations/0002_b.c",
        "db/migrate/20240102_b.c",
        "Migrations/2024_B.c",
        "db/migration/V2__b.c",
    ] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("note {path}:2, declares rather than computes")]);
    }
    for path in [
        "src/locales/de.c", "src/locales/ckb.c", "i18n/pt-BR.c", "locale/zh_Hant/b.c",
        "res/lang/fr/b.c", "lang/en_US.c",
    ] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("note {path}:2, declares rather than computes")]);
    }
    for path in [
        "migrations/base.c", "migration/0002_b.c", "src/migrate/1.c", "lang/go.c", "i18n/load.c",
        "locales.c",
    ] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("warning {path}:2")]);
    }
    for path in ["latest.c", "contest/b.c", "src/attestation.c", "exemplar/b.c", "demography.c"] {
        let found = levels(&[], &[("a.c", DECIDES)], &[(path, &format!("int other;\n{DECIDES}"))]);
        assert_eq!(found, [format!("warning {path}:2")]);
    }
    let rules: String =
        (0..20).map(|at| format!(".a{at} > b {{ color: red; margin: {at}px auto; }}\n")).collect();
    let found =
        levels(&[], &[("a.css", &rules)], &[("b.css", &format!("p {{ top: 0; }}\n{rules}"))]);
    assert_eq!(found, ["note b.css:2, declares rather than computes"]);
    let found = levels(
        &["--set", "declarative-level=warning", "--set", "min-worth=0"],
        &[("a.css", &rules)],
        &[("b.css", &format!("p {{ top: 0; }}\n{rules}"))],
    );
    assert_eq!(found, ["warning b.css:2"]);
}

/// The methods of an interface, in languages that have some, and what opens and closes one.
const INTERFACES: &[(&str, &str, &str, &str)] = &[
    (
        "java",
        "interface A {\n",
        "    Entry find(String key);\n    List<Entry> all(String prefix, int limit) throws IOException;\n    \
         void store(Entry entry, long until, boolean replace);\n    @Deprecated\n    boolean remove(String key, Entry expected);\n    \
         long size();\n    Map<String, List<Entry>> grouped(Function<Entry, String> by, int... levels);\n    \
         Entry merge(String key, Entry first, Entry second);\n    byte[] dump(Path target);\n",
        "}\n",
    ),
    (
        "cs",
        "interface A {\n",
        "    Entry Find(string key);\n    IList<Entry> All(string prefix, int limit = 10);\n    \
         void Store(Entry entry, long until, params bool[] replace);\n    bool Remove(string key, out Entry found);\n    \
         Task<long> Size();\n    IDictionary<string, List<Entry>> Grouped(Func<Entry, string> by);\n    \
         Entry Merge(ref Entry first, Entry second, Exception cause);\n    byte[] Dump(Path target);\n",
        "}\n",
    ),
    (
        "ts",
        "interface A {\n",
        "  find(key: string): Entry | undefined;\n  all(prefix: string, limit?: number): Promise<Entry[]>;\n  \
         store(entry: Entry, until: number, replace: boolean): void;\n  remove(key: string): boolean;\n  \
         size(): Promise<number>;\n  grouped<K>(by: (entry: Entry) => K): Map<K, Entry[]>;\n  \
         merge(first: Entry, second: Entry, ...more: Entry[]): Entry;\n  dump(target: string): Uint8Array;\n",
        "}\n",
    ),
    (
        "kt",
        "interface A {\n",
        "    fun find(key: String): Entry?\n    suspend fun all(prefix: String, limit: Int = 10): List<Entry>\n    \
         fun store(entry: Entry, until: Long, replace: Boolean)\n    fun remove(key: String, expected: Entry?): Boolean\n    \
         fun size(): Long\n    fun <K> grouped(by: (Entry) -> K): Map<K, List<Entry>>\n    \
         fun merge(vararg entries: Entry, cause: Throwable): Entry\n    fun dump(target: Path): ByteArray\n",
        "}\n",
    ),
    (
        "go",
        "package a\n\ntype A interface {\n",
        "\tFind(key string) (*Entry, error)\n\tAll(ctx context.Context, prefix string, limit int) ([]Entry, error)\n\
         \tStore(entry *Entry, until time.Time, replace bool) error\n\tRemove(key string) (found bool, err error)\n\
         \tSize() int64\n\tGrouped(by func(*Entry) string) map[string][]*Entry\n\
         \tMerge(first, second *Entry, more ...*Entry) *Entry\n\tDump(target io.Writer) (n int64, err error)\n",
        "}\n",
    ),
    (
        "rs",
        "trait A {\n",
        "    fn find(&self, key: &str) -> Option<Entry>;\n    fn all(&self, prefix: &str, limit: usize) -> Result<Vec<Entry>, Error>;\n    \
         fn store(&mut self, entry: Entry, until: Instant, replace: bool);\n    fn remove(&mut self, key: &str) -> bool;\n    \
         fn size(&self) -> u64;\n    fn grouped<K: Hash>(&self, by: impl Fn(&Entry) -> K) -> HashMap<K, Vec<Entry>>;\n    \
         fn merge(&self, first: Entry, second: Entry) -> Entry;\n    fn dump(&self, target: &Path) -> io::Result<Vec<u8>>;\n",
        "}\n",
    ),
    (
        "c",
        "struct A {\n",
        "    struct entry *(*find)(struct store *s, const char *key);\n    int (*all)(struct store *, const char *prefix, size_t limit);\n    \
         void (*put)(struct store *s, struct entry *e, time_t until, bool replace);\n    bool (*remove) (struct store *, const char *key);\n    \
         size_t (*size)(const struct store *s);\n    unsigned long (*hash)(const unsigned char *data, size_t n);\n    \
         struct entry (*merge)(struct entry first, struct entry second);\n    int (*dump)(struct store *s, FILE *target, ...);\n",
        "};\n",
    ),
    (
        "h",
        "",
        "struct entry *store_find(struct store *s, const char *key);\nint store_all(struct store *s, const char *prefix, size_t limit, struct entry **out);\n\
         void store_put(struct store *s, struct entry *e, time_t until, bool replace);\nbool store_remove(struct store *, const char *key);\n\
         size_t store_size(const struct store *s);\nunsigned long store_hash(const unsigned char *data, size_t n);\n\
         struct entry store_merge(struct entry first, struct entry second);\nint store_dump(struct store *s, FILE *target, ...);\n",
        "",
    ),
];

#[test]
fn names_before_two_colons_are_declared() {
    let names = "  real(dp), intent(in) :: samples(:, :), weights(size(samples, 1))\n  integer(ilp), intent(in), optional :: n_components\n  \
        real(dp), intent(out), target :: means(n_columns + 1), deviations(n_columns)\n  character(len=*), intent(in) :: method\n  \
        type(linalg_state_type), intent(out), optional :: failure\n  logical(lk), intent(in), optional :: overwrite_samples\n";
    let module =
        |name: &str| format!("module subroutine {name}(samples)\n{names}end subroutine {name}\n");
    let found = levels(&[], &[("a.f90", &module("fit"))], &[("b.f90", &module("transform"))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("note b.f90:"), "{found:?}");
}

#[test]
fn the_signatures_of_an_interface_declare() {
    for (extension, opening, methods, closing) in INTERFACES {
        let path = |name: &str| format!("{name}.{extension}");
        let before = format!("{opening}{methods}{closing}");
        let after = format!("{}{methods}{closing}", opening.replace('A', "Cached"));
        let after = format!("{after}{}", if closing.is_empty() { "extern int n;\n" } else { "" });
        let found = levels(&[], &[(&path("a"), &before)], &[(&path("b"), &after)]);
        assert_eq!(found.len(), 1, "{extension}: {found:?}");
        assert!(found[0].ends_with(", declares rather than computes"), "{extension}: {found:?}");
    }
}

#[test]
fn an_implementation_repeats_signatures_and_a_copied_body_computes() {
    let (_, opening, methods, _) = INTERFACES[0];
    let interface = format!("{opening}{methods}}}\n");
    let class = |body: &str| {
        let methods =
            methods.replace("    Entry", "    @Override\n    public Entry").replace(';', body);
        format!("class Other implements A {{\n    private final int other;\n\n{methods}}}\n")
    };
    let (own, other) =
        (class(" {\n        return null;\n    }"), class(" {\n        throw new Gone();\n    }"));
    let found = levels(&[], &[("A.java", &interface)], &[("Other.java", &own)]);
    assert!(found.iter().all(|finding| finding.starts_with("note")), "{found:?}");
    let found = levels(&[], &[("Own.java", &own)], &[("Other.java", &other)]);
    assert!(
        !found.is_empty() && found.iter().all(|finding| finding.starts_with("note")),
        "{found:?}"
    );
    let body = " {\n        Entry found = this.index.lookup(this.name, 3);\n        if (found.isStale(this.clock.now())) {\n            \
                this.index.drop(found);\n        }\n        return null;\n    }";
    let one = class(" {\n        return null;\n    }").replacen(
        " {\n        return null;\n    }",
        body,
        3,
    );
    let found = levels(
        &[],
        &[("Own.java", &one)],
        &[("Other.java", &one.replace("int other", "long another"))],
    );
    assert!(found.iter().any(|finding| finding.starts_with("warning")), "{found:?}");
}

#[test]
fn a_signature_is_no_statement() {
    let class = |name: &str, inner: &str| {
        format!(
            "class {name} implements Store {{\n    @Override\n    public long sizeOf(Path path, Unit unit) {{\n        \
             return {inner}.measured(path).in(unit);\n    }}\n\n    @Override\n    public void put(Path path) {{\n        \
             {inner}.write(path);\n    }}\n\n    @Override\n    public Path find(String name, long after, long before) {{\n        \
             return {inner}.lookup(name, after, before);\n    }}\n}}\n"
        )
    };
    let found = levels(
        &[],
        &[("Own.java", &class("Own", "files"))],
        &[("Other.java", &class("Other", "rows.of(this)"))],
    );
    assert!(found[0].starts_with("note Other.java:1, says little: 3 statements"), "{found:?}");
}

#[test]
fn calls_and_variables_are_no_signatures() {
    let body = "    area inner(max(left, other.left), max(top, other.top));\n    \
                area outer(min(right, other.right), min(bottom, other.bottom), scale(3));\n    \
                trace.print(inner.width(), outer.width());\n    remember(inner, outer);\n    \
                return inner.is_within(outer) && outer.is_visible(screen);\n";
    let function = |name: &str| format!("bool {name}(const area& other)\n{{\n{body}}}\n");
    let found = levels(
        &[],
        &[("a.cpp", &function("meets"))],
        &[("b.cpp", &format!("int b;\n{}", function("meets")))],
    );
    assert_eq!(found, ["warning b.cpp:2"]);
    let body = "  const found = await index.lookup(name, limit);\n  show(found, Date.now());\n  \
                if (found.isStale(clock)) index.drop(found);\n";
    for call in ["watch(\"finds\", async () => {\n{}});\n", "run(async function () {\n{}});\n"] {
        let call = call.replace("{}", body);
        let found = levels(&[], &[("a.js", &call)], &[("b.js", &format!("let b;\n{call}"))]);
        assert_eq!(found, ["warning b.js:2"]);
    }
}

#[test]
fn a_build_script_is_judged_by_its_code() {
    let tasks = "tasks.register(\"weigh\") {\n    doLast {\n        def sizes = [:]\n        \
        fileTree(\"src\").each { file ->\n            if (file.name.endsWith(\".txt\")) {\n                \
        sizes[file.name] = file.length() / 1024\n            }\n        }\n        \
        sizes.sort().each { name, size ->\n            logger.lifecycle(\"$name: $size\")\n        }\n        \
        if (sizes.isEmpty()) {\n            throw new GradleException(\"no texts below src\")\n        }\n    }\n}\n";
    for path in
        ["b.gradle", "b/build.gradle", "b.gradle.kts", "buildSrc/src/main/kotlin/b.gradle.kts"]
    {
        let first = if path.ends_with("kts") { "a.gradle.kts" } else { "a.gradle" };
        let found =
            levels(&[], &[(first, tasks)], &[(path, &format!("description = \"b\"\n\n{tasks}"))]);
        assert_eq!(found, [format!("warning {path}:3")]);
    }
}

#[test]
fn steps_of_a_scenario_are_found_whatever_values_they_have() {
    let steps = "    Given a registered user with an empty cart\n    And the catalog has a product \"Blue teapot\" at 25 euros\n    \
        When the user adds the product to the cart\n    And the user applies the coupon \"SPRING\" to the cart\n    \
        And the user proceeds to the checkout page\n    Then the total of the cart is 20 euros\n    \
        And the coupon is marked as used for that user\n    And a confirmation mail is sent to the user\n";
    let others = "    Given the database has 20 rows of the last month\n    And a manager is in the office of the region\n    \
        When the export of the table to a spreadsheet is started\n    Then the file has as many lines as the table has rows\n    \
        And the header of the file names the columns\n    And a log of the export is kept for the auditor\n";
    let cart = format!("Feature: Cart\n  Scenario: coupon\n{steps}");
    let copied = |steps: &str| {
        let orders = format!("Feature: Orders\n  Scenario: an order\n    Given a shop\n{steps}");
        levels(&[], &[("a.feature", &cart)], &[("b.feature", &orders)]).len()
    };
    assert_eq!(copied(steps), 1);
    assert_eq!(copied(&steps.replace("25", "30").replace("SPRING", "AUTUMN")), 1);
    assert_eq!(
        copied(&steps.replace("25 euros", "25 euros:\n      | a | b |\n      | 1 | 2 |")),
        1
    );
    assert_eq!(copied(others), 0);
}

/// `n` functions that decide, each in another way; the later, the more they do.
fn functions(n: usize) -> Vec<String> {
    let function = |at: usize| {
        let steps: String = (0..=at)
            .map(|step| {
                format!(
                    "    if (in[{step}] {} {step})\n        n {} weigh_{at}_{step}(in{});\n",
                    ["<", "==", ">", "!=", "<="][(at * 3 + step) % 5],
                    ["+=", "-=", "*=", "|="][(at + 3 * step) % 4],
                    ", 1".repeat((at * 5 + step * 3) % 7)
                )
            })
            .collect();
        format!(
            "int count_{at}(const char *in)\n{{\n    int n = start_{at}();\n    while (more_{at}(n))\n        n++;\n{steps}    return finish_{at}(n);\n}}\n"
        )
    };
    (1..=n).map(function).collect()
}

#[test]
fn a_change_warns_of_its_ten_best_copies_and_notes_the_others() {
    let all = functions(13);
    let before: Vec<(String, &str)> =
        all.iter().enumerate().map(|(at, text)| (format!("a{at:02}.c"), &**text)).collect();
    let after: Vec<(String, String)> = all
        .iter()
        .enumerate()
        .map(|(at, text)| (format!("b{at:02}.c"), format!("{text}static long z{at}[{at}];\n")))
        .collect();
    let before: Vec<(&str, &str)> = before.iter().map(|(path, text)| (&**path, *text)).collect();
    let after: Vec<(&str, &str)> = after.iter().map(|(path, text)| (&**path, &**text)).collect();
    let found = levels(&[], &before, &after);
    let noted: Vec<&String> = found.iter().filter(|line| line.starts_with("note")).collect();
    assert_eq!(found.len(), 13, "{found:#?}");
    let beyond = |at| format!("note b{at:02}.c:1, the change has 10 copies that are worth more");
    assert_eq!(noted, [&beyond(0), &beyond(1), &beyond(2)], "those that do least");
    let found = levels(&["--set", "max-warnings=100"], &before, &after);
    assert!(found.iter().all(|line| line.starts_with("warning")), "{found:#?}");
}

#[test]
fn what_a_bundle_gets_with_its_sources_is_a_note() {
    let functions: Vec<&str> =
        include_str!("../../law/code/c.c").split_inclusive("\n}\n").collect();
    let sources: Vec<String> =
        functions.chunks(functions.len().div_ceil(4)).map(<[&str]>::concat).collect();
    let bundle = |sources: &[String]| format!("int bundled;\n{}", sources.concat());
    let edited = |text: &str| format!("{text}{DECIDES}");
    let mut after = sources.clone();
    after[1] = edited(&after[1]);
    let names = ["a.c", "b.c", "c.c", "d.c"];
    let files = |sources: &[String]| -> Vec<(String, String)> {
        let own = names.iter().zip(sources).map(|(name, text)| ((*name).to_owned(), text.clone()));
        own.chain([("all.c".to_owned(), bundle(sources))]).collect()
    };
    let (before, after) = (files(&sources), files(&after));
    let before: Vec<(&str, &str)> = before.iter().map(|(path, text)| (&**path, &**text)).collect();
    let after: Vec<(&str, &str)> = after.iter().map(|(path, text)| (&**path, &**text)).collect();
    let found = levels(&[], &before, &after);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("the two files are kept in step"), "{found:#?}");
}

#[test]
fn a_finding_says_what_made_its_level_and_what_would_change_it() {
    let repository = Repository::new();
    repository.write("a.c", format!("{DECIDES}{}", fields(12)));
    repository.commit("before");
    repository.write("b.c", format!("int other;\n{DECIDES}"));
    repository.write("c.c", format!("int other(void);\n{}", fields(12)));
    repository.commit("after");
    let run = |format: &str| {
        let args = ["check", "--base", "HEAD~1", "--verbose", "--format", format];
        String::from_utf8(repository.secondhand(&args).output().expect("it runs").stdout)
            .expect("it is text")
    };
    let text: String = run("text").split_whitespace().collect::<Vec<_>>().join(" ");
    for reason in [
        "and 20 make a warning: ",
        "for 5 statements and 2 kinds of control flow (100 % of the names kept, ",
        "warning: the level of `copied-code`; `[rules]` sets it, for a folder too",
        "note: says little: no statement, no control flow, 2 equal lines; `min-worth = 0` makes it a warning",
    ] {
        assert!(text.contains(reason), "{reason}\n{text}");
    }
    let report: serde_json::Value = serde_json::from_str(&run("json")).expect("it is JSON");
    let finding = &report["findings"][0];
    let part = |name: &str| finding["worthParts"][name].as_f64().expect("it is a number");
    let sum = part("statements") + part("equalLines");
    assert!((sum - finding["worth"].as_f64().expect("it is a number")).abs() < 0.11, "{finding}");
    assert_eq!(part("minimum"), 20.0);
}
