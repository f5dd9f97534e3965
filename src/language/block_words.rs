//! Holds the words that show how code is built, where neither brackets nor layout do.

use std::sync::{Arc, OnceLock};

use super::table::Table;

/// Words that begin part of a function rather than a unit, in most languages that have them.
const PARTS: &str = "if else elif elsif elseif unless for foreach while until loop do repeat switch select case when \
     default match try except rescue catch finally ensure with return then begin";
/// Those of them that begin one of several branches.
const BRANCHES: &str = "else elif elsif elseif case default except rescue catch";
/// Words before the name of a function.
const FUNCTIONS: &str = "def fn func function fun sub proc procedure method defp macro";
const TYPES: &str = "class struct trait interface";
/// Words that end a block, on a line of their own.
const ENDS: &str = "end fi done esac endif endfunction endwhile endfor";
const CONTROL_FLOW: &str = "if else elif elsif elseif unless for foreach while until loop do switch case when match \
     select try catch except rescue finally ensure throw raise break continue goto guard defer yield await with cond";

/// The words of a language that show where its blocks and functions are, and what decides.
#[derive(Debug, Clone)]
pub struct BlockWords {
    parts: Words,
    branches: Words,
    functions: Words,
    types: Words,
    ends: Words,
    control_flow: Words,
}

impl BlockWords {
    /// The words that most languages have, for code whose language is not known.
    pub fn common() -> &'static Arc<Self> {
        static COMMON: OnceLock<Arc<BlockWords>> = OnceLock::new();
        COMMON.get_or_init(|| Arc::new(Self::with([""; 4], false)))
    }

    /// The common words, and those of a table.
    pub(super) fn new(table: &Table) -> Self {
        let Table { block_parts, defines_functions, block_ends, control_flow, .. } = table;
        let own = [block_parts, defines_functions, block_ends, control_flow].map(String::as_str);
        Self::with(own, table.case_insensitive)
    }

    fn with([parts, functions, ends, control_flow]: [&str; 4], is_case_insensitive: bool) -> Self {
        Self {
            parts: Words::new([PARTS, parts], true),
            branches: Words::new([BRANCHES, ""], true),
            functions: Words::new([FUNCTIONS, functions], is_case_insensitive),
            types: Words::new([TYPES, ""], is_case_insensitive),
            ends: Words::new([ENDS, ends], true),
            control_flow: Words::new([CONTROL_FLOW, control_flow], true),
        }
    }

    /// Adds the words of another language, which is in the same file.
    pub(super) fn add(&mut self, other: &Self) {
        self.parts.add(&other.parts);
        self.branches.add(&other.branches);
        self.functions.add(&other.functions);
        self.types.add(&other.types);
        self.ends.add(&other.ends);
        self.control_flow.add(&other.control_flow);
    }

    /// Whether a line that begins with this word begins part of a function.
    pub fn begins_part(&self, word: &[u8]) -> bool {
        self.parts.get(word).is_some()
    }

    /// Whether this word begins one of several branches of a decision.
    pub fn begins_branch(&self, word: &[u8]) -> bool {
        self.branches.get(word).is_some()
    }

    /// Whether the name of a function may follow this word.
    pub fn defines_function(&self, word: &[u8]) -> bool {
        self.functions.get(word).is_some()
    }

    /// Whether the name of a function or a type may follow this word.
    pub fn defines(&self, word: &[u8]) -> bool {
        self.defines_function(word) || self.types.get(word).is_some()
    }

    /// Whether this word, alone on its line, ends a block.
    pub fn ends_block(&self, word: &[u8]) -> bool {
        self.ends.get(word).is_some()
    }

    /// Whether this word decides what is done next.
    pub fn decides(&self, word: &[u8]) -> bool {
        self.control_flow(word).is_some()
    }

    /// The kind of control flow that this word is.
    pub fn control_flow(&self, word: &[u8]) -> Option<&str> {
        self.control_flow.get(word)
    }
}

/// Some words, in the order of their keys.
#[derive(Debug, Clone)]
struct Words {
    keys: Vec<u64>,
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    is_in_any_case: bool,
}

impl Words {
    fn new(lists: [&str; 2], is_in_any_case: bool) -> Self {
        let words = lists.into_iter().flat_map(str::split_whitespace);
        Self::sorted(words.map(|text| Word { text: text.to_owned(), is_in_any_case }).collect())
    }

    fn sorted(mut words: Vec<Word>) -> Self {
        words.sort_by_key(|word| key(word.text.as_bytes()));
        Self { keys: words.iter().map(|word| key(word.text.as_bytes())).collect(), words }
    }

    fn add(&mut self, others: &Self) {
        let new = others.words.iter().filter(|word| !self.words.contains(word));
        *self = Self::sorted(self.words.iter().chain(new).cloned().collect());
    }

    fn get(&self, word: &[u8]) -> Option<&str> {
        let key = key(word);
        let first = self.keys.partition_point(|&other| other < key);
        let alike = self.keys[first..].iter().take_while(|&&other| other == key);
        let known = alike.zip(&self.words[first..]).find(|(_, known)| known.is(word));
        known.map(|(_, known)| &*known.text)
    }
}

/// The first bytes of a word in lower case: few others have the same.
fn key(word: &[u8]) -> u64 {
    let mut first = [0; 8];
    let n = word.len().min(8);
    first[..n].copy_from_slice(&word[..n]);
    u64::from_be_bytes(first) | u64::from_be_bytes([b' '; 8])
}

impl Word {
    fn is(&self, word: &[u8]) -> bool {
        let text = self.text.as_bytes();
        if self.is_in_any_case { text.eq_ignore_ascii_case(word) } else { text == word }
    }
}

#[cfg(test)]
mod tests {
    use crate::language::{BlockWords, Languages};

    #[test]
    fn a_language_adds_its_words_to_the_common_ones() {
        let (common, languages) = (BlockWords::common(), Languages::builtin());
        let verilog = &languages.get("verilog").expect("it is built in").words;
        assert!(verilog.ends_block(b"endtask") && verilog.defines_function(b"task"));
        assert!(!common.ends_block(b"endtask") && !common.defines_function(b"task"));
        assert!(verilog.ends_block(b"end") && common.ends_block(b"END"));
    }

    #[test]
    fn what_defines_is_in_any_case_where_the_language_ignores_it() {
        let languages = Languages::builtin();
        let of = |name: &str| &languages.get(name).expect("it is built in").words;
        let fortran = of("fortran");
        assert!(fortran.defines_function(b"SUBROUTINE") && fortran.defines(b"Function"));
        // A class of Java may be called so.
        assert!(!of("java").defines_function(b"Function") && of("java").defines(b"class"));
    }

    #[test]
    fn a_file_has_the_words_of_all_its_languages() {
        let mut words = BlockWords::clone(BlockWords::common());
        words.add(&Languages::builtin().get("verilog").expect("it is built in").words);
        assert!(words.ends_block(b"endtask") && words.control_flow(b"While") == Some("while"));
    }
}
