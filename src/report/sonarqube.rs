//! Writes SonarQube's generic issues, as version 10.3 and newer import them.
//!
//! There the rule has the severity, not the issue. A finding that is milder than its rule is
//! therefore of a rule of its own: `copied-code-note`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::Style;
use super::plain_json::{exact, write_json};
use super::words::{likeness, of_level};
use crate::audit::Outcome;
use crate::policy::{Finding, Fragment, Topic};
use crate::text::FilePath;

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rules: BTreeMap<String, Value> =
        outcome.all_findings().map(|of| (rule_id(of), rule(of))).collect();
    let issues: Vec<Value> = outcome.all_findings().map(issue).collect();
    write_json(&json!({ "rules": rules.into_values().collect::<Vec<_>>(), "issues": issues }), out)
}

fn rule_id(finding: &Finding) -> String {
    let rule = finding.rule;
    if finding.level == rule.level {
        rule.id.to_owned()
    } else {
        format!("{}-{}", rule.id, finding.level.name())
    }
}

fn rule(finding: &Finding) -> Value {
    let severity = of_level(finding.level, ["HIGH", "MEDIUM", "LOW"]);
    let attribute = if finding.rule.topic == Topic::License { "LAWFUL" } else { "DISTINCT" };
    json!({
        "id": rule_id(finding),
        "name": finding.rule.id,
        "description": finding.rule.summary,
        "engineId": "secondhand",
        "cleanCodeAttribute": attribute,
        "impacts": [{ "softwareQuality": "MAINTAINABILITY", "severity": severity }],
    })
}

fn issue(finding: &Finding) -> Value {
    // It refuses files that it does not know, so only those of the tree are named.
    let origins = finding.origins_in_tree();
    let others = origins.map(|of| location(&of.path, &of.fragment, &likeness(of)));
    json!({
        "ruleId": rule_id(finding),
        "primaryLocation": location(&finding.path, &finding.added, &finding.message()),
        "secondaryLocations": others.collect::<Value>(),
    })
}

fn location(path: &FilePath, fragment: &Fragment, message: &str) -> Value {
    let (first, last) = (fragment.start.line, fragment.end.line);
    json!({ "message": message, "filePath": exact(path), "textRange": { "startLine": first, "endLine": last } })
}
