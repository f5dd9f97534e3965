//! Shows progress on standard error, when that is a terminal.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::limit;
use crate::audit::{Progress, RunLimit};
use crate::cli::flags::Common;

pub(in crate::cli) struct Bar {
    is_shown: bool,
    /// Whether commits that are judged are kept, also when the run is interrupted.
    keeps_commits: bool,
    started: Instant,
    is_drawn: AtomicBool,
    bar: Mutex<ProgressBar>,
}

/// How long a run takes before it shows progress. A bar that only flashes by is a distraction.
const PATIENCE: Duration = Duration::from_millis(500);

impl Bar {
    pub fn of(common: &Common) -> Self {
        Self {
            is_shown: !common.quiet && !common.no_progress,
            keeps_commits: !common.no_cache,
            started: Instant::now(),
            is_drawn: AtomicBool::new(false),
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    fn with(&self, act: impl FnOnce(&mut ProgressBar)) {
        if let Ok(mut bar) = self.bar.lock() {
            act(&mut bar);
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &'static str, n_steps: usize) {
        limit::begin(stage, n_steps);
        if !self.is_shown {
            return;
        }
        let is_late = self.started.elapsed() >= PATIENCE;
        self.is_drawn.store(is_late, Ordering::Relaxed);
        let target = if is_late { target() } else { ProgressDrawTarget::hidden() };
        // The total is not always known.
        let unit = if matches!(stage, "history" | "commits") { "commits" } else { "files" };
        // Ctrl-C ends the process at once; the message says what it would lose.
        let is_kept = stage == "commits" && self.keeps_commits;
        let kept = if is_kept { " (Ctrl-C keeps them)" } else { "" };
        let template = match n_steps {
            0 => format!("{{prefix:>10}} {{spinner}} {{pos}} {unit} {{elapsed}}"),
            _ => format!("{{prefix:>10}} [{{bar:30}}] {{pos}}/{{len}} {unit} {{eta}}{kept}"),
        };
        let style = ProgressStyle::with_template(&template);
        let n_steps = (n_steps > 0).then_some(n_steps as u64);
        self.with(|bar| {
            bar.finish_and_clear();
            *bar = ProgressBar::with_draw_target(n_steps, target).with_prefix(stage);
            style.into_iter().for_each(|style| bar.set_style(style));
        });
    }

    fn step(&self) {
        limit::step();
        if !self.is_shown {
            return;
        }
        let is_due = !self.is_drawn.load(Ordering::Relaxed) && self.started.elapsed() >= PATIENCE;
        let shows_now = is_due && !self.is_drawn.swap(true, Ordering::Relaxed);
        self.with(|bar| {
            if shows_now {
                bar.set_draw_target(target());
            }
            bar.inc(1);
        });
    }

    fn end(&self) -> Option<RunLimit> {
        limit::end()
    }
}

fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::stderr_with_hz(10)
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.with(|bar| bar.finish_and_clear());
    }
}
