//! Holds the classes of a scan against the families of the tree.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::build::{Built, Kind, Member, Variety};
use crate::place::Place;

/// The report of `secondhand scan`.
#[derive(Deserialize)]
pub struct Report {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    #[serde(flatten)]
    first: Row,
    origins: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    path: String,
    fragment: Lines,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lines {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// A fragment of a class: its lines, and the line and column of its first character and of the one
/// after its last.
#[derive(Debug)]
pub struct Fragment {
    pub place: Place,
    start: (usize, usize),
    end: (usize, usize),
}

/// The fragments of each class, in the order of the report.
pub fn classes(report: Report) -> Vec<Vec<Fragment>> {
    let place = |Row { path, fragment }: Row| {
        let Lines { start_line, start_column, end_line, end_column } = fragment;
        let place = Place { path, first: start_line, last: end_line };
        Fragment { place, start: (start_line, start_column), end: (end_line, end_column) }
    };
    let class =
        |finding: Finding| [finding.first].into_iter().chain(finding.origins).map(place).collect();
    report.findings.into_iter().map(class).collect()
}

/// Pairs of members, by how the two differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// Both are the method as it is.
    Type1,
    /// One was renamed, or both.
    Type2,
    /// One was edited, the other is as it is.
    Edited,
    /// Both were edited, or one was edited and the other renamed.
    EditedTwice,
}

/// All kinds of pairs, and their names in the table.
pub const PAIRS: [(Pair, &str); 4] = [
    (Pair::Type1, "Type-1"),
    (Pair::Type2, "Type-2"),
    (Pair::Edited, "lightly edited"),
    (Pair::EditedTwice, "both changed, one edited"),
];

impl Pair {
    fn new(a: Variety, b: Variety) -> Self {
        match (a.min(b), a.max(b)) {
            (Variety::Identical, Variety::Identical) => Self::Type1,
            (_, Variety::Renamed) => Self::Type2,
            (Variety::Identical, _) => Self::Edited,
            _ => Self::EditedTwice,
        }
    }
}

/// Pairs that were found, among all: as they are, and each family counted as one.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileHits {
    pub found: usize,
    pub all: usize,
    /// The sum over families of the share found of their pairs, and the families that have such
    /// pairs.
    pub shares: f64,
    pub families: usize,
}

/// What became of the families of a kind.
#[derive(Debug, Clone, Default)]
pub struct OfKind {
    pub families: usize,
    /// Families with a class that holds all members.
    pub whole: usize,
    /// Families with no class.
    pub lost: usize,
    /// Classes that hold two members of a family or more, summed over the families.
    pub classes: usize,
}

/// A family whose pairs are not all found.
#[derive(Debug)]
pub struct Lacking {
    pub family: usize,
    pub found: usize,
    pub all: usize,
    /// How many of its members each class holds.
    pub held: Vec<usize>,
}

/// What the classes of a scan look like, whatever they hold.
#[derive(Debug, Default)]
pub struct Form {
    pub classes: usize,
    /// Classes all of whose places lie inside those of one earlier class.
    pub inside: usize,
    /// Classes of which two places overlap.
    pub overlapping: usize,
}

impl Form {
    /// Looks at the classes.
    pub fn new(classes: &[Vec<Fragment>]) -> Self {
        let overlapping = classes.iter().filter(|class| overlaps_itself(class)).count();
        Self { classes: classes.len(), inside: n_inside(classes), overlapping }
    }
}

/// What became of all families.
#[derive(Debug, Default)]
pub struct Verdict {
    pub pairs: BTreeMap<Pair, FileHits>,
    /// The same of families with so many members, by the least of them.
    pub by_size: BTreeMap<usize, FileHits>,
    pub kinds: BTreeMap<Kind, OfKind>,
    /// The families whose pairs are not all found: pairs found, pairs in all, and the members of
    /// each class.
    pub lacking: Vec<Lacking>,
    pub form: Form,
    /// Classes that hold members of two families.
    pub mixed: usize,
    /// Classes that hold no two members of any family.
    pub other: usize,
}

/// The least sizes of families that are counted together.
pub const SIZES: [usize; 6] = [2, 3, 6, 20, 60, 200];

/// The part of a member's lines, in percent, that a place must have to hold it.
const HELD: usize = 70;

