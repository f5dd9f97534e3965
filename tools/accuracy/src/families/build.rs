//! Builds a tree with clone families of known types, out of the methods of real code.
//!
//! Every member of a family stands in another file, among methods of other families and methods
//! that stand nowhere else. No two families meet in two files: else the two of them together would
//! be one more clone.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::edit::{edit_lines, rename};
use crate::fragment::{Form, Fragment};
use crate::git::State;
use crate::language::Language;
use crate::place::Place;
use crate::tree::{File, Pool, Tree};
use support::Random;

/// How the members of a family differ from the method that they were made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variety {
    /// Not at all.
    Identical,
    /// Names were changed one to one.
    Renamed,
    /// One or two statements were inserted, deleted or changed.
    Edited,
}

/// A member of a family.
#[derive(Debug)]
pub struct Member {
    pub family: usize,
    pub variety: Variety,
    pub place: Place,
}

/// What the members of a family are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Identical,
    Renamed,
    Edited,
    /// Any of these.
    Mixed,
}

/// All kinds, and their names in the table.
pub const KINDS: [(Kind, &str); 4] = [
    (Kind::Identical, "identical"),
    (Kind::Renamed, "renamed"),
    (Kind::Edited, "edited"),
    (Kind::Mixed, "mixed"),
];

/// The sizes of the families of each kind.
const SIZES: [usize; 20] = [2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 12, 20, 35, 60, 100, 200, 500];

/// The tokens that a method may have.
const TOKENS: RangeInclusive<usize> = 50..=300;
/// The tokens of methods that are too short to be clones by themselves: they stand between the
/// others.
const SHORT: RangeInclusive<usize> = 12..=45;
/// The tokens from which a method may be edited twice.
const TWICE: usize = 100;
/// Members that a file has at most, and methods besides.
const MAX_MEMBERS: usize = 4;
const MAX_BESIDES: usize = 2;

/// A family.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub kind: Kind,
    pub size: usize,
    /// The tokens of the method it was made from.
    pub n_tokens: usize,
}

/// The tree, and what is true of it.
#[derive(Debug)]
pub struct Built {
    pub families: Vec<Family>,
    pub members: Vec<Member>,
    pub state: State,
    /// Methods that are no members.
    pub n_besides: usize,
}

/// A method of a sampled tree.
struct Method<'t> {
    lines: Vec<String>,
    language: &'static Language,
    pool: &'t Pool,
    n_tokens: usize,
}

/// A member that has no place yet.
struct Text {
    family: usize,
    variety: Variety,
    lines: Vec<String>,
}

/// Builds a tree out of the methods of `trees`; families are left out for which there are too few.
pub fn build(trees: &[Tree], random: &mut Random) -> Built {
    let mut methods = methods(trees);
    random.shuffle(&mut methods);
    let mut built =
        Built { families: Vec::new(), members: Vec::new(), state: State::new(), n_besides: 0 };
    let mut texts: Vec<Text> = Vec::new();
    for size in SIZES.into_iter().rev() {
        for (kind, _) in KINDS {
            let Some((method, members)) = family(kind, size, &mut methods, random) else {
                continue;
            };
            let family = built.families.len();
            built.families.push(Family { kind, size, n_tokens: method.n_tokens });
            texts.extend(members.into_iter().map(|(variety, lines)| Text {
                family,
                variety,
                lines,
            }));
        }
    }
    let mut besides: Vec<Vec<String>> = methods.into_iter().map(|method| method.lines).collect();
    besides.extend(short_methods(trees));
    random.shuffle(&mut besides);
    random.shuffle(&mut texts);
    for (number, members) in scatter(texts, random).into_iter().enumerate() {
        let n_besides = random.between(0, MAX_BESIDES).min(besides.len());
        built.n_besides += n_besides;
        let besides = besides.split_off(besides.len() - n_besides);
        write(number, members, besides, &mut built, random);
    }
    built
}

/// The methods that have nothing like them in any of the trees.
fn methods(trees: &[Tree]) -> Vec<Method<'_>> {
    let mut methods = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        for (at, file) in tree.files.iter().enumerate() {
            for fragment in file
                .of_form(Form::Function)
                .filter(|fragment| TOKENS.contains(&fragment.tokens.len()))
            {
                let others = trees.iter().enumerate().filter(|(other, _)| *other != number);
                let is_alone = tree.is_distinctive(at, fragment)
                    && others
                        .into_iter()
                        .all(|(_, other)| other.is_unrelated(&file.scan, fragment));
                if is_alone {
                    let lines = lines_of(file, fragment);
                    let (language, pool) = (file.scan.language, tree.pool(file.scan.language));
                    methods.push(Method { lines, language, pool, n_tokens: fragment.tokens.len() });
                }
            }
        }
    }
    methods
}

