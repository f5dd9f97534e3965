//! Tells, of each language, the little that the benchmark has to know to cut functions out of it.
//!
//! Kept apart from the tables of `config/languages` on purpose: what is judged must not hold the
//! measuring stick.

/// How a language marks what belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// `{` and `}`; statements end with `;`.
    Statements,
    /// `{` and `}`; statements end with their line.
    Lines,
    /// The indentation.
    Indentation,
}

/// What a single quote opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apostrophe {
    /// A string or a character.
    Text,
    /// A character, or a lifetime.
    Lifetime,
}

/// What a backtick opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backtick {
    /// Nothing.
    Mark,
    /// A string without escapes, over many lines.
    Raw,
    /// A string with escapes and `${}`, over many lines.
    Template,
}

/// A language.
#[derive(Debug)]
pub struct Language {
    /// Its name, in messages.
    pub name: &'static str,
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    /// What opens a comment to the end of the line; the first is the one to write.
    pub line_comments: &'static [&'static str],
    /// Whether `/*` opens a comment.
    pub has_block_comments: bool,
    /// How it marks what belongs together.
    pub blocks: Blocks,
    /// What a single quote opens.
    pub apostrophe: Apostrophe,
    /// What a backtick opens.
    pub backtick: Backtick,
    /// Whether plain strings may go over line ends.
    pub has_long_strings: bool,
    /// Whether three quotes open a string.
    pub has_triple_quotes: bool,
    /// Whether a line that starts with `#` is a directive.
    pub has_directives: bool,
    /// Whether `/` may open a regular expression.
    pub has_regexes: bool,
    /// The words of which one stands before each function's name; empty when there is none.
    pub function_words: &'static [&'static str],
    /// The beginnings of import lines.
    pub imports: &'static [&'static str],
    /// What the scanner cannot read: files that hold it are left out.
    pub unreadable: &'static [&'static str],
}

/// C, from which the other rows differ.
const C: Language = Language {
    name: "C",
    extensions: &["c", "h"],
    line_comments: &["//"],
    has_block_comments: true,
    blocks: Blocks::Statements,
    apostrophe: Apostrophe::Text,
    backtick: Backtick::Mark,
    has_long_strings: false,
    has_triple_quotes: false,
    has_directives: true,
    has_regexes: false,
    function_words: &[],
    imports: &["#include"],
    unreadable: &[],
};

const JAVASCRIPT: Language = Language {
    name: "JavaScript",
    extensions: &["js", "mjs", "cjs"],
    blocks: Blocks::Lines,
    backtick: Backtick::Template,
    has_directives: false,
    has_regexes: true,
    function_words: &["function", ">"],
    imports: &["import "],
    ..C
};

/// All languages.
static LANGUAGES: [Language; 12] = [
    C,
    Language {
        name: "C++",
        extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx"],
        unreadable: &["R\""],
        ..C
    },
    Language {
        name: "C#",
        extensions: &["cs"],
        has_directives: true,
        imports: &["using "],
        unreadable: &["@\"", "\"\"\""],
        ..C
    },
    Language {
        name: "Go",
        extensions: &["go"],
        blocks: Blocks::Lines,
        backtick: Backtick::Raw,
        has_directives: false,
        function_words: &["func"],
        imports: &["import "],
        ..C
    },
    Language {
        name: "Java",
        extensions: &["java"],
        has_directives: false,
        imports: &["import "],
        unreadable: &["\"\"\""],
        ..C
    },
    JAVASCRIPT,
    Language { name: "TypeScript", extensions: &["ts", "mts", "cts"], ..JAVASCRIPT },
    Language {
        name: "Kotlin",
        extensions: &["kt", "kts"],
        blocks: Blocks::Lines,
        has_triple_quotes: true,
        has_directives: false,
        function_words: &["fun"],
        imports: &["import "],
        ..C
    },
    Language {
        name: "PHP",
        extensions: &["php"],
        line_comments: &["//", "# "],
        has_long_strings: true,
        has_directives: false,
        function_words: &["function"],
        imports: &["use "],
        unreadable: &["<<<", "?>"],
        ..C
    },
    Language {
        name: "Python",
        extensions: &["py"],
        line_comments: &["#"],
        has_block_comments: false,
        blocks: Blocks::Indentation,
        has_triple_quotes: true,
        has_directives: false,
        imports: &["import ", "from "],
        ..C
    },
    Language {
        name: "Ruby",
        extensions: &["rb"],
        line_comments: &["#"],
        has_block_comments: false,
        blocks: Blocks::Indentation,
        has_long_strings: true,
        has_directives: false,
        has_regexes: true,
        imports: &["require ", "require_relative "],
        unreadable: &["<<~", "<<-", "=begin", "__END__"],
        ..C
    },
    Language {
        name: "Rust",
        extensions: &["rs"],
        apostrophe: Apostrophe::Lifetime,
        has_long_strings: true,
        has_directives: false,
        function_words: &["fn"],
        imports: &["use "],
        ..C
    },
];

/// The language of the file at `path`, by its extension.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_named = !stem.is_empty() && !stem.ends_with('/');
    LANGUAGES.iter().find(|language| is_named && language.extensions.contains(&extension))
}

/// Words that some language reserves: they are never renamed.
static KEYWORDS: &str = "
    BEGIN END _Alignas _Alignof _Atomic _Bool _Generic _Noreturn _Static_assert _Thread_local abstract alias alignas
    alignof and any array as asm assert async auto await base begin bool boolean break byte callable case cast catch
    chan char checked class clone concept const const_cast consteval constexpr constinit constructor continue crate
    debugger decimal declare decltype def default defer defined del delegate delete do double dyn dynamic dynamic_cast
    echo elif else elseif elsif empty end endfor endforeach endif endswitch endwhile ensure enum eval event except exit
    explicit export extends extern fallthrough false final finally fixed float fn for foreach friend from fun func
    function get global go goto if impl implements implicit import in include include_once inline instanceof insteadof
    int interface internal is isset iterator lambda let list lock long loop map match mod module move mut mutable
    namespace native new next nil noexcept nonlocal not null nullptr object operator or out override package params
    parent pass print private protected pub public raise range readonly redo ref register reinterpret_cast require
    require_once requires rescue restrict retry return sbyte sealed select self set short signed sizeof stackalloc
    static static_assert static_cast strictfp string struct super switch synchronized template then this thread_local
    throw throws trait transient true try type typealias typedef typeid typename typeof uint ulong unchecked undef
    undefined union unless unsafe unset unsigned until use ushort using val var virtual void volatile wchar_t when where
    while with xor yield False None Self True NULL nullptr_t std";

/// Whether some language reserves `word`.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_ascii_whitespace().any(|keyword| keyword == word)
}

/// Whether `word` begins a statement that holds others.
pub fn is_control(word: &str) -> bool {
    matches!(
        word,
        "if" | "for"
            | "foreach"
            | "while"
            | "switch"
            | "match"
            | "loop"
            | "try"
            | "with"
            | "unless"
            | "select"
            | "when"
            | "using"
    )
}

/// Whether `word` goes on with a statement that began before.
pub fn is_continuation(word: &str) -> bool {
    matches!(
        word,
        "else"
            | "elif"
            | "elsif"
            | "elseif"
            | "except"
            | "finally"
            | "catch"
            | "rescue"
            | "ensure"
            | "while"
            | "when"
    )
}
