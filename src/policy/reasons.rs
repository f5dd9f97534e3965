//! Explains the level of a finding: what made it, and what would change it.

use super::{Finding, Ground, Milder, Topic};
use crate::matching::Worth;
use crate::text::{agreed, count};

impl Finding {
    /// What made it a warning or a note, and what would change that; each without a full stop.
    pub fn reasons(&self) -> Vec<String> {
        let level = self.level.name();
        let mut reasons = Vec::new();
        if self.rule.topic == Topic::Duplication && self.n_novel > 0 && self.worth != Worth::NONE {
            reasons.push(weighing(&self.worth));
        }
        let id = self.rule.id;
        reasons.push(match self.milder {
            None => format!("{level}: the level of `{id}`; `[rules]` sets it, for a folder too"),
            Some(milder) => {
                format!("{level}: {}; {}", milder.describe(), cure(milder, &self.worth))
            }
        });
        reasons
    }
}

/// What a copy is worth, and why: `worth 35.2, and 24 make a warning: ...`.
fn weighing(worth: &Worth) -> String {
    let mut does = vec![count(worth.n_statements, "statement")];
    if worth.n_controls > 0 {
        does.push(format!("{} of control flow", count(worth.n_controls, "kind")));
    }
    let mut with = vec![format!("{:.0} % of the names kept", worth.names * 100.0)];
    let rare = format!("{} that few files nearby use", count(worth.n_rare_names, "name"));
    let facts = [
        (worth.n_rare_names > 0, rare),
        (worth.ends_block, "ends with its block".to_owned()),
        (!worth.is_even, "begins or ends inside a block".to_owned()),
        (worth.is_beside, "next to its origin".to_owned()),
        (worth.n_origins > 1, count(worth.n_origins, "older origin")),
    ];
    with.extend(facts.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words));
    format!(
        "worth {:.1}, and {} {} a warning: {:.1} for {} ({}), {:.1} for {}",
        worth.score(),
        worth.minimum,
        agreed(usize::from(worth.minimum), "makes", "make"),
        worth.of_statements(),
        does.join(" and "),
        with.join(", "),
        worth.of_lines(),
        count(worth.n_equal_lines, "equal line")
    )
}

/// What would change the level of a finding that is milder than its rule.
fn cure(milder: Milder, worth: &Worth) -> String {
    let words = match milder {
        Milder::In(Ground::Test | Ground::Example) => {
            "`test-level` sets it, `tests` and `examples` say where"
        }
        Milder::In(Ground::Declarative) => "`declarative-level` sets it",
        Milder::In(Ground::Document | Ground::Code) => "`test-level` sets it",
        Milder::SaysLittle(_) => {
            return format!("`min-worth = {:.0}` makes it a warning", worth.score().floor());
        }
        Milder::InStep(_) => "nothing: a bundle gets what its sources get",
        Milder::EditedInStep(_) => "nothing: what comes into one comes into the other",
        Milder::Alternative => "nothing: no build has both",
        Milder::FromDocument => "nothing: one of the two shows the other",
        Milder::FromGenerated => "`include-generated` treats it as any other file",
        Milder::Short => "60 new tokens or a whole function make it a warning",
        Milder::Reverted | Milder::RevertedByName => {
            "nothing: the code was reviewed when it first came in"
        }
        Milder::NothingOwed => "nothing, while the notice is there",
        Milder::Undecided => "`allow` and `deny` of the license policy, or a decision, settle it",
        Milder::NoFault => "a commit that says it fixes a security fault makes it a warning",
        Milder::LeftOut => "`.gitattributes` and the settings say what is left out",
        Milder::Beyond(_) => "`max-warnings` sets how many",
    };
    words.to_owned()
}
