//! Shows that what a comment keeps in step stays so.

use super::{Change, FIX, findings};
use serde_json::Value;

/// Says where the class that follows is from.
const MARK: &str = "# Copied from models.bert.modeling_bert.BertOutput with Bert->Roberta\n";

/// A class with a method that makes a call.
fn body(name: &str, call: &str) -> String {
    format!(
        "class {name}Output(Module):\n    def forward(self, states, mask):\n        states = self.dense(states)\n        \
         states = self.{call}(states, mask)\n        return self.norm(states + mask)\n"
    )
}

#[test]
fn what_a_comment_keeps_in_step_is_a_warning_when_one_side_moves() {
    let rows = [
        (MARK, "models/bert/modeling_bert.py"),
        (
            "# secondhand: same-as(models/bert/modeling_bert.py#BertOutput)\n",
            "models/bert/modeling_bert.py",
        ),
    ];
    for (mark, path) in rows {
        let files = |bert: &str, roberta: &str| {
            [
                (path, body("Bert", bert)),
                ("models/roberta.py", format!("{mark}{}", body("Roberta", roberta))),
            ]
        };
        let edited = "drop.out.of(mask)";
        let parted = |before: [(&str, String); 2], after: [(&str, String); 2]| {
            let repository = Change { message: FIX, before: &before, after: &after }.made();
            findings(&repository, "out-of-step")
                .iter()
                .map(|of| of["path"].as_str().unwrap_or("").to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(parted(files("drop", "drop"), files(edited, "drop")), [path], "{mark}");
        assert_eq!(
            parted(files("drop", "drop"), files("drop", edited)),
            ["models/roberta.py"],
            "{mark}"
        );
        assert_eq!(parted(files("drop", "drop"), files(edited, edited)), [""; 0], "{mark}");
        assert_eq!(parted(files(edited, "drop"), files("drop", "drop")), [""; 0], "{mark}");
    }
}

#[test]
fn what_is_added_or_removed_at_the_end_of_a_block_in_step_is_a_warning() {
    let class = |name: &str, last: &str| {
        format!(
            "class {name}Output(BaseOutput):\n    previous: torch.Tensor\n    original: torch.Tensor | None = None\n    \
             mean: torch.Tensor | None = None\n    variance: torch.Tensor | None = None\n{last}\n\n\
             def betas(n):\n    return [math.cos(at / n) for at in range(n)]\n"
        )
    };
    let mark = "@dataclass\n# Copied from schedulers.ddpm.DDPMOutput with DDPM->DDIM\n";
    let files = |ddpm: &str, ddim: &str| {
        [
            ("schedulers/ddpm.py", class("DDPM", ddpm)),
            ("schedulers/ddim.py", format!("{mark}{}", class("DDIM", ddim))),
        ]
    };
    let n_parted = |before: [(&str, String); 2], after: [(&str, String); 2]| {
        findings(&Change { message: FIX, before: &before, after: &after }.made(), "out-of-step")
            .len()
    };
    let level = "    level: float | None = None\n";
    assert_eq!(n_parted(files("", ""), files(level, "")), 1);
    assert_eq!(n_parted(files("", ""), files("", level)), 1);
    assert_eq!(n_parted(files(level, level), files("", level)), 1);
    assert_eq!(n_parted(files("", ""), files(level, level)), 0);
    // What comes behind the block is none of it.
    assert_eq!(
        n_parted(files("", ""), files("\nLEVELS = [compute(at) for at in range(9)]\n", "")),
        0
    );
}

#[test]
fn what_a_comment_names_is_compared_however_many_others_are_nearer() {
    let near: Vec<String> = (0..40).map(|n| format!("zoo/near/m{n:02}.py")).collect();
    let files = |call: &str| -> Vec<(&str, String)> {
        let others = near
            .iter()
            .enumerate()
            .map(|(n, path)| (path.as_str(), body(&format!("N{n}"), "drop")));
        let pair = [
            ("models/bert/modeling_bert.py", body("Bert", "drop")),
            ("zoo/near/roberta.py", format!("{MARK}{}", body("Roberta", call))),
        ];
        others.chain(pair).collect()
    };
    let change =
        Change { message: FIX, before: &files("drop"), after: &files("drop.out.of(mask)") };
    let found = findings(&change.made(), "out-of-step");
    let named: Vec<&Value> = found
        .iter()
        .flat_map(|of| of["origins"].as_array())
        .flatten()
        .map(|of| &of["path"])
        .collect();
    assert_eq!(named, ["models/bert/modeling_bert.py"]);
}

#[test]
fn every_block_that_a_comment_keeps_in_step_is_counted_beyond_the_files_compared() {
    let paths: Vec<String> = (0..40).map(|n| format!("models/m{n:02}/modeling.py")).collect();
    let files = |call: &str| -> Vec<(&str, String)> {
        let marked = |(n, path): (usize, &String)| {
            let mark =
                format!("# Copied from models.bert.modeling_bert.BertOutput with Bert->M{n}\n");
            (path.clone(), format!("{mark}{}", body(&format!("M{n}"), "drop")))
        };
        let marked = paths.iter().enumerate().map(marked);
        let marked = marked.zip(&paths).map(|((_, text), path)| (path.as_str(), text));
        marked.chain([("models/bert/modeling_bert.py", body("Bert", call))]).collect()
    };
    let change =
        Change { message: FIX, before: &files("drop"), after: &files("drop.out.of(mask)") };
    let found = findings(&change.made(), "out-of-step");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["missed"]["siblings"], 40);
}

#[test]
fn of_many_places_in_step_sixteen_are_listed_and_a_long_edit_is_quoted_in_part() {
    let paths: Vec<String> = (0..18).map(|n| format!("models/m{n:02}.py")).collect();
    let files = |call: &str| {
        let of = |path: &'_ String| -> String {
            format!(
                "# secondhand: same-as(models/bert.py#BertOutput)\n{}",
                body(&path[7..10].to_uppercase(), "drop")
            )
        };
        let others = paths.iter().map(|path| (path.as_str(), of(path)));
        others.chain([("models/bert.py", body("Bert", call))]).collect::<Vec<(&str, String)>>()
    };
    let long = format!("drop.{}", "quite_a_long_name_of_a_part.".repeat(4) + "last");
    let repository = Change { message: FIX, before: &files("drop"), after: &files(&long) }.made();
    let found = findings(&repository, "out-of-step");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["origins"].as_array().map(Vec::len), Some(16), "{found:?}");
    let message = found[0]["message"].as_str().expect("it has a message");
    let quoted = message.split('`').find(|part| part.ends_with('…')).expect("a part is quoted");
    assert_eq!(quoted.chars().count(), 61, "{message}");
}

#[test]
fn what_is_remembered_of_other_files_changes_nothing() {
    // Nearer files than are looked into, and one with a comment.
    let paths: Vec<String> = (0..30).map(|n| format!("models/bert/other{n}.py")).collect();
    let files = |call: &str| {
        let mut files = vec![
            ("models/bert/modeling_bert.py", body("Bert", call)),
            ("far/away/roberta.py", format!("{MARK}{}", body("Roberta", "drop"))),
        ];
        files.extend(paths.iter().map(|path| (path.as_str(), body("Bert", "drop"))));
        files
    };
    let (before, after) = (files("drop"), files("drop.out.of(mask)"));
    let repository = Change { message: FIX, before: &before, after: &after }.made();
    let without = repository.check(&["--base", "HEAD~1", "--no-cache"]);
    for _ in 0..2 {
        let with = repository.check(&["--base", "HEAD~1"]);
        assert_eq!(with.list("/findings"), without.list("/findings"));
    }
}
