//! Reads a file that may hold siblings once, however many it holds.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::edits::test_lines;
use crate::audit::read::{Source, Sources};
use crate::audit::search::Hit;
use crate::language::Token;
use crate::text::{FilePath, Lines};

/// A file that may hold siblings, as it was in base.
pub(super) struct Other<'o> {
    pub(super) path: &'o FilePath,
    pub(super) source: &'o Source,
    /// Its number in base, if the change touches it.
    pub(super) number: Option<usize>,
    /// What it shares with the edited files.
    pub(super) hits: &'o [Hit],
    names: OnceCell<HashSet<u32>>,
    spelling: OnceCell<HashMap<u32, Range<usize>>>,
    in_head: OnceCell<InHead>,
}

/// What the file is in the head.
pub(super) struct InHead {
    pub(super) lines: Lines,
    pub(super) text: Arc<Vec<u8>>,
    pub(super) test_lines: Vec<Range<u32>>,
}

/// What the names of the edited file are in a sibling, by their readings.
pub(super) type Names = Vec<(u32, u32)>;

impl<'o> Other<'o> {
    pub(super) fn new(path: &'o FilePath, source: &'o Source, number: Option<usize>, hits: &'o [Hit]) -> Self {
        let (names, spelling, in_head) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { path, source, number, hits, names, spelling, in_head }
    }

    /// Whether it has a name.
    pub(super) fn has(&self, name: u32) -> bool {
        self.names.get_or_init(|| self.source.tokens.iter().map(|token| token.exact).collect()).contains(&name)
    }

    /// How it spells the names of the edited file.
    pub(super) fn spelled(&self, names: &Names) -> HashMap<u32, Vec<u8>> {
        let bytes = |token: &Token| (token.exact, token.start as usize..token.end as usize);
        let spelling = self.spelling.get_or_init(|| self.source.tokens.iter().map(bytes).collect());
        let spell = |(name, to): &(u32, u32)| Some((*name, self.source.text[spelling.get(to)?.clone()].to_vec()));
        names.iter().filter_map(spell).collect()
    }

    /// What `of_head`, the file in the head, has.
    pub(super) fn in_head(&self, of_head: &Source, sources: &Sources<'_>) -> &InHead {
        self.in_head.get_or_init(|| InHead {
            lines: Lines::new(&of_head.text),
            text: Arc::new(of_head.text.clone()),
            test_lines: test_lines(of_head, sources),
        })
    }
}
