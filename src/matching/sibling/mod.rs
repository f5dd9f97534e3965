//! Compares the place of an edit with the same place in a sibling: code that was alike before the edit.
//!
//! ```text
//!             left           removed    right
//! base        if ( f ( a )   == EOF     ) goto err ;        head: the edit leaves out `== EOF`
//! sibling     if ( f ( b )   == EOF     ) goto err ;        has what was removed, between the same neighbors
//! ```
//!
//! The edit is looked up as it was before the change, since its own file has already changed. A pure insertion has
//! nothing that was removed: its neighbors must be next to each other in the sibling.

// Finds the edits of a change.
mod edit;

// Tells which name is which in a sibling.
mod renaming;

// Aligns what is around an edit with a sibling.
mod around;

// Compares the place of an edit with that of a sibling.
mod spot;

// Decides whether a sibling missed an edit.
mod likeness;

pub use around::{aligned_around, aligned_near, aligned_units, continued};
pub use edit::{Edit, Scopes, edits};
pub use likeness::{Likeness, Purpose, is_missed, may_be_missed};
pub use renaming::Renaming;
pub use spot::{Spot, has_already, spot};
