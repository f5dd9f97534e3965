//! Judges open documents on a thread of its own: the newest task only, and one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::{path::PathBuf, thread};

use crate::audit::{Outcome, Progress};
use crate::change::{ChangeEnd, CheckRequest};
use crate::cli::commands::check;
use crate::cli::flags::Common;
use crate::cli::io::{Failure, output};
use crate::cli::servers::defect;
use crate::cli::servers::job::{Job, JobFailure};
use crate::git::{OpenBuffers, Repository};

pub(super) struct Task {
    pub root: PathBuf,
    /// The open documents, by path.
    pub edited: OpenBuffers,
    /// Their addresses and versions.
    pub versions: Vec<(String, Option<i64>)>,
    /// What to compare with instead of `HEAD`.
    pub base: Option<String>,
}

pub(super) struct CheckAnswer {
    pub number: usize,
    pub versions: Vec<(String, Option<i64>)>,
    pub found: Result<Arc<Outcome>, String>,
}

pub(super) struct Judge {
    tasks: Sender<(usize, Task)>,
    /// The number of the newest task. Work for older ones is abandoned.
    pub number: Arc<AtomicUsize>,
}

impl Judge {
    /// Starts it; what is found goes to `tell`.
    pub fn start(common: &Common, tell: impl Fn(CheckAnswer) + Send + 'static) -> Self {
        let (tasks, asked) = channel::<(usize, Task)>();
        let number = Arc::new(AtomicUsize::new(0));
        let newest = Arc::clone(&number);
        let common = common.silent();
        thread::spawn(move || {
            for (number, task) in asked {
                let is_canceled = || newest.load(Ordering::Relaxed) != number;
                let judged = Job::new(&is_canceled, &|_, _, _| {})
                    .run(|progress| judge(&task, &common, progress));
                let found = match judged {
                    Ok(outcome) => Ok(Arc::new(outcome)),
                    Err(JobFailure::Canceled) => continue,
                    Err(JobFailure::Failed(why)) => Err(output::lines_of(&why.to_string())),
                    Err(JobFailure::Broken(why)) => Err(defect(&why)),
                };
                if let Err(why) = &found {
                    output::warn(why);
                }
                tell(CheckAnswer { number, versions: task.versions, found });
            }
        });
        Self { tasks, number }
    }

    pub fn cancel(&self) {
        self.number.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts a task, and abandons all before it.
    pub fn ask(&self, task: Task) {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        // Without the thread there is no result, and none is needed.
        let _ = self.tasks.send((number, task));
    }
}

fn judge(task: &Task, common: &Common, progress: &dyn Progress) -> Result<Outcome, Failure> {
    let repository = Repository::discover(&task.root)?.with_edited(Arc::clone(&task.edited));
    let request = CheckRequest {
        within: task.edited.keys().cloned().collect(),
        ..check::plain_request(ChangeEnd::WorkTree, task.base.clone(), Vec::new(), common)
    };
    check::requested(&request, &repository, common, progress)
}
