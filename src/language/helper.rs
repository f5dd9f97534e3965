//! Compiles the patterns that tell what a helper of two functions can have as parameters.

use regex::Regex;

use super::table::{Helper, HelperValue, TableError, each_row};

/// How a function is written that two others call, with its patterns.
#[derive(Debug)]
pub struct HelperPatterns {
    /// The words of the table.
    pub words: Helper,
    /// The line of an annotation that such a function may have; `None`: none may.
    pub annotations: Option<Regex>,
    /// The line of a name that is declared in it.
    pub locals: Regex,
    /// What may be a parameter.
    pub values: Vec<ValuePatterns>,
}

/// Words that may be parameters, and where.
#[derive(Debug)]
pub struct ValuePatterns {
    /// The row of the table.
    pub row: HelperValue,
    word: Regex,
    within: Regex,
    not_within: Option<Regex>,
}

impl HelperPatterns {
    /// Compiles the patterns of `words`.
    ///
    /// # Errors
    /// [`TableError::Value`] names the key with the unusable pattern.
    pub fn new(words: &Helper) -> Result<Self, TableError> {
        Ok(Self {
            annotations: compiled_if("annotations", words.annotations.as_deref())?,
            locals: compiled("locals", &words.locals)?,
            values: each_row("values", &words.values, ValuePatterns::new)?,
            words: words.clone(),
        })
    }
}

impl ValuePatterns {
    fn new(row: &HelperValue) -> Result<Self, TableError> {
        Ok(Self {
            word: compiled("word", &row.word)?,
            within: compiled("within", &row.within)?,
            not_within: compiled_if("not-within", row.not_within.as_deref())?,
            row: row.clone(),
        })
    }

    /// Whether `word`, with this line around it, may be a parameter.
    pub fn is_value(&self, word: &str, line: &str) -> bool {
        self.word.is_match(word)
            && self.within.is_match(line)
            && self.not_within.as_ref().is_none_or(|not_within| !not_within.is_match(line))
    }
}

fn compiled(key: &'static str, pattern: &str) -> Result<Regex, TableError> {
    Regex::new(pattern).map_err(|why| TableError::value(key, why.to_string()))
}

fn compiled_if(key: &'static str, pattern: Option<&str>) -> Result<Option<Regex>, TableError> {
    pattern.map(|pattern| compiled(key, pattern)).transpose()
}

#[cfg(test)]
mod tests {
    use crate::language::Languages;

    #[test]
    fn the_patterns_of_all_tables_compile() {
        let languages = Languages::builtin();
        let tables = languages.ids().into_iter().filter_map(|id| languages.table(id));
        let names: Vec<&str> =
            tables.filter(|of| languages.helper(&of.name).is_some()).map(|of| &*of.name).collect();
        assert_eq!(names, ["Go", "JavaScript", "Python", "Rust", "TypeScript"]);
    }
}
