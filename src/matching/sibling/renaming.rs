//! Tells which name of a sibling corresponds to which of the edited file.

use foldhash::{HashMap, HashMapExt};

use crate::language::{Kind, Token};
use crate::matching::alignment::Alignment;

/// Which name of a sibling corresponds to which of the edited file.
#[derive(Debug, Default)]
pub struct Renaming {
    to: HashMap<u32, u32>,
    from: HashMap<u32, u32>,
}

impl Renaming {
    /// The renaming that most of the aligned names show, with each name used once on either side.
    pub fn of(alignment: &Alignment, base: &[Token], target: &[Token]) -> Self {
        let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
        for (a, b) in alignment.pairs().map(|(a, b)| (&base[a], &target[b])) {
            if a.kind() == Kind::Identifier {
                *counts.entry((a.exact, b.exact)).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        // A name that both have is itself, even if it is opposite another one more often.
        counts.sort_unstable_by_key(|&((a, b), n)| (a != b, std::cmp::Reverse(n), a, b));
        let mut renaming = Self::default();
        for ((a, b), _) in counts {
            if !renaming.to.contains_key(&a) && !renaming.from.contains_key(&b) {
                renaming.to.insert(a, b);
                renaming.from.insert(b, a);
            }
        }
        renaming
    }

    /// What a name is in the sibling.
    pub fn get(&self, name: u32) -> Option<u32> {
        self.to.get(&name).copied()
    }

    /// The names and what they are in the sibling, in no order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.to.iter().map(|(&name, &to)| (name, to))
    }

    /// Whether `tokens` are `target` in the sibling.
    pub fn makes(&self, tokens: &[Token], target: &[Token]) -> bool {
        tokens.len() == target.len() && tokens.iter().zip(target).all(|(a, b)| self.agrees(a, b))
    }

    /// Whether two tokens are the same, up to the renaming.
    pub fn agrees(&self, a: &Token, b: &Token) -> bool {
        a.symbol == b.symbol
            && (a.exact == b.exact || a.kind() == Kind::Identifier && self.get(a.exact) == Some(b.exact))
    }
}
