//! Finds the range of a change in the environment: of pre-commit, of GitHub Actions, and of the
//! other systems in `SYSTEMS`.

use std::path::{Path, PathBuf};
use std::{env, io};

use serde_json::Value;

use super::Error;
use crate::files;
use crate::git::{self, CommitId, Reader};
use crate::text::MAX_MADE;

/// The two ends of a change, as an environment names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct EventRange {
    /// Where it starts; `None` when the environment knows no commit that it could start from.
    pub base: Option<NamedRevision>,
    /// Where it ends; `None` for what is checked out.
    pub head: Option<String>,
    /// The commit that was proposed, which may be merged with its target in what is checked out.
    pub proposed: Option<String>,
    /// The repository's default branch, as its remote calls it.
    pub default_branch: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedRevision {
    pub revision: String,
    /// What serves as well, but for settings that came to the base later: taken where the revision
    /// is not in this clone.
    pub or: Option<String>,
    /// The variable, or the event.
    pub by: &'static str,
}

impl NamedRevision {
    /// The commit with this id, which `by` names; `None` if it is no commit.
    fn commit(id: String, by: &'static str) -> Option<Self> {
        is_commit(&id).then_some(Self { revision: id, or: None, by })
    }

    fn branch(name: &str, by: &'static str) -> Self {
        Self { revision: remote_branch(name), or: None, by }
    }

    /// The revision and its commit, or what serves as well if only that is here. A branch is no tag
    /// of its name.
    pub fn in_clone(&self, reader: &Reader) -> Result<(&str, CommitId), git::Error> {
        let is_branch = self.revision.starts_with("origin/");
        if is_branch && let Some(tip) = reader.branch(&self.revision)? {
            return Ok((&self.revision, tip));
        }
        if let Some(or) = &self.or
            && let Ok(tip) = reader.commit_with_id(or)
        {
            return Ok((or, tip));
        }
        if is_branch {
            let (revision, is_shallow) = (self.revision.clone(), reader.is_shallow());
            return Err(git::Error::UnknownRevision { revision, is_shallow });
        }
        Ok((&self.revision, reader.commit_with_id(&self.revision)?))
    }
}

/// A system that runs pipelines, and how its variables name the start of a change.
struct System {
    /// Set in each of its runs; with a value where others set it, too.
    mark: (&'static str, Option<&'static str>),
    /// What names the base; the first that is set and names a commit.
    bases: &'static [Base],
    /// The variable that names the commit of a pull request. Some systems check it out merged with
    /// its target: the target is then the first parent, which is better than a base that was looked
    /// up before the target went on.
    proposed: Option<&'static str>,
    default_branch: Option<&'static str>,
}

impl System {
    const fn of(mark: &'static str, bases: &'static [Base]) -> Self {
        Self { mark: (mark, None), bases, proposed: None, default_branch: None }
    }
}

