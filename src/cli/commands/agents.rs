//! Runs `secondhand init --agents`: tells coding agents about the program, in files that they read.
//!
//! Invariant: what is written is marked, by comments or as entries that nobody else has, and can be
//! taken out again.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::json_edit::{holds, with, without};
use super::survey::text_of;
use crate::cli::args::AgentName;
use crate::cli::io::{Checkout, Failure};

struct Agent {
    name: AgentName,
    /// Files and folders that show that it is used here.
    traces: &'static [&'static str],
    parts: &'static [Part],
}

struct Part {
    file: &'static str,
    text: &'static str,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// The file is ours.
    Whole,
    /// A block between two marks.
    Block,
    /// Entries in JSON.
    Entries,
}

const OURS: &str = "Written by `secondhand init --agents`";

macro_rules! part {
    ($form:ident, $file:literal, $template:literal) => {
        Part {
            file: $file,
            text: include_str!(concat!("../../../config/templates/agents/", $template)),
            form: Form::$form,
        }
    };
}

const AGENTS: &[Agent] = &[
    Agent {
        name: AgentName::Claude,
        traces: &[".claude", "CLAUDE.md"],
        parts: &[
            part!(Whole, ".claude/skills/secondhand/SKILL.md", "skill.md"),
            part!(Entries, ".mcp.json", "mcp.json"),
            part!(Entries, ".claude/settings.json", "claude-hooks.json"),
        ],
    },
    Agent {
        name: AgentName::Codex,
        traces: &[".codex", "AGENTS.md"],
        parts: &[
            part!(Block, "AGENTS.md", "rules.md"),
            part!(Block, ".codex/config.toml", "codex.toml"),
            part!(Entries, ".codex/hooks.json", "codex-hooks.json"),
        ],
    },
    Agent {
        name: AgentName::Cursor,
        traces: &[".cursor"],
        parts: &[
            part!(Whole, ".cursor/rules/secondhand.mdc", "cursor.md"),
            part!(Entries, ".cursor/mcp.json", "mcp.json"),
            part!(Entries, ".cursor/hooks.json", "cursor-hooks.json"),
        ],
    },
    Agent {
        name: AgentName::Copilot,
        traces: &[".github/copilot-instructions.md", ".github/hooks", ".vscode/mcp.json"],
        parts: &[
            part!(Block, ".github/copilot-instructions.md", "rules.md"),
            part!(Entries, ".vscode/mcp.json", "vscode-mcp.json"),
            part!(Entries, ".github/hooks/secondhand.json", "copilot-hooks.json"),
        ],
    },
    Agent {
        name: AgentName::Gemini,
        traces: &[".gemini", "GEMINI.md"],
        parts: &[
            part!(Block, "GEMINI.md", "rules.md"),
            part!(Entries, ".gemini/settings.json", "gemini.json"),
        ],
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Write,
    Remove,
    Tell,
}

/// Does a step for the agents named; without names for those used here, or for all where none is.
/// Returns a line for each file.
pub(super) fn set_up(
    asked: &[AgentName],
    step: Step,
    root: &Path,
    checkout: &Checkout,
) -> Result<String, Failure> {
    let is_any_used = AGENTS.iter().any(|agent| agent.is_used(root));
    let mut summary = String::new();
    for agent in AGENTS {
        let is_meant = match asked {
            [] => step != Step::Write || !is_any_used || agent.is_used(root),
            _ => asked.contains(&agent.name),
        };
        for part in agent.parts.iter().filter(|_| is_meant) {
            if let Some(done) = part.done(step, &root.join(part.file), checkout)? {
                let name = format!("{:?}", agent.name).to_lowercase();
                summary += &format!("{name}: {done} {}\n", part.file);
            }
        }
    }
    if summary.is_empty() {
        summary += "nothing of secondhand's is in the files of agents\n";
    }
    Ok(summary)
}

impl Agent {
    fn is_used(&self, root: &Path) -> bool {
        self.traces.iter().any(|trace| root.join(trace).exists())
    }
}

impl Part {
    fn done(
        &self,
        step: Step,
        file: &Path,
        checkout: &Checkout,
    ) -> Result<Option<&'static str>, Failure> {
        let have = match text_of(file) {
            Err(why) if why.kind() == ErrorKind::NotFound => None,
            text => Some(text.map_err(Failure::unreadable(file))?),
        };
        let old = have.as_deref().unwrap_or_default();
        let is_there = have.is_some() && self.is_in(old);
        let is_theirs = matches!(self.form, Form::Whole) && have.is_some() && !old.contains(OURS);
        match step {
            Step::Tell => Ok(is_there.then_some("set up in")),
            Step::Write if is_there => Ok(Some("kept")),
            Step::Write | Step::Remove if is_theirs => Ok(Some("kept")),
            Step::Write => {
                let text = self.added(old).map_err(|why| uneditable(file, &why))?;
                checkout.create(file, &text, true)?;
                Ok(Some("wrote"))
            }
            Step::Remove if have.is_none() => Ok(None),
            Step::Remove => {
                match self.removed(old).map_err(|why| uneditable(file, &why))? {
                    Some(text) if text == old => return Ok(None),
                    Some(text) => checkout.create(file, &text, true)?,
                    None => {
                        checkout.refuse_links(file)?;
                        fs::remove_file(file).map_err(Failure::not_written(file))?;
                    }
                }
                Ok(Some("removed from"))
            }
        }
    }

    /// Whether a text has it as it is now.
    fn is_in(&self, text: &str) -> bool {
        match self.form {
            Form::Whole => text == self.text,
            Form::Block => text.contains(self.text.trim_end()),
            Form::Entries => {
                serde_json::from_str(text).is_ok_and(|have: Value| holds(&have, &self.entries()))
            }
        }
    }

    fn added(&self, text: &str) -> Result<String, serde_json::Error> {
        match self.form {
            Form::Whole => Ok(self.text.to_owned()),
            Form::Block => {
                let rest = self.without_block(text);
                let gap = if rest.trim().is_empty() { "" } else { "\n\n" };
                Ok(format!("{}{gap}{}", rest.trim_end(), self.text))
            }
            Form::Entries => {
                let text = if text.trim().is_empty() { "{}" } else { text };
                Ok(with(text, &self.entries(), 0)? + "\n")
            }
        }
    }

    /// A text without it; `None` if that leaves nothing.
    fn removed(&self, text: &str) -> Result<Option<String>, serde_json::Error> {
        match self.form {
            Form::Whole => Ok(None),
            Form::Block => {
                Ok(Some(self.without_block(text)).filter(|left| !left.trim().is_empty()))
            }
            Form::Entries => Ok(without(text, &self.entries(), 0)?.map(|left| left + "\n")),
        }
    }

    fn without_block(&self, text: &str) -> String {
        let mut marks = self.text.lines().filter(|line| line.contains("secondhand: "));
        let (Some(begin), Some(end)) = (marks.next(), marks.next_back()) else {
            return text.to_owned();
        };
        let Some((before, rest)) = text.split_once(begin) else { return text.to_owned() };
        let after = rest.split_once(end).map_or("", |(_, after)| after);
        let left = format!("{}\n{}", before.trim_end(), after.trim_start_matches('\n'));
        left.trim_start_matches('\n').to_owned()
    }

    fn entries(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_default()
    }
}

fn uneditable(file: &Path, why: &serde_json::Error) -> Failure {
    let message = format!("cannot edit `{}`: {why}", file.display());
    Failure::user(message, "mend the file, or move it")
}