/// Compares the classes with the families.
pub fn judge(built: &Built, classes: &[Vec<Fragment>]) -> Verdict {
    let mut verdict = Verdict { form: Form::new(classes), ..Verdict::default() };
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, member) in built.members.iter().enumerate() {
        by_path.entry(&member.place.path).or_default().push(at);
    }
    // For each family, the members that each class holds.
    let mut held: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    for class in classes {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for Fragment { place, .. } in class {
            for &at in by_path.get(place.path.as_str()).into_iter().flatten() {
                let member = &built.members[at];
                if 100 * member.place.overlap(place) >= HELD * member.place.n_lines() {
                    members.entry(member.family).or_default().push(at);
                }
            }
        }
        verdict.mixed += usize::from(members.len() > 1);
        members.values_mut().for_each(|members| {
            members.sort_unstable();
            members.dedup();
        });
        members.retain(|_, members| members.len() > 1);
        verdict.other += usize::from(members.is_empty());
        for (family, members) in members {
            held.entry(family).or_default().push(members);
        }
    }
    for family in 0..built.families.len() {
        count_family(&mut verdict, built, family, held.get(&family).map_or(&[], Vec::as_slice));
    }
    verdict
}

fn count_family(verdict: &mut Verdict, built: &Built, family: usize, held: &[Vec<usize>]) {
    let members: Vec<usize> =
        (0..built.members.len()).filter(|&at| built.members[at].family == family).collect();
    let n = members.len();
    let index =
        |at: usize| members.binary_search(&at).expect("a class holds members of the family only");
    let mut is_together = vec![false; n * n];
    for class in held {
        for &a in class {
            class.iter().for_each(|&b| is_together[index(a) * n + index(b)] = true);
        }
    }
    let size = SIZES.into_iter().rev().find(|&size| size <= n).unwrap_or(2);
    let mut of_family: BTreeMap<Pair, (usize, usize)> = BTreeMap::new();
    for a in 0..n {
        for b in 0..a {
            let variety = |at: usize| -> &Member { &built.members[members[at]] };
            let counts =
                of_family.entry(Pair::new(variety(a).variety, variety(b).variety)).or_default();
            counts.0 += usize::from(is_together[a * n + b]);
            counts.1 += 1;
        }
    }
    let (found, all) =
        of_family.values().fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    verdict.by_size.entry(size).or_default().add(found, all);
    if found < all {
        verdict.lacking.push(Lacking {
            family,
            found,
            all,
            held: held.iter().map(Vec::len).collect(),
        });
    }
    for (pair, (found, all)) in of_family {
        verdict.pairs.entry(pair).or_default().add(found, all);
    }
    let kind = verdict.kinds.entry(built.families[family].kind).or_default();
    kind.families += 1;
    kind.classes += held.len();
    kind.whole += usize::from(held.iter().any(|class| class.len() == n));
    kind.lost += usize::from(held.is_empty());
}

impl FileHits {
    fn add(&mut self, found: usize, all: usize) {
        self.found += found;
        self.all += all;
        self.families += 1;
        self.shares += found as f64 / all as f64;
    }
}

fn overlaps_itself(class: &[Fragment]) -> bool {
    let mut fragments: Vec<&Fragment> = class.iter().collect();
    fragments.sort_by_key(|fragment| (&fragment.place.path, fragment.start));
    fragments
        .windows(2)
        .any(|pair| pair[0].place.path == pair[1].place.path && pair[1].start < pair[0].end)
}

/// The classes all of whose fragments lie inside those of one earlier class.
fn n_inside(classes: &[Vec<Fragment>]) -> usize {
    let mut by_path: BTreeMap<&str, Vec<(usize, &Fragment)>> = BTreeMap::new();
    let mut n = 0;
    for (at, class) in classes.iter().enumerate() {
        let around = |fragment: &Fragment| {
            let near = by_path.get(fragment.place.path.as_str()).into_iter().flatten();
            let is_around = |other: &&(usize, &Fragment)| {
                other.1.start <= fragment.start && fragment.end <= other.1.end
            };
            near.filter(is_around).map(|(class, _)| *class).collect::<Vec<_>>()
        };
        let common = |all: Option<Vec<usize>>, around: Vec<usize>| match all {
            None => Some(around),
            Some(all) => Some(all.into_iter().filter(|class| around.contains(class)).collect()),
        };
        let all = class.iter().map(around).fold(None, common);
        n += usize::from(all.is_some_and(|all| !all.is_empty()));
        class.iter().for_each(|fragment| {
            by_path.entry(&fragment.place.path).or_default().push((at, fragment));
        });
    }
    n
}