/// The variables that name a base.
enum Base {
    Commit(&'static str),
    /// Of the remote.
    Branch(&'static str),
    /// As a branch in the first; where a clone does not have it, as a commit in the second.
    BranchOr(&'static str, &'static str),
    /// Before the dots of a range.
    Range(&'static str),
    /// If the first variable has this value.
    If(&'static str, &'static str, &'static Base),
    /// If the first variable has another value.
    Unless(&'static str, &'static str, &'static Base),
}

use Base::{Branch, BranchOr, Commit, If, Range, Unless};

/// Every system that we know, with `docs/how-to/ci.md` for its users.
const SYSTEMS: &[System] = &[
    // Woodpecker sets the variables of Drone, too.
    System {
        mark: ("CI", Some("woodpecker")),
        bases: &[
            Branch("CI_COMMIT_TARGET_BRANCH"),
            If("CI_PIPELINE_EVENT", "push", &Commit("CI_PREV_COMMIT_SHA")),
        ],
        proposed: None,
        default_branch: Some("CI_REPO_DEFAULT_BRANCH"),
    },
    System {
        mark: ("DRONE", None),
        bases: &[
            If("DRONE_BUILD_EVENT", "pull_request", &Branch("DRONE_TARGET_BRANCH")),
            If("DRONE_BUILD_EVENT", "push", &Commit("DRONE_COMMIT_BEFORE")),
        ],
        proposed: Some("DRONE_COMMIT_SHA"),
        default_branch: Some("DRONE_REPO_BRANCH"),
    },
    System {
        mark: ("GITLAB_CI", None),
        bases: &[
            // Of merged results and merge trains only.
            Commit("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"),
            BranchOr("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            Commit("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_SHA"),
            Commit("CI_COMMIT_BEFORE_SHA"),
        ],
        proposed: Some("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"),
        default_branch: Some("CI_DEFAULT_BRANCH"),
    },
    System {
        proposed: Some("SYSTEM_PULLREQUEST_SOURCECOMMITID"),
        ..System::of("TF_BUILD", &[Branch("SYSTEM_PULLREQUEST_TARGETBRANCH")])
    },
    System::of(
        "BITBUCKET_BUILD_NUMBER",
        &[Commit("BITBUCKET_PR_DESTINATION_COMMIT"), Branch("BITBUCKET_PR_DESTINATION_BRANCH")],
    ),
    System::of("JENKINS_URL", &[Branch("CHANGE_TARGET"), Commit("GIT_PREVIOUS_SUCCESSFUL_COMMIT")]),
    System {
        default_branch: Some("BUILDKITE_PIPELINE_DEFAULT_BRANCH"),
        ..System::of(
            "BUILDKITE",
            &[
                Commit("BUILDKITE_MERGE_QUEUE_BASE_COMMIT"),
                Branch("BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
            ],
        )
    },
    // Its variables name no base; its settings can hand one over, in SECONDHAND_BASE.
    System::of("CIRCLECI", &[]),
    System {
        mark: ("TRAVIS", None),
        // Of a push the branch is the one that was pushed, and the number of the pull request is
        // "false".
        bases: &[
            Range("TRAVIS_COMMIT_RANGE"),
            Unless("TRAVIS_PULL_REQUEST", "false", &Branch("TRAVIS_BRANCH")),
        ],
        proposed: Some("TRAVIS_PULL_REQUEST_SHA"),
        default_branch: None,
    },
    System::of("TEAMCITY_VERSION", &[Branch("teamcity.pullRequest.target.branch")]),
    // GitHub Actions without its event, and what imitates it.
    System::of("GITHUB_BASE_REF", &[Branch("GITHUB_BASE_REF")]),
];

/// The range that the environment names; `None` outside of any we know. A workflow's event that
/// cannot be read is an error: a guess might pass as clean what was not examined.
pub(super) fn range() -> Result<Option<EventRange>, Error> {
    if let Some(range) = hook_range() {
        return Ok(Some(range));
    }
    let mut of_event = None;
    if let Some(file) = file("GITHUB_EVENT_PATH") {
        let event: io::Result<Value> =
            files::read_text(&file, MAX_MADE).and_then(|text| Ok(serde_json::from_str(&text)?));
        let event = event.map_err(|why| {
            let file = file.display();
            let message = format!("cannot read the event of this workflow, `{file}`: {why}");
            Error::user(message, "set the base with `--base REV`")
        })?;
        of_event = Some(range_of_event(&event));
        if of_event.as_ref().is_some_and(|range| range.base.is_some()) {
            return Ok(of_event);
        }
    }
    let of_system = range_of_system(&|name| variable(name).or_else(|| property(name)));
    let Some(system) = of_system else { return Ok(of_event) };
    let default_branch = system.default_branch.or(of_event.and_then(|event| event.default_branch));
    Ok(Some(EventRange { default_branch, ..system }))
}

/// The range that pre-commit runs its hooks on: `--from-ref` and `--to-ref`, or what is pushed.
/// `None` if it runs them on what is staged.
pub(super) fn hook_range() -> Option<EventRange> {
    let (base, head) = (variable("PRE_COMMIT_FROM_REF")?, variable("PRE_COMMIT_TO_REF")?);
    let base = NamedRevision::commit(base, "PRE_COMMIT_FROM_REF");
    Some(EventRange { base, head: Some(head), ..EventRange::default() })
}

/// Whether the variable `CI` says that a machine runs the program.
pub(super) fn is_machine() -> bool {
    variable("CI").is_some_and(|value| value != "0" && value != "false")
}

/// What a variable holds. What is not UTF-8 names no revision: an error says so.
fn variable(name: &str) -> Option<String> {
    file(name).map(|value| value.to_string_lossy().into_owned())
}

/// The file that a variable names.
fn file(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn range_of_event(event: &Value) -> EventRange {
    let bases = ["/pull_request/base/sha", "/merge_group/base_sha", "/before"];
    let base = bases.into_iter().find_map(|pointer| text_at(event, pointer));
    EventRange {
        base: base.and_then(|base| NamedRevision::commit(base, "the event")),
        head: None,
        proposed: text_at(event, "/pull_request/head/sha"),
        default_branch: text_at(event, "/repository/default_branch"),
    }
}

fn text_at(event: &Value, pointer: &str) -> Option<String> {
    Some(event.pointer(pointer)?.as_str()?.to_owned())
}

/// The range that the variables of one of `SYSTEMS` name; `None` under none of them.
fn range_of_system(variable: &dyn Fn(&str) -> Option<String>) -> Option<EventRange> {
    let system = SYSTEMS.iter().find(|System { mark: (name, wanted), .. }| {
        variable(name).is_some_and(|value| wanted.is_none_or(|wanted| value == wanted))
    })?;
    Some(EventRange {
        base: system.bases.iter().find_map(|base| base.named(variable)),
        head: None,
        proposed: system.proposed.and_then(variable),
        default_branch: system.default_branch.and_then(variable),
    })
}

impl Base {
    fn named(&self, variable: &dyn Fn(&str) -> Option<String>) -> Option<NamedRevision> {
        match *self {
            Commit(by) => NamedRevision::commit(variable(by)?, by),
            Branch(by) => Some(NamedRevision::branch(&variable(by)?, by)),
            BranchOr(by, or) => {
                let branch = NamedRevision::branch(&variable(by)?, by);
                Some(NamedRevision { or: variable(or).filter(|id| is_commit(id)), ..branch })
            }
            Range(by) => NamedRevision::commit(variable(by)?.split_once("..")?.0.to_owned(), by),
            If(name, value, base) if variable(name)? == value => base.named(variable),
            Unless(name, value, base) if variable(name)? != value => base.named(variable),
            If(..) | Unless(..) => None,
        }
    }
}

/// A branch as a clone calls it. Some systems name it in full.
pub(super) fn remote_branch(name: &str) -> String {
    format!("origin/{}", name.strip_prefix("refs/heads/").unwrap_or(name))
}

/// A new branch comes from an id of zeros.
fn is_commit(id: &str) -> bool {
    id.bytes().any(|byte| byte != b'0')
}

/// A parameter of a build in TeamCity, which hands them over in files: one, named by a variable,
/// names the other.
fn property(name: &str) -> Option<String> {
    if !name.contains('.') {
        return None;
    }
    let read = |file: &Path| files::read_text(file, MAX_MADE).ok();
    let build = read(&file("TEAMCITY_BUILD_PROPERTIES_FILE")?)?;
    let configuration = property_in(&build, "teamcity.configuration.properties.file")?;
    let configuration = read(Path::new(&configuration))?;
    property_in(&configuration, name).filter(|value| !value.is_empty())
}

/// A value in a file of Java properties: `name=value`, with `\` before what would end a part.
fn property_in(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value = line.trim_start().strip_prefix(name)?.trim_start().strip_prefix(['=', ':'])?;
        let mut characters = value.trim_start().chars();
        let mut plain = String::new();
        while let Some(character) = characters.next() {
            plain.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        Some(plain.trim_end().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_start() {
        let variable = |_: &str| Some("a1...c3".to_owned());
        let base = Range("TRAVIS_COMMIT_RANGE").named(&variable);
        assert_eq!(base.map(|base| base.revision).as_deref(), Some("a1"));
    }

    #[test]
    fn outside_of_any_system_nothing_is_named() {
        assert_eq!(range_of_system(&|_| None), None);
        assert_eq!(range_of_system(&|name| (name == "CI").then(|| "true".to_owned())), None);
    }

    #[test]
    fn the_page_for_users_names_every_variable() {
        fn of(base: &Base) -> &'static str {
            match *base {
                Commit(name) | Branch(name) | BranchOr(name, _) | Range(name) => name,
                If(_, _, base) | Unless(_, _, base) => of(base),
            }
        }
        let page = include_str!("../../docs/how-to/ci.md");
        for name in SYSTEMS.iter().flat_map(|system| system.bases).map(of) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
