//! Holds the lexer to its promise: on any bytes, in any language, tokens ascend and nothing panics.

use proptest::prelude::*;
use secondhand::language::{Kind, Languages, Token};

/// Pieces that open, close and escape things in some language, and some that are not UTF-8.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\r\n",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "(*",
    "*)",
    "{-",
    "-}",
    "<!--",
    "-->",
    "\"\"\"",
    "'''",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "${",
    "}",
    "{",
    "#{",
    "<<EOF\n",
    "EOF\n",
    "<<-'A'\n",
    "\tA\n",
    "=begin\n",
    "=end\n",
    "[[",
    "]]",
    "--[==[",
    "]==]",
    "$$",
    "$a$",
    "%q(",
    ")",
    "/",
    "[",
    "a",
    "if ",
    "import a;\n",
    "0x1F",
    "1.5e-3",
    " ",
    "\t",
    "\u{FEFF}",
    "é",
    "<script>",
    "<script lang=ts>",
    "</script>",
    "<?php ",
    "?>",
    "<%=",
    "%>",
    "{{",
    "}}",
    "{%",
    "%}",
    "```c\n",
    "```\n",
    "---\n",
    ".. code:: c\n\n ",
    "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\\n\\\"\u{E9}\"]}],\"metadata\":{\"language_info\":{\"name\":\"c\"}}}",
    "\u{0}",
];

fn languages() -> &'static Languages {
    Languages::builtin()
}

