//! Starts the program; all of it is in the library.

use std::process::ExitCode;

/// Threads wait for each other in musl's allocator, and most of what this program does allocates.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    secondhand::cli::main()
}
