//! What the test programs and the measuring tools share: repositories to run the program over, and
//! seeded numbers.

mod random;
mod repository;

pub use random::Random;
pub use repository::{Report, Repository, git, git_command, program, secondhand};
