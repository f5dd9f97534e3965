//! Finds the range of a change in the environment of GitHub Actions and pre-commit.

use std::env;
use std::path::PathBuf;

use serde_json::Value;

use super::error::Failure;

/// The two ends of a change, as an environment names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventRange {
    /// Its start; `None` if the environment has no commit to start from.
    pub base: Option<String>,
    /// Its end; `None` for what is checked out.
    pub head: Option<String>,
}

/// The range in the environment; `None` outside any we know.
///
/// # Errors
/// If a workflow's event cannot be read: a guess might pass as clean what was not examined.
pub(super) fn range() -> Result<Option<EventRange>, Failure> {
    if let Some(range) = hook_range() {
        return Ok(Some(range));
    }
    if let Some(file) = variable("GITHUB_EVENT_PATH").map(PathBuf::from) {
        let unreadable = |why: String| Failure::Event { file: file.clone(), why };
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
        let event: Value = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if let Some(base) = base_of_event(&event) {
            return Ok(Some(EventRange { base: Some(base), head: None }));
        }
    }
    let branch = variable("GITHUB_BASE_REF").map(|branch| format!("origin/{branch}"));
    Ok(branch.map(|base| EventRange { base: Some(base), head: None }))
}

/// The range that pre-commit runs its hooks on: `--from-ref` and `--to-ref`, or what is pushed.
/// `None` if it runs them on what is staged.
pub(super) fn hook_range() -> Option<EventRange> {
    let (base, head) = (variable("PRE_COMMIT_FROM_REF")?, variable("PRE_COMMIT_TO_REF")?);
    Some(EventRange { base: is_commit(&base).then_some(base), head: Some(head) })
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The commit an event's change starts from.
fn base_of_event(event: &Value) -> Option<String> {
    let of_pull_request = event.pointer("/pull_request/base/sha");
    let of_merge_group = event.pointer("/merge_group/base_sha");
    let of_push = event.get("before");
    let base = of_pull_request.or(of_merge_group).or(of_push)?.as_str()?;
    is_commit(base).then(|| base.to_owned())
}

/// Whether an id names a commit: a new branch comes from an id of zeros.
fn is_commit(id: &str) -> bool {
    id.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_event_names_its_base() {
        let base = |event: Value| base_of_event(&event);
        assert_eq!(base(json!({"pull_request": {"base": {"sha": "a1"}}})), Some("a1".into()));
        assert_eq!(base(json!({"merge_group": {"base_sha": "b2"}})), Some("b2".into()));
        assert_eq!(base(json!({"before": "c3"})), Some("c3".into()));
        assert_eq!(base(json!({"before": "0000000000000000000000000000000000000000"})), None);
        assert_eq!(base(json!({"inputs": {}})), None);
    }
}