/// All short methods of the trees, each text once.
fn short_methods(trees: &[Tree]) -> BTreeSet<Vec<String>> {
    let files = trees.iter().flat_map(|tree| &tree.files);
    let of_file = |file: &File| {
        let short =
            file.of_form(Form::Function).filter(|fragment| SHORT.contains(&fragment.tokens.len()));
        short.map(|fragment| lines_of(file, fragment)).collect::<Vec<_>>()
    };
    files.flat_map(of_file).collect()
}

fn lines_of(file: &File, fragment: &Fragment) -> Vec<String> {
    fragment.lines.clone().map(|line| file.scan.line(line).to_owned()).collect()
}

/// Members of a family, each with its variety.
type Members = Vec<(Variety, Vec<String>)>;

/// Makes a family out of the next method that can be changed so often.
fn family<'t>(
    kind: Kind,
    size: usize,
    methods: &mut Vec<Method<'t>>,
    random: &mut Random,
) -> Option<(Method<'t>, Members)> {
    while let Some(method) = methods.pop() {
        // The first is the method as it is.
        let mut members = vec![(Variety::Identical, method.lines.clone())];
        members.extend((1..size).map_while(|_| member(kind, &method, random)));
        if members.len() == size {
            return Some((method, members));
        }
    }
    None
}

fn member(kind: Kind, method: &Method<'_>, random: &mut Random) -> Option<(Variety, Vec<String>)> {
    const N_TRIES: usize = 5;
    let variety = match (kind, random.below(3)) {
        (Kind::Identical, _) | (Kind::Mixed, 0) => Variety::Identical,
        (Kind::Renamed, _) | (Kind::Mixed, 1) => Variety::Renamed,
        (Kind::Edited | Kind::Mixed, _) => Variety::Edited,
    };
    let Method { lines, language, pool, n_tokens } = method;
    let n_edits = if *n_tokens < TWICE { 1 } else { random.between(1, 2) };
    let changed = (0..N_TRIES).find_map(|_| match variety {
        Variety::Identical => Some(lines.clone()),
        Variety::Renamed => rename(lines, language, pool, random),
        Variety::Edited => edit_lines(lines, language, pool, (n_edits, 2), random),
    });
    changed.map(|lines| (variety, lines))
}

/// Files that are filled at a time.
const N_OPEN: usize = 60;

/// Spreads the members over files: no file has two of a family, and no two families meet twice.
fn scatter(texts: Vec<Text>, random: &mut Random) -> Vec<Vec<Text>> {
    // Files that are not full yet, with the room that they have.
    let mut open: Vec<(usize, Vec<Text>)> = Vec::new();
    let mut files = Vec::new();
    let mut met: BTreeSet<(usize, usize)> = BTreeSet::new();
    for text in texts {
        let pair = |other: &Text| (text.family.min(other.family), text.family.max(other.family));
        let is_fit = |(_, members): &(usize, Vec<Text>)| {
            members.iter().all(|other| other.family != text.family && !met.contains(&pair(other)))
        };
        let fit: Vec<usize> = (0..open.len()).filter(|&at| is_fit(&open[at])).collect();
        // Some begin a file although there is room elsewhere.
        let at = match random.pick(&fit) {
            Some(&at) if open.len() >= N_OPEN || random.chance(50) => at,
            _ => {
                open.push((random.between(1, MAX_MEMBERS), Vec::new()));
                open.len() - 1
            }
        };
        met.extend(open[at].1.iter().map(pair).collect::<Vec<_>>());
        open[at].1.push(text);
        if open[at].1.len() >= open[at].0 {
            files.push(open.swap_remove(at).1);
        } else if open.len() > 2 * N_OPEN {
            files.push(open.swap_remove(0).1);
        }
    }
    files.extend(open.into_iter().map(|(_, members)| members));
    files
}

/// Writes a file of members and other methods, in any order.
fn write(
    number: usize,
    members: Vec<Text>,
    besides: Vec<Vec<String>>,
    built: &mut Built,
    random: &mut Random,
) {
    let path = format!("src/part{}/Host{number}.java", number / 100);
    let mut lines = vec![
        format!("package part{};", number / 100),
        String::new(),
        format!("class Host{number} {{"),
    ];
    let besides = besides.into_iter().map(|lines| (None, lines));
    let members = members.into_iter().map(|text| (Some((text.family, text.variety)), text.lines));
    let mut methods: Vec<_> = members.chain(besides).collect();
    random.shuffle(&mut methods);
    for (member, method) in methods {
        lines.push(String::new());
        let first = lines.len() + 1;
        lines.extend(method);
        if let Some((family, variety)) = member {
            let place = Place { path: path.clone(), first, last: lines.len() };
            built.members.push(Member { family, variety, place });
        }
    }
    lines.push("}".to_owned());
    built.state.insert(path, Some(lines.join("\n") + "\n"));
}
