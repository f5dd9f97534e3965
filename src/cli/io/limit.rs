//! Ends a run that takes more time or memory than it may.
//!
//! This takes two steps. At the limit the run is asked to end: files not read by then are skipped,
//! and what it found is reported. Some work cannot be interrupted, so beyond the limit there is a
//! second one, at which the process exits. Either way the exit status says that the audit is
//! incomplete, and a message says what was not examined.
//!
//! Memory is what the process has allocated and uses, as Linux counts it several times a second.
//! Mapped files of the cache are not part of it: the system takes their pages back when it needs
//! them. A short peak may go unnoticed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::error::{Failure, Limit};
use super::output::{report_failure, warn};
use crate::audit::{Examination, Outcome, RunLimit};
use crate::cli::flags::Common;
use crate::policy::Notice;
use crate::text::{agreed, count};

/// How often the memory is measured.
const TICK: Duration = Duration::from_millis(50);
/// Minimum time after the limit to report what was found.
const GRACE: Duration = Duration::from_secs(5);

static WATCH: OnceLock<Watch> = OnceLock::new();

struct Watch {
    started: Instant,
    timeout: Option<Duration>,
    /// In MB.
    max_memory: Option<u64>,
    /// Whether it takes more memory than that.
    is_over: AtomicBool,
    /// Whether something was skipped for either.
    is_heeded: AtomicBool,
    /// The current stage, and its number of steps.
    stage: Mutex<(&'static str, usize)>,
    n_steps: AtomicUsize,
}

/// Watches this process from now on, as the flags say. A server has no timeout: it runs until its
/// client ends it, and what it uses now and then is no reason to skip anything later.
pub(in crate::cli) fn start(common: &Common, is_server: bool) {
    let timeout = common.timeout.filter(|seconds| *seconds > 0.0).map(Duration::from_secs_f64);
    if is_server && timeout.is_some() {
        warn("`--timeout` has no effect on a program that runs until it is ended");
    }
    let watch = WATCH.get_or_init(|| Watch {
        started: Instant::now(),
        timeout: timeout.filter(|_| !is_server),
        max_memory: Some(common.max_memory.unwrap_or(DEFAULT_MEMORY)).filter(|&n| n > 0),
        is_over: AtomicBool::new(false),
        is_heeded: AtomicBool::new(false),
        stage: Mutex::new(("starting", 0)),
        n_steps: AtomicUsize::new(0),
    });
    let is_known = used_memory().is_some();
    if common.max_memory.is_some_and(|n| n > 0) && !is_known {
        let why = "this system does not say how much memory the process uses";
        warn(&format!("`--max-memory` has no effect: {why}"));
    }
    if watch.timeout.is_none() && !is_known {
        return;
    }
    // Without the thread, the first step still works for the time limit.
    let _ = std::thread::Builder::new().name("watch".to_owned()).spawn(|| watch.look());
}

/// The default of `--max-memory`, in MB.
const DEFAULT_MEMORY: u64 = 4096;

impl Watch {
    fn look(&self) {
        loop {
            std::thread::sleep(TICK);
            if let (Some(max), Some(used)) = (self.max_memory, used_memory()) {
                self.is_over.store(used > max, Ordering::Relaxed);
                if used > max + max / 4 {
                    self.give_up(Limit::Memory(max));
                }
            }
            if let Some(timeout) = self.timeout
                && self.started.elapsed() > timeout + GRACE.max(timeout / 2)
            {
                self.give_up(Limit::Time(timeout));
            }
        }
    }

    fn passed(&self) -> Option<Limit> {
        let memory = self.max_memory.filter(|_| self.is_over.load(Ordering::Relaxed));
        let time = self.timeout.filter(|timeout| self.started.elapsed() >= *timeout);
        memory.map(Limit::Memory).or(time.map(Limit::Time))
    }

    fn give_up(&self, limit: Limit) -> ! {
        let (stage, n) = self.stage.lock().map_or(("", 0), |stage| *stage);
        let done = match n {
            0 => String::new(),
            n => format!(", {} of {n} done", self.n_steps.load(Ordering::Relaxed).min(n)),
        };
        let message = format!("cannot complete the audit: {limit}; it was {stage}{done}");
        report_failure(&Failure::user(message, format!("raise `{}`", limit.flag())));
        std::process::exit(i32::from(crate::cli::FAILED));
    }
}

/// The memory that this process has allocated and uses, in MB, if the system says.
fn used_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let row = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = row.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024)
}

/// Why what was not read yet is to be skipped, if a limit is passed.
pub(in crate::cli) fn end() -> Option<RunLimit> {
    let watch = WATCH.get()?;
    let exhausted = match watch.passed()? {
        Limit::Time(_) => RunLimit::Time,
        Limit::Memory(_) => RunLimit::Memory,
    };
    watch.is_heeded.store(true, Ordering::Relaxed);
    Some(exhausted)
}

pub(in crate::cli) fn begin(stage: &'static str, n_steps: usize) {
    let Some(watch) = WATCH.get() else { return };
    if let Ok(mut now) = watch.stage.lock() {
        *now = (stage, n_steps);
    }
    watch.n_steps.store(0, Ordering::Relaxed);
}

pub(in crate::cli) fn step() {
    if let Some(watch) = WATCH.get() {
        watch.n_steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Checks that nothing was skipped for a limit, so that what was found is all there is.
pub(in crate::cli) fn complete() -> Result<(), Failure> {
    let heeded = WATCH.get().filter(|watch| watch.is_heeded.load(Ordering::Relaxed));
    heeded.and_then(Watch::passed).map_or(Ok(()), |limit| Err(Failure::Incomplete(limit)))
}

/// Checks that a partial clone had all files: that `n_missing` is 0.
pub(in crate::cli) fn all_here(n_missing: usize) -> Result<(), Failure> {
    if n_missing == 0 {
        return Ok(());
    }
    let (files, are) = (count(n_missing, "file"), agreed(n_missing, "is", "are"));
    let message = format!("the audit is not complete: {files} {are} not in this clone");
    Err(Failure::user(message, "fetch all blobs: `git fetch --refetch --no-filter`"))
}

fn notice(outcome: &Outcome) -> Option<Notice> {
    let Err(Failure::Incomplete(limit)) = complete() else { return None };
    let Examination { skipped, not_compared, .. } = &outcome.examined;
    let mut left = Vec::new();
    for (files, how) in [(skipped, "examined"), (not_compared, "compared with")] {
        if let n @ 1.. = files.iter().filter(|(_, skip)| skip.is_end()).count() {
            left.push(format!("{} {} not {how}", count(n, "file"), agreed(n, "was", "were")));
        }
    }
    if left.is_empty() {
        left.push("some files were not aligned".to_owned());
    }
    let left = left.join(", ");
    let message = format!("the audit was ended, since {limit} (`{}`): {left}", limit.flag());
    Some(Notice::new(None, None, &message))
}

/// The outcome with as many findings as the settings allow, and a notice of what a limit left out.
pub(in crate::cli) fn limited(mut outcome: Outcome) -> Outcome {
    outcome.notices.extend(notice(&outcome));
    outcome.limit_findings();
    outcome
}
