//! Shows progress on standard error, when that is a terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::audit::Progress;

/// A progress bar on standard error; draws nothing if that is not a terminal.
pub(super) struct Bar {
    is_shown: bool,
    bar: Mutex<ProgressBar>,
}

impl Bar {
    pub fn new(is_shown: bool) -> Self {
        Self { is_shown, bar: Mutex::new(ProgressBar::hidden()) }
    }

    fn with(&self, act: impl FnOnce(&mut ProgressBar)) {
        if let Ok(mut bar) = self.bar.lock() {
            act(&mut bar);
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &'static str, n_steps: usize) {
        if !self.is_shown {
            return;
        }
        let target = ProgressDrawTarget::stderr_with_hz(10);
        // The total is not always known.
        let unit = if matches!(stage, "history" | "commits") { "commits" } else { "files" };
        let template = if n_steps == 0 {
            format!("{{prefix:>10}} {{spinner}} {{pos}} {unit} {{elapsed}}")
        } else {
            format!("{{prefix:>10}} [{{bar:30}}] {{pos}}/{{len}} {unit} {{eta}}")
        };
        let style = ProgressStyle::with_template(&template);
        self.with(|bar| {
            bar.finish_and_clear();
            *bar = ProgressBar::with_draw_target((n_steps > 0).then_some(n_steps as u64), target).with_prefix(stage);
            if let Ok(style) = style {
                bar.set_style(style);
            }
        });
    }

    fn step(&self) {
        if self.is_shown {
            self.with(|bar| bar.inc(1));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.with(|bar| bar.finish_and_clear());
    }
}