fn check(text: &[u8]) {
    let mut tokens: Vec<Token> = Vec::new();
    for id in languages().ids() {
        let language = languages().get(id).expect("every id has a language");
        let embedded = languages().tokenize(language, text, true, &mut tokens);
        for part in embedded {
            assert!(
                part.range.start < part.range.end && part.range.end <= text.len(),
                "{id}: a region lies in {text:?}"
            );
        }
        let mut end = 0;
        for token in &tokens {
            assert!(
                token.start >= end && token.end > token.start,
                "{id}: tokens overlap or are empty in {text:?}"
            );
            end = token.end;
        }
        assert!(end as usize <= text.len(), "{id}: a token ends after the text {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_mixture_of_openers_is_lexed(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes_are_lexed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }
}

#[test]
fn lines_of_a_megabyte_are_lexed() {
    for piece in ["a", "\"", "\\", "{", "<", "é ", "/"] {
        let text = piece.repeat(1 << 20);
        let mut tokens = Vec::new();
        for id in [
            "c", "python", "rust", "javascript", "ruby", "shell", "perl", "html", "markdown",
            "php", "erb",
        ] {
            let language = languages().get(id).expect("it is built in");
            languages().tokenize(language, text.as_bytes(), true, &mut tokens);
            assert!(tokens.iter().all(|token| token.end as usize <= text.len()));
        }
    }
}

#[test]
fn what_is_never_closed_ends_with_the_text() {
    for piece in PIECES {
        check(piece.repeat(50).as_bytes());
        check(format!("a {piece}").as_bytes());
    }
}

/// A language, and text that tricks a lexer: a compiler sees each `seen` as code, and no `hidden`.
const TRICKS: &[(&str, &str)] = &[
    // Line ends that only some see.
    ("c", "// hidden\rseen();\n"),
    ("cpp", "#include <a>\rseen();\n"),
    ("java", "// hidden\rseen();\n"),
    ("csharp", "// hidden\u{85}seen();\n// hidden\u{2029}seen();\n"),
    ("javascript", "#!hidden\rseen(); // hidden\u{2028}seen()\n// hidden\u{2029}seen()\n"),
    ("typescript", "// hidden\u{2028}seen()\n// hidden\rseen()"),
    ("python", "# hidden\rseen()\rimport hidden\rseen()\n"),
    ("php", "<?php # hidden\rseen(); // hidden ?><?php seen(); /* hidden ?> hidden */ seen();"),
    ("kotlin", "// hidden\rseen()"),
    ("swift", "// hidden\rseen()"),
    // Lines joined in comments: GCC joins none at a trigraph unless a standard is asked for.
    ("c", "// hidden \\\nhidden\nseen; // hidden ??/\nseen;\n/\\\n* hidden *\\\n/ seen;"),
    ("cpp", "// hidden \\\r\nhidden\r\nseen; // hidden ??/\r\nseen;"),
    // Names of headers, conditions and directives.
    (
        "c",
        "#if __has_include(<a/*b>)\nseen;\n#endif\n#include <c/*d>\nseen;\n%:include <e/*f>\nseen;",
    ),
    ("c", "#if 0\nseen; don't\n#endif\nseen;\n#error it's\nseen; '\"' seen; '/*' seen;"),
    ("csharp", "#region /* a\nseen();\n#endregion */\n#error \"b\nseen();\n#pragma c /*\nseen();"),
    // Raw, verbatim and formatted strings.
    (
        "cpp",
        r#"a = R"x(hidden)" hidden)x"; seen; b = LR"(hidden \)"; seen; 1'000; seen; 'c'; seen;"#,
    ),
    (
        "csharp",
        r#"a = @"hidden\"; seen(); """hidden "" hidden"""; seen(); $@"hidden {seen} ""hidden"; seen();"#,
    ),
    (
        "csharp",
        r#"$"{seen:hh':'mm'hidden}" + seen + $"{(a ? seen : b):x'}" + seen + $"{seen["hidden"]}" + seen"#,
    ),
    ("csharp", r#"$$"""{hidden} {{seen}}""" + seen + '"' + seen + '\'' + seen"#),
    ("python", r#"f"{seen["hidden"]}" + seen + f"{seen:'>9}" + seen + f'''{seen:"""}''' + seen"#),
    (
        "python",
        r#"f"{seen(lambda a: seen)}" + f'{seen!r:{seen}}' + rb'hidden\' hidden' + seen + '\'hidden' + seen"#,
    ),
    (
        "rust",
        r###"r#"hidden" hidden"#; seen; br##"hidden"#"##; seen; r#type; seen; 'a: loop { seen } '"'; seen"###,
    ),
    (
        "rust",
        r#"/* hidden /* hidden */ hidden */ seen; f::<'a>(b'\'', '\'', seen); "hidden\" //"; seen"#,
    ),
    ("go", r#"a := `hidden \`; seen(); '`'; seen(); "hidden\"`"; seen(); '\''; seen()"#),
    (
        "swift",
        r###""\(seen("hidden")) hidden"; seen; ##"hidden "# \(hidden) \##(seen)"##; seen; #/hidden"/#; seen"###,
    ),
    (
        "kotlin",
        r#""${seen("hidden ${seen}")} hidden"; seen; """hidden"" ${seen} \"""; seen; '"'; seen"#,
    ),
    (
        "java",
        "\"hidden\\\\\"; seen(); \"\"\"\n hidden \" \\\"\"\" hidden\"\"\"; seen(); '\"'; seen(); '\\''; seen();",
    ),
    (
        "java",
        "// hidden \\u000a seen();\n/* hidden \\u002a\\u002f seen(); \"hidden\\u0022; seen(); \\u002F* hidden */ seen",
    ),
    // Quotes of other kinds, and where they end.
    (
        "php",
        "<?php $a = <<<'B'\n hidden ' \" /*\n B; seen(); \"hidden {$c[\"hidden\"]}\"; seen(); #[A('hidden')]\nseen();",
    ),
    (
        "ruby",
        "%q(hidden (hidden) ' hidden); seen; %w[hidden ' ]; seen; ?\"; seen; \"#{seen \"hidden\"}\"; seen",
    ),
    (
        "ruby",
        "a(<<~B, <<-'C')\n hidden ' \"\n B\n hidden \"\n C\nseen\n=begin\nhidden\n=end hidden\nseen",
    ),
    ("ruby", "__END__ = 1\nseen\n__END__\nhidden"),
    (
        "shell",
        "cat <<'A' <<\\B\nhidden don't\nA\nhidden `\nB\nseen \\\" seen; a=\\' seen; ${#b} seen; c#d seen # hidden",
    ),
    (
        "shell",
        "\"$(seen \"hidden\")\" seen; $'hidden\\'hidden' seen; cat <<-E\n\thidden '\n\tE\nseen; <<<'hidden' seen",
    ),
    ("perl", "$a = shift // 2;\nseen;\n$b->{c} //= 3;\nseen / 4"),
    ("perl", "print(<<\"\", <<\"b c\");\n\nit's\nhidden\nb c\nseen"),
    (
        "perl",
        "q{hidden {hidden} '}; seen; s{hidden'}{hidden\"}e; seen; $#a; seen; <<\"A\" . seen;\nhidden '\nA\nseen",
    ),
    ("lua", "--[==[ hidden ]] hidden ]==] seen() [=[hidden]] hidden]=] seen() --[ hidden\nseen()"),
    (
        "sql",
        "select $$hidden '$$, seen, 'hidden''', seen, \"hidden\"\"\", seen -- hidden '\n, seen /* hidden */",
    ),
    ("mysql", "/*!50001 seen */ seen /* hidden */ 'hidden\\'' seen"),
    // A slash, which divides or opens a regular expression.
    (
        "javascript",
        "if (a &&\n    b) /`hidden/.test(c);\nseen();\nwhile (d(\n)) /'hidden/.test(e), seen();",
    ),
    (
        "javascript",
        "function a() {\n}\n/`hidden/.test(b);\nseen(); (c\n + d) / seen / e; f[0] / seen / g; h++ / seen / i;",
    ),
    (
        "javascript",
        "a.if(b) / seen / c; x = /[/`]hidden/; seen; `hidden ${seen + `hidden ${seen}`} hidden`; seen",
    ),
    // A word that is an operator, a bracket far away, a long literal: what a slash opens depends on
    // them.
    (
        "javascript",
        "for (a of /[`]hidden/.b) seen; for (const of of c) seen / seen; of = 1; d of\n/ seen / e;",
    ),
    (
        "javascript",
        "for await (a of b) /`hidden/.test(c); seen; function d() {} /[`]hidden/.e; seen; {} /'hidden/; seen",
    ),
    (
        "typescript",
        "for (a of /[`]hidden/.b) seen; for (let {c} of /`hidden/.d) seen; this.#if(e) / seen / f;",
    ),
    (
        "javascript",
        "a <!-- hidden `\nseen;\n<!-- hidden\nseen;\n /* hidden */ --> hidden `\nseen; b --> seen",
    ),
    ("javascript", "a; /* hidden\n */ --> hidden `\nseen"),
    // Escapes of characters that are the character wherever they are.
    (
        "java",
        "a = \"hidden\\u005c\"/*hidden\"; seen(); \\uuu002f* hidden \\u002a/ seen(); b = \"\\\\u0022hidden\"; seen",
    ),
    (
        "java",
        "\\u0022hidden\\u0022; seen(); // hidden \\uu000a seen(); \"hidden \\\\\"; seen(); '\\u005c''; seen",
    ),
    // What Perl documents, and where a line that looks like it is code.
    (
        "perl",
        "seen;\n=hidden q{\nhidden\n\n=cut\nseen; $a{b}\n=head(1); seen; my $c\n=seen(2); ${d}\n=seen;",
    ),
    (
        "perl",
        "sub a {\n seen;\n}\n=hidden\n\nhidden q{\n\n=cut hidden\nseen; $a->{b}{c}\n=seen; @{d}\n=seen",
    ),
    ("perl", "(\n__END__ => seen,\n); $a->\n__END__; seen;\n=hidden q("),
    (
        "perl",
        "<< \"A\"; seen;\nhidden q{\nA\nseen; <<\\B . <<~ 'C'; seen;\nhidden q{\nB\nhidden\n  C\nseen; <<\"\";\nhidden '\n\nseen",
    ),
    // A comment that is code.
    (
        "go",
        "package a\n\n// hidden\n\n// #include <b.h>\n// int c(void) { return seen; }\n\timport \"C\"\n// hidden\nseen()",
    ),
    (
        "go",
        "/* hidden */\n\n/*\nint c(void) { return seen; } // hidden\n*/\nimport \"C\"\n\n/* hidden */\nimport \"hidden\"\nseen()",
    ),
    ("go", "/* int c(void) { return seen; } */import \"C\"\nseen()"),
    // Names and operators that hold quotes, and comments that hold strings.
    (
        "r",
        "a %\"% seen; seen %in% seen; b %%c; seen %d'e% seen; `d \"`; seen; r\"-(hidden)\")-\"; seen # hidden",
    ),
    ("tsql", "select [a/*b], seen, [c]]'d], seen -- hidden"),
    (
        "ocaml",
        "(* hidden \"(*\" hidden *) seen; (* hidden {|(*|} *) seen; (* hidden '\"' hidden *) seen (* don't *) seen",
    ),
    (
        "fsharp",
        "(* hidden \"(*\" hidden *) seen (*) seen; ``a \"`` seen; @\"hidden\\\"; seen; '\"'; seen",
    ),
    (
        "haskell",
        "a --> seen |-- seen <-- seen --| seen; foldl' '\"' seen \"hidden\\\n \\hidden\" seen {- hidden {- -} -} seen",
    ),
    ("racket", "#\\\" seen #;(x) seen #| hidden #| hidden |# |# seen #px\"hidden\\\"\" seen"),
    // Quotes that are none to the eye, or take more than they seem to.
    (
        "powershell",
        "$a = \u{201C}hidden\u{201D}; seen; 'hidden \u{2019}; seen; \"hidden \u{201D}; seen; echo `\" seen `# seen",
    ),
    (
        "powershell",
        "echo ``\"hidden\"; seen; cmd --% hidden \" hidden\nseen; @'\nhidden '@ \" hidden\n'@; seen; \"$(seen)\"",
    ),
    (
        "elixir",
        "\"\"\"\nhidden \"\"\" hidden\n  \"\"\"\nseen\n~k(hidden \"); seen; ~Q[hidden ']; seen; 'hidden\nhidden \"'; seen; ?\"; seen",
    ),
    (
        "scala",
        "<b c={seen}>text \" ' /* </b>; seen; \"\"\"hidden\"\"\"\"; seen; s\"${seen}hidden\"; '\"'; seen /* hidden /* */ */",
    ),
    (
        "nim",
        "r\"hidden\\\"; seen; #[ hidden #[ ]# ]# seen; '\"'; seen; \"\"\"hidden\"\" \"\"\"\"; seen",
    ),
    (
        "groovy",
        "$/hidden '\n\"\"\" /$; seen; a = /hidden '\"/; seen / b / seen; '''hidden \" '''; seen",
    ),
    (
        "dart",
        "r'hidden\\'; seen; '''hidden ' ${seen}'''; /* hidden /* */ hidden */ seen; r\"\"\"hidden\\\"\"\"; seen",
    ),
    (
        "julia",
        "a' * seen; b'; \"hidden $(seen(\"hidden\"))\"; #= hidden #= =# =# seen; raw\"hidden\\\\\"; seen; '\"'; seen",
    ),
    (
        "d",
        "`hidden \\`; seen; r\"hidden\\\"; seen; /+ hidden /+ +/ +/ seen; q\"(hidden \" (hidden))\"; seen; q{seen}",
    ),
    (
        "matlab",
        "a = b'; seen; c = 'hidden '' hidden'; seen; d = [e' f']; seen\n%{\nhidden '\n%}\nseen % hidden",
    ),
    // Tags of shells: any word, which only tabs indent, and shifts that have none.
    (
        "shell",
        "cat <<! <<'---' <<\"a b\"\nhidden '\n!\nhidden \"\n---\nhidden '\na b\nseen; cat <<''\nhidden '\n\nseen",
    ),
    (
        "shell",
        "cat <<E-O-F <<A\"B\"C <<123 <<\\!\nhidden '\nE-O-F\nhidden '\nABC\nhidden '\n123\nhidden '\n!\nseen",
    ),
    (
        "shell",
        "cat <<  A\nhidden '\n A\nhidden\nA\nseen; cat <<-B\nhidden '\n  B\n\tB\nseen; cat <<-C;seen\nhidden '\nC\nseen",
    ),
    (
        "shell",
        "((a<<b))\nseen\nb; echo \"$((c <<d))\" $((e<<f\n)) $[g<<h] i[1<<2]=3\nseen\nd\nseen\nf\nh\n2\nseen",
    ),
    (
        "typescript",
        "a! / seen / b; c = <T,>(d: T) => seen; e < f > (seen); g = h as T / seen / 2; `hidden ${i<J>(seen)}`",
    ),
    // What looks like an import and holds code: a body, a block, a declaration.
    (
        "javascript",
        "const a = {\n  import: function (b) { seen(); },\n  import() { seen(); }\n};\nclass C { import = (b) => { seen(); };\n}",
    ),
    (
        "javascript",
        "import hidden from \"b\" /*\n*/ function f() { seen(); }\nimport \"hidden\" with { type: \"json\" }\nseen()",
    ),
    (
        "typescript",
        "class A {\n  import<T>(a: T) { seen(); }\n  import = { b: () => seen };\n  import?: seen;\n  import: seen }",
    ),
    (
        "typescript",
        "import hidden = require(\"b\");\nimport type { hidden } from \"c\";\nimport hidden = hidden.hidden;\nseen",
    ),
    (
        "csharp",
        "using hidden = A.B<C>;\nusing var seen = B.C(() => {\n seen();\n});\nusing A seen = new B { C = () => { seen(); } };",
    ),
    (
        "csharp",
        "using static hidden.hidden;\nusing hidden = (int a, string b);\nusing A.B<C> seen = d();\nusing (seen) { }",
    ),
    (
        "perl",
        "use hidden '+' => 1;\nuse overload '+' => sub { seen; };\nrequire \"x\" or do { seen; };\nuse constant { hidden => 1 };",
    ),
    (
        "perl",
        "use lib do { seen; };\nuse overload\n '-' => sub { seen; },\n '+' => sub { seen };\nuse hidden (\n 'a',\n 'b'\n);",
    ),
    (
        "r",
        "source$work <- function(x) { seen }\nsource[[\"a\"]] <- function(x) seen\nsource(local({ seen }))\nlibrary(hidden)",
    ),
    (
        "shell",
        "source ./a && f() {\n seen\n}\nsource x || {\n seen\n}\nsource <(\n seen\n b\n)\nsource hidden || exit 1",
    ),
    (
        "ruby",
        "require(\"set\").then {\n seen\n}\nfoo(\n require: -> { seen },\n b: 1)\nrequire \"a\" do seen end\nrequire hidden",
    ),
    (
        "php",
        "<?php\ninclude f(function () { seen(); });\n$a = function ($b)\n  use /* x */ ($c) { seen(); };\nuse hidden\\{hidden};",
    ),
    (
        "php",
        "<?php class A {\n use hidden { hidden as hidden; }\nfunction\ninclude($a) { seen(); } }\nrequire hidden . '/a.php';",
    ),
    (
        "dart",
        "b() {\n  part\n    ..a = () { seen(); };\n  part!.a(() { seen(); });\n}\nimport 'a' if (hidden.hidden == 'b') 'c' as hidden;",
    ),
    (
        "go",
        "import \"a\" /*\n*/ func f() { seen() }\nimport (\n\thidden \"b\"\n\t. \"c\"; hidden \"d\"\n)",
    ),
    (
        "swift",
        "import A /*\n*/ func f() { seen }\n@preconcurrency class B { func c() { seen } }\n@testable import hidden",
    ),
    ("kotlin", "fun a() {\n  import {\n  seen()\n  }\n}\nimport hidden.*"),
    (
        "rust",
        "fn a() -> impl Sized +\nuse<'a> { seen }\nm! {\nuse { seen(1) } ; }\nuse hidden::{hidden, self as hidden};",
    ),
    ("ocaml", "open (struct\n seen\nend)\nopen hidden.Hidden"),
    ("c", "#include \"a.h\" (\n seen;\n#include \"b.h\" )\nseen;"),
    (
        "elixir",
        "use A, [b: fn c ->\n seen end]\nuse hidden, [hidden: 1,\n hidden: 2]\nimport A.B, only: [hidden: 1]",
    ),
    (
        "python",
        "x = (yield\n from f([seen]))\ny = [\n from_a,\n seen]\nfrom hidden import (hidden, hidden as hidden)",
    ),
    ("scala", "object A {\n import hidden.{hidden => hidden,\n hidden} }\nseen"),
    ("julia", "include(function (a)\n seen\nend, \"b\")\nimport hidden: +, hidden"),
    ("clojure", "(require 'hidden) (seen)\n(do\n (require 'hidden))\n(seen)"),
    // Quotes and openers behind what only some languages have.
    (
        "ruby",
        "a = /\n  hidden'  # hidden\n/x; seen; b.match(/\n hidden\"/x); seen; [:+, :/, :%]; seen; b.inject(:%); seen",
    ),
    (
        "ruby",
        "a <<b; seen; puts <<eos\nhidden'\neos\nseen; class <<self; seen; end; e.f :/ ; seen; undef :`; seen",
    ),
    (
        "ruby",
        "@a <<C\n seen\nC\nb[0] <<D\nseen\nD\n1 <<E\nseen\nE\n(f) <<G\nseen\nG\nh<<I\nseen\nI\nj = ?\\'; seen; ?\\\"; seen",
    ),
    ("ruby", "a <<~É\nhidden'\nÉ\nseen; def /(b) seen end; c ?d :/hidden'/; seen"),
    (
        "shell",
        "a=\"$((10#$b))\"; seen; $[10#$c]; seen; case $c in\n d) seen ;;\nesac; echo \"hidden's\"; seen#b; ${e}#seen",
    ),
    (
        "shell",
        "a=\"${b//'\"'/hidden}\"; seen; c=\"${b:-\"hidden's\"}\"; seen; d=${b:-'}hidden'}; seen; e=${b#{}; seen",
    ),
    (
        "shell",
        "a=\"${b:-it's}\"; seen; c=\"${b:-${d%'\"'}hidden}\"; seen; e=\"${f:-\"$(seen \"hidden's\")\"}\"; seen; ${g:-\"}hidden\"}",
    ),
    (
        "shell",
        "echo \\\\\"hidden\"; seen; echo \\$'hidden\\'; seen; a=\"`echo \\\"hidden's\\\"`\"; seen",
    ),
    (
        "shell",
        "a=\"$(case $b in c) echo \"hidden's\" ;; (d) seen;; esac)\"; seen; \"$(echo case)\"; seen '\"'; seen",
    ),
    (
        "javascript",
        "a = <input b=\"\n  image/*,\n\" c='hidden' d=\"C:\\\" />; seen; e = <p title=\"\n `x\n\">'</p>; seen",
    ),
    (
        "csharp",
        "# region /* hidden\nseen;\n#\terror it's /*\nseen;\n#if false\n it is /* x\n#endif\nseen; /*\n#if A\nhidden\n#endif\nhidden */ seen",
    ),
    (
        "csharp",
        "/* hidden\n#endif\nhidden \" */ seen;\n#if A\n seen /* hidden\n#else\n seen();\n#endif\nseen /* hidden */",
    ),
    (
        "c",
        "#if __has_include( <a/*b> ) || __has_include_next ( <c/*d> )\nseen;\n#endif\n#include /* hidden */ <e/*f>\nseen;",
    ),
    (
        "c",
        "char a[] = {\n#embed <a/*b>\n}; seen; s = R\"(\n/*hidden\n)\"; seen; /* hidden *\\\n\\\n/ seen",
    ),
    ("objective-c", "s = R\"x(\n/*hidden)\" )x\"; seen;\n#import <a/*b>\nseen;"),
    ("cpp", "import <a/*b>;\nseen;\nimport seen = b;\nimport hidden.hidden:c;\n"),
    (
        "html",
        "<p title=\"<!--\"><script>seen</script><title>a <!-- b</title><script>seen</script><!--><script>seen</script>",
    ),
    (
        "html",
        "<!--- hidden --!><script>seen</script><textarea><!-- it's</textarea><script>seen</script><!---><script>seen</script>",
    ),
    ("julia", "@show '\"'; seen; ['a' '\"']; seen; [a '\"']; seen; a' * \"hidden\"; seen"),
    (
        "perl",
        "use constant A => 1;\nmy $a = 1 <<A;\n seen;\nA\n;$b <<C;\nseen\nC\n;print $f <<D;\nhidden\nD\nseen",
    ),
    (
        "perl",
        "print {$a->{b}} <<A, <<\"B\";\nhidden q{\nA\nhidden\nB\nseen; print STDERR <<C; f(<<D);\nhidden\nC\nhidden\nD\nseen; a[0] <<E\n;seen;\nE\n",
    ),
    ("go", "import (\n\"b\"\n/* int c(void) { return seen; } */\n\"C\"\n)\nseen"),
    ("go", "/* int c(void) { return seen; } */ import (\"C\")\nseen"),
    ("sql", "insert into a values ('hidden\n image/* \n hidden'); seen('it''s'); seen"),
    ("css", "a{b:URL(hidden/*y)} seen{} c{d:url(\"hidden)/*\")} seen{}"),
    (
        "php",
        "<?php $a = <<<É\nhidden's\nÉ; seen(); \"$a = `hidden {$b[\"`\"]}`\"; seen(); `hidden {$seen[\"`\"]}`; seen();",
    ),
    (
        "perl",
        "$a =~ s,q{,hidden,; seen; $b = q#hidden '#; $c =~ m#hidden/'#; seen; $d =~ tr#'#\"#; $e = qw (hidden '); seen",
    ),
    (
        "perl",
        "print \"hidden\n   y(es) or no\n   s(top\n\"; seen; $a = 'hidden\n\"'; seen; $b =~ m/\n hidden' # x\n/x; seen; isn't($c, seen)",
    ),
    (
        "perl",
        "sub y { seen } $p->s(seen, '\"'); @s = (y => seen, -s \"hidden\", %q); $h{s}; seen; $c =~ s {hidden'}\n{hidden\"}; seen",
    ),
    ("perl", "seen;\n=head1 hidden\n\n=cutter hidden\n\nhidden '\n=cut\nseen"),
    ("ruby", "a = `hidden '\nhidden` ; seen\n=begin\n=endx hidden '\n=end\nseen\n=beginner; seen"),
    (
        "javascript",
        "var q = function () {} / seen; /* hidden ` */ a = {b: {}} / 2; /* ` */ seen; f(function g() {} / seen); if (a) {} /`/; seen",
    ),
    ("powershell", "a#b seen # hidden"),
    (
        "perl",
        "if ($a) { } /hidden'/ and seen; $b{c} / seen / 2; f(<<A, \"hidden\nhidden '\nA\nhidden\"); seen",
    ),
    ("ruby", "f(<<A, 'hidden\nhidden '\nA\nhidden'); seen"),
    ("shell", "echo ${(j:\":)b}; seen; cat <<A \"hidden\nhidden\"\nhidden '\nA\nseen"),
];

#[test]
fn no_trick_hides_code() {
    let mut faults = Vec::new();
    let mut tokens = Vec::new();
    for (id, text) in TRICKS {
        let language = languages().get(id).unwrap_or_else(|| panic!("{id} is built in"));
        languages().tokenize(language, text.as_bytes(), true, &mut tokens);
        let code = tokens.iter().filter(|token| token.kind() != Kind::String);
        let code: Vec<_> =
            code.map(|token| String::from_utf8_lossy(token.text(text.as_bytes()))).collect();
        let count = |word| code.iter().filter(|token| token.contains(word)).count();
        if count("seen") != text.matches("seen").count() || count("hidden") > 0 {
            faults.push(format!("{id}: {text}\n  code: {}", code.join(" ")));
        }
    }
    assert!(faults.is_empty(), "{} tricks:\n{}", faults.len(), faults.join("\n"));
}
