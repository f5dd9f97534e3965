//! Runs an audit for a server: it can be canceled, reports progress, and cannot take it down.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::audit::Progress;
use crate::cli::io::Failure;

/// Minimum time between two reports of progress.
const PACE: Duration = Duration::from_millis(200);

pub(super) struct Job<'j> {
    is_canceled: &'j (dyn Fn() -> bool + Sync),
    report: &'j (dyn Fn(&'static str, usize, usize) + Sync),
    stage: Mutex<(&'static str, usize)>,
    n_done: AtomicUsize,
    reported: Mutex<Instant>,
}

/// Why a job has no answer.
pub(super) enum JobFailure {
    Canceled,
    Failed(Failure),
    /// A bug in this program.
    Broken(String),
}

/// What unwinds a job that was canceled.
struct Cancel;

impl<'j> Job<'j> {
    /// A job that ends once `is_canceled`, and reports its stage, the steps done and their number.
    pub fn new(
        is_canceled: &'j (dyn Fn() -> bool + Sync),
        report: &'j (dyn Fn(&'static str, usize, usize) + Sync),
    ) -> Self {
        let (stage, reported) = (Mutex::new(("", 0)), Mutex::new(Instant::now()));
        Self { is_canceled, report, stage, n_done: AtomicUsize::new(0), reported }
    }

    /// Runs `work` with itself as the receiver of progress.
    ///
    /// A canceled audit is left by unwinding, as in rust-analyzer: the audits themselves need not
    /// know that they can end early, and what they hold is dropped. They change nothing but the
    /// cache, which is written last.
    pub fn run<T>(
        &self,
        work: impl FnOnce(&dyn Progress) -> Result<T, Failure>,
    ) -> Result<T, JobFailure> {
        if (self.is_canceled)() {
            return Err(JobFailure::Canceled);
        }
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(done) => done.map_err(JobFailure::Failed),
            Err(payload) if payload.is::<Cancel>() || (self.is_canceled)() => {
                Err(JobFailure::Canceled)
            }
            Err(payload) => Err(JobFailure::Broken(message_of(payload.as_ref()))),
        }
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

impl Progress for Job<'_> {
    fn begin(&self, stage: &'static str, n_steps: usize) {
        self.n_done.store(0, Ordering::Relaxed);
        if let Ok(mut of) = self.stage.lock() {
            *of = (stage, n_steps);
        }
        if (self.is_canceled)() {
            resume_unwind(Box::new(Cancel));
        }
    }

    fn step(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if (self.is_canceled)() {
            resume_unwind(Box::new(Cancel));
        }
        // If it is locked, another thread is reporting just now.
        let Ok(mut reported) = self.reported.try_lock() else { return };
        if reported.elapsed() >= PACE {
            *reported = Instant::now();
            let (stage, n_steps) = self.stage.lock().map_or(("", 0), |of| *of);
            (self.report)(stage, n_done, n_steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_defect_is_an_answer_and_a_canceled_job_is_none() {
        let nothing = |_: &'static str, _: usize, _: usize| {};
        let never = || false;
        let broken = Job::new(&never, &nothing).run::<()>(|_| panic!("out of luck"));
        assert!(matches!(broken, Err(JobFailure::Broken(why)) if why == "out of luck"));
        let at_once = AtomicBool::new(false);
        let is_canceled = || at_once.load(Ordering::Relaxed);
        let canceled = Job::new(&is_canceled, &nothing).run::<()>(|progress| {
            at_once.store(true, Ordering::Relaxed);
            rayon::join(|| progress.step(), || progress.step());
            Ok(())
        });
        assert!(matches!(canceled, Err(JobFailure::Canceled)));
    }
}
