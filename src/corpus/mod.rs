//! Reads code that is not in a repository: plain folders.

mod walk;

pub use walk::Folder;
