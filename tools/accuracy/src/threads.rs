//! Spreads work over threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Two, so that the machine stays usable for others.
const N_THREADS: usize = 2;

/// Does the work for each number below `n`; the results stand in the order of the numbers.
pub fn on_all_threads<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(n));
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= n {
                return;
            }
            let result = work(number);
            done.lock().expect("no thread panics while it holds the lock").push((number, result));
        }
    };
    thread::scope(|scope| (0..N_THREADS).for_each(|_| drop(scope.spawn(run))));
    let mut done = done.into_inner().expect("no thread panics while it holds the lock");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
