//! Defines the tools, and runs them: each does what a command does.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::answer::{cleaned, fitted};
use crate::audit::{Outcome, Progress, Sketch};
use crate::change::{ChangeEnd, CheckRequest, PastScope, paths_in};
use crate::cli::args::Scan;
use crate::cli::commands::find::{FindRequest, existing};
use crate::cli::commands::{check, scan};
use crate::cli::flags::Common;
use crate::cli::io::Failure;
use crate::cli::servers::defect;
use crate::cli::servers::job::{Job, JobFailure};
use crate::git::Repository;
use crate::policy::{RULES, rule};
use crate::report::{
    Passage, check_headline, class_passages, finding_in_full, finding_passages, found_headline,
    found_passages,
};
use crate::text::{FilePath, count, printable};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindExistingCode {
    /// What you are about to write: a whole function, its signature and first statements, its name,
    /// or its purpose in plain words. Names may differ, and it may be incomplete.
    sketch: String,
    /// Its language, such as `rust` or `python`; guessed from the repository if absent.
    language: Option<String>,
    /// The path it is meant for, such as `src/util/dates.ts`: decides the language, and nearer
    /// results come first.
    file_name: Option<String>,
    /// Whether to search deleted code too: it names the commit that deleted it. The first time
    /// reads all history.
    #[serde(default)]
    history: bool,
    /// Maximum results, 5 if absent.
    limit: Option<usize>,
    /// Maximum tokens of the answer, 600 if absent.
    max_tokens: Option<usize>,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Change {
    /// The work tree, including untracked files, against the last commit.
    Worktree,
    /// The index: what the next commit would record.
    Staged,
    /// The commits of a branch.
    Range,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckChanges {
    /// What to check: `worktree` (uncommitted work), `staged`, or `range` (the commits from `base`
    /// to `head`). If absent, the range where `base` or `head` is given, and the work tree
    /// elsewhere.
    change: Option<Change>,
    /// Where the change starts: a revision. For a range, the default branch if absent.
    base: Option<String>,
    /// Where a range ends: a revision, HEAD if absent.
    head: Option<String>,
    /// Files and folders to judge, from the root of the repository; all that changed if absent.
    #[serde(default)]
    paths: Vec<String>,
    /// Whether to search deleted code of the history too; the first time reads all history.
    #[serde(default)]
    history: bool,
    /// Maximum tokens of the answer, 600 if absent.
    max_tokens: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainFinding {
    /// The id in brackets before a finding of an earlier answer, or the id of a rule, such as
    /// `copied-code`.
    finding: String,
    /// Maximum tokens of the answer, 600 if absent.
    max_tokens: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListDuplicates {
    /// The file or folder, from the root of the repository; the whole tree if absent.
    path: Option<String>,
    /// Maximum clone classes, the largest first; 20 if absent.
    limit: Option<usize>,
    /// Maximum tokens of the answer, 600 if absent.
    max_tokens: Option<usize>,
}

/// Maximum results, whatever is asked for.
const MAX_RESULTS: usize = 200;

fn tools() -> Vec<Tool> {
    vec![
        tool::<FindExistingCode>(
            "find_existing_code",
            "Does this exist already? Call it before you write a function: give a sketch or its purpose in words, and get \
             the existing functions of this repository that have most of it, with path, lines, name, code, and what \
             they have in common. Reuse what it finds instead of writing it again.",
        ),
        tool::<CheckChanges>(
            "check_changes",
            "Lists the code that a change copies: after you have edited, before you commit. Each finding has an id, \
             its place, the origin, and what differs.",
        ),
        tool::<ExplainFinding>(
            "explain_finding",
            "Explains a finding of check_changes, find_fixes or list_duplicates by its id: why it matters, what to do, \
             what is equal, what differs and where, and the code of both sides.",
        ),
        tool::<ListDuplicates>(
            "list_duplicates",
            "Lists code that is in this repository several times already, below a path: each with all its places.",
        ),
        tool::<CheckChanges>(
            "find_fixes",
            "Names the places that a fix was not applied to: code that was equal to what this change edits, and was \
             left as it is.",
        ),
    ]
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    let schema = schemars::schema_for!(T);
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    Tool::new(name, description, schema)
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// The server: what all calls share.
#[derive(Clone)]
pub(super) struct Server {
    common: Arc<Common>,
    root: Arc<Path>,
    /// One call at a time: each uses all cores.
    turn: Arc<Semaphore>,
    /// The last outcomes of a check and of a scan, which later calls ask about.
    last: Arc<Mutex<[Option<Arc<Outcome>>; 2]>>,
}

impl Server {
    pub fn new(common: &Common, root: Arc<Path>) -> Self {
        Self {
            common: Arc::new(common.silent()),
            root,
            turn: Arc::new(Semaphore::new(1)),
            last: Arc::default(),
        }
    }

    fn run(&self, name: &str, arguments: Value, progress: &dyn Progress) -> ToolAnswer {
        match name {
            "find_existing_code" => self.find_existing_code(read(arguments)?, progress),
            "check_changes" => self.check_changes(&read(arguments)?, progress),
            "explain_finding" => self.explain_finding(&read(arguments)?),
            "list_duplicates" => self.list_duplicates(&read(arguments)?, progress),
            _ => self.find_fixes(&read(arguments)?, progress),
        }
    }

    fn find_existing_code(&self, asked: FindExistingCode, progress: &dyn Progress) -> ToolAnswer {
        let limit = asked.limit.unwrap_or(5).clamp(1, MAX_RESULTS);
        let past = asked.history.then(PastScope::default);
        let request = FindRequest { limit, past, ..FindRequest::default() };
        let sketch = Sketch {
            bytes: asked.sketch.into_bytes(),
            name: asked.file_name.map(|name| FilePath::new(name.into_bytes())),
            language: asked.language,
            ..Sketch::default()
        };
        let found = existing(&sketch, &request, &self.common, progress)?;
        Ok(fitted(&found_headline(&found), &found_passages(&found), asked.max_tokens))
    }

    fn checked(
        &self,
        asked: &CheckChanges,
        progress: &dyn Progress,
    ) -> Result<Arc<Outcome>, Refusal> {
        let is_range = asked.base.is_some() || asked.head.is_some();
        let usual = if is_range { Change::Range } else { Change::Worktree };
        let end = match asked.change.unwrap_or(usual) {
            Change::Range => asked.head.clone().map_or(ChangeEnd::Latest, ChangeEnd::Commit),
            _ if asked.head.is_some() => {
                return Err(Refusal("`head` is for a range; leave `change` out".to_owned()));
            }
            Change::Worktree => ChangeEnd::WorkTree,
            Change::Staged => ChangeEnd::Index,
        };
        let repository = Repository::discover(&self.common.repo).map_err(Failure::from)?;
        let common = Common { brief: true, ..(*self.common).clone() };
        let paths: Vec<PathBuf> = asked.paths.iter().map(PathBuf::from).collect();
        let history = asked.history.then(|| ("history", "true".to_owned()));
        let request = CheckRequest {
            // Paths start at the root, wherever the server was started.
            within: paths_in(&repository, repository.root(), &paths).map_err(Failure::from)?,
            ..check::plain_request(end, asked.base.clone(), Vec::from_iter(history), &common)
        };
        let outcome = Arc::new(check::requested(&request, &repository, &common, progress)?);
        self.keep(0, &outcome);
        Ok(outcome)
    }

    fn check_changes(&self, asked: &CheckChanges, progress: &dyn Progress) -> ToolAnswer {
        let outcome = self.checked(asked, progress)?;
        let mut title = check_headline(&outcome);
        for notice in &outcome.notices {
            title.push_str(&format!("\nnotice: {notice}"));
        }
        if let Some(missing) = &outcome.examined.unavailable {
            title.push_str(&format!("\nnot searched: {missing}"));
        }
        Ok(fitted(&title, &finding_passages(&outcome, |_| true), asked.max_tokens))
    }

    fn find_fixes(&self, asked: &CheckChanges, progress: &dyn Progress) -> ToolAnswer {
        let outcome = self.checked(asked, progress)?;
        let blocks = finding_passages(&outcome, |finding| finding.rule.id == "missed-sibling");
        let title = match blocks.len() {
            0 => "no missed sibling: no other place has the lines that this change edits as they were before, or each \
                  of them was edited alike"
                .to_owned(),
            n => format!("{} may be missing in other places", count(n, "edit")),
        };
        Ok(fitted(&title, &blocks, asked.max_tokens))
    }

    fn list_duplicates(&self, asked: &ListDuplicates, progress: &dyn Progress) -> ToolAnswer {
        let path = asked.path.as_deref().unwrap_or_default();
        let path = match path.trim_start_matches("./").trim_end_matches('/') {
            path if Path::new(path).is_absolute() || path.split('/').any(|part| part == "..") => {
                let why = format!("`{path}` is no path from the root of the repository");
                return Err(Refusal(why));
            }
            "." => FilePath::new(""),
            path => FilePath::new(path),
        };
        let repository = Repository::discover(&self.common.repo).map_err(Failure::from)?;
        let common = Common { repo: repository.root().to_owned(), ..(*self.common).clone() };
        let scanned = scan::outcome(&Scan::default(), &common, progress)?;
        let outcome = Arc::new(scanned.with_texts()?);
        self.keep(1, &outcome);
        let mut blocks = class_passages(&outcome, |finding| {
            let origins = finding.origins_in_tree().map(|origin| &origin.path);
            finding.is_copy() && origins.chain([&finding.path]).any(|of| of.is_in(&path))
        });
        let n_classes = blocks.len();
        blocks.truncate(asked.limit.unwrap_or(20).clamp(1, MAX_RESULTS));
        let below = match path.as_bytes() {
            [] => String::new(),
            _ => format!(" with a place in {path}"),
        };
        let (classes, n_listed) = (count(n_classes, "clone class"), blocks.len());
        let title = match n_classes {
            0 => format!("nothing is duplicated{below}"),
            n if n > n_listed => format!("{classes}{below}, the largest {n_listed} listed"),
            _ => format!("{classes}{below}"),
        };
        Ok(fitted(&title, &blocks, asked.max_tokens))
    }

    fn explain_finding(&self, asked: &ExplainFinding) -> ToolAnswer {
        let max_tokens = asked.max_tokens;
        let id = asked.finding.trim().trim_start_matches('[').trim_end_matches(']');
        if let Some(rule) = rule(id) {
            let lines = rule.explanation().lines().map(str::to_owned).collect();
            let head = format!("{} ({}): {}", rule.id, rule.level.name(), rule.summary);
            return Ok(fitted("", &[Passage { head, lines }], max_tokens));
        }
        let last = self.last.lock().map(|last| last.clone()).unwrap_or_default();
        for outcome in last.iter().flatten() {
            if let Some(finding) = outcome.all_findings().find(|finding| finding.is_named(id)) {
                return Ok(fitted("", &[finding_in_full(outcome, finding)], max_tokens));
            }
        }
        let rules: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        Err(Refusal(format!(
            "`{id}` is no finding of the last answers and no rule. Call check_changes or list_duplicates first, and \
             give the id in brackets; the rules are {}",
            rules.join(", ")
        )))
    }

    fn keep(&self, place: usize, outcome: &Arc<Outcome>) {
        if let Ok(mut last) = self.last.lock() {
            last[place] = Some(Arc::clone(outcome));
        }
    }
}

fn canceled() -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "canceled", None)
}

/// Why a call has no result, in words for the agent.
struct Refusal(String);

type ToolAnswer = Result<String, Refusal>;

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let help = failure.help().map(|help| format!("; {help}")).unwrap_or_default();
        Self(format!("{failure}{help}"))
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Refusal> {
    serde_json::from_value(arguments).map_err(|why| Refusal(format!("wrong arguments: {why}")))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(name).with_instructions(
            "Finds code that exists already. Before you write a function, call find_existing_code with a sketch of it. \
             After you have edited, call check_changes; explain_finding describes a finding it lists in full.",
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        if !tools().iter().any(|tool| tool.name == name) {
            let name = printable(name);
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
        }
        let turn = tokio::select! {
            turn = Arc::clone(&self.turn).acquire_owned() => turn.map_err(|_| canceled())?,
            () = context.ct.cancelled() => return Err(canceled()),
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let (server, token) = (self.clone(), context.ct.clone());
        let (to_client, mut reports) = mpsc::channel(4);
        let mut work = tokio::task::spawn_blocking(move || {
            // The next call has its turn when this work ends, canceled or not.
            let _turn = turn;
            // A client that is slow to read gets fewer reports.
            let report = |stage, n_done, n_steps| _ = to_client.try_send((stage, n_done, n_steps));
            let done = Job::new(&|| token.is_cancelled(), &report)
                .run(|progress| Ok(server.run(&name, arguments, progress)));
            let answered = match done {
                Ok(answered) => answered,
                Err(JobFailure::Failed(why)) => Err(why.into()),
                Err(JobFailure::Broken(why)) => Err(Refusal(defect(&why))),
                Err(JobFailure::Canceled) => return None,
            };
            let (Ok(text) | Err(Refusal(text))) = &answered;
            let content = vec![ContentBlock::text(cleaned(text, &server.root))];
            Some(match answered {
                Ok(_) => CallToolResult::success(content),
                Err(_) => CallToolResult::error(content),
            })
        });
        let token = context.meta.get_progress_token();
        let (mut n_before, mut last, mut stage) = (0, 0, "");
        let result = loop {
            tokio::select! {
                result = &mut work => break result,
                Some((name, n_done, n_steps)) = reports.recv() => {
                    let Some(token) = token.clone() else { continue };
                    if name != stage {
                        (stage, n_before) = (name, last);
                    }
                    // Progress may only grow, and each stage begins at nothing.
                    last = last.max(n_before + n_done);
                    let total = if n_steps > 0 { format!(" of {n_steps}") } else { String::new() };
                    let mut of = ProgressNotificationParam::new(token, last as f64);
                    of.message = Some(format!("{stage}: {n_done}{total}"));
                    // Sent by another task: a client that does not read must not keep the work
                    // waiting.
                    let peer = context.peer.clone();
                    tokio::spawn(async move { peer.notify_progress(of).await });
                }
            }
        };
        let result = result.map_err(|why| ErrorData::internal_error(why.to_string(), None))?;
        result.map(CallToolResponse::from).ok_or_else(canceled)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method whose parameters are not those of the protocol is read as an unknown one.
        let method = request.method;
        let why = match method.as_str() {
            "tools/call" => "`name` has to be text, and `arguments` an object",
            "initialize" | "tools/list" | "ping" => "wrong parameters",
            _ => {
                let why = format!("there is no method `{}`", printable(method));
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None));
            }
        };
        Err(ErrorData::invalid_params(why, None))
    }
}
