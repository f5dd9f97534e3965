//! Groups what is joined pair by pair.

/// The groups of the numbers from 0: a forest of disjoint sets, in which the root of a group is its
/// first member (Tarjan, Efficiency of a good but not linear set union algorithm, JACM 22, 1975).
///
/// Each lookup halves the way for the next: O(log n) amortized.
#[derive(Debug, Default)]
pub struct Groups {
    /// For each number, an earlier one of its group, or itself.
    before: Vec<usize>,
}

impl Groups {
    /// The numbers below `n`, each alone.
    pub fn new(n: usize) -> Self {
        Self { before: (0..n).collect() }
    }

    /// Adds the next number, alone.
    pub fn add(&mut self) {
        self.before.push(self.before.len());
    }

    /// Joins the groups of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.before[a.max(b)] = a.min(b);
    }

    /// The first number of the group of this one.
    pub fn first(&mut self, mut at: usize) -> usize {
        while self.before[at] != at {
            self.before[at] = self.before[self.before[at]];
            at = self.before[at];
        }
        at
    }
}
