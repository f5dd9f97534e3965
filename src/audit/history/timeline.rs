//! Says what each commit of a range copied, and how that is kept between runs.

use serde::{Deserialize, Serialize};

use crate::git::{CommitId, CommitInfo};
use crate::matching::CloneType;
use crate::policy::{Fragment, Level, Writing};
use crate::text::{FilePath, Position};

/// The commits of a range, and what each copied.
#[derive(Debug, Clone)]
pub struct Timeline {
    /// What was asked for, as the user calls it.
    pub range: String,
    /// The commits, the oldest first.
    pub commits: Vec<Judged>,
    /// Commits of the range that were left out, as their authors were not asked for.
    pub n_left_out: usize,
    /// What could not be judged, in words.
    pub unavailable: Option<String>,
}

/// A commit, and the copies it brought in.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The commit.
    pub commit: CommitId,
    /// What it says of itself.
    pub info: CommitInfo,
    /// Tokens that it added, not counting moved code.
    pub n_novel: usize,
    /// The copies, sorted by path and place.
    pub copies: Vec<Copy>,
}

impl Judged {
    /// Copied tokens that it added.
    pub fn n_copied(&self) -> usize {
        self.copies.iter().map(|copy| copy.n_novel).sum()
    }
}

/// A copy that a commit brought in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Copy {
    /// The id of the rule it falls under.
    pub rule: String,
    /// How grave it is.
    pub level: Level,
    /// The file with the copy.
    #[serde(with = "path")]
    pub path: FilePath,
    /// The whole copy.
    #[serde(with = "stretch")]
    pub fragment: Fragment,
    /// The tokens of the copy.
    pub n_tokens: usize,
    /// Those of them that the commit brought in.
    pub n_novel: usize,
    /// As of a finding.
    pub identity: String,
    /// The origins, the best first.
    pub origins: Vec<CopyOrigin>,
}

/// Where copied code stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyOrigin {
    /// The file, in the tree of the commit.
    #[serde(with = "path")]
    pub path: FilePath,
    /// The fragment in it.
    #[serde(with = "stretch")]
    pub fragment: Fragment,
    /// How the copy differs from it.
    #[serde(with = "kind")]
    pub clone_type: CloneType,
    /// How alike they are, 0 to 1.
    pub similarity: f64,
    /// When and by whom it was written, where that is known; of the best origin only.
    #[serde(with = "writing")]
    pub written: Option<Writing>,
}

/// A commit as it is kept between runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub commit: String,
    pub n_novel: usize,
    pub copies: Vec<Copy>,
    /// Whether it was asked who had written the origins.
    pub is_traced: bool,
}

/// How paths are kept: text where they are UTF-8, else bytes.
mod path {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::text::FilePath;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Kept {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(path: &FilePath, to: S) -> Result<S::Ok, S::Error> {
        let bytes = path.as_bytes().to_vec();
        String::from_utf8(bytes).map_or_else(|error| Kept::Bytes(error.into_bytes()), Kept::Text).serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<FilePath, D::Error> {
        Ok(match Kept::deserialize(from)? {
            Kept::Text(text) => FilePath::new(text),
            Kept::Bytes(bytes) => FilePath::new(bytes),
        })
    }
}

/// How writings are kept: commit, author, time and path.
mod writing {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{FilePath, Writing, path};

    #[derive(Serialize, Deserialize)]
    struct Kept {
        commit: String,
        author: String,
        time: i64,
        #[serde(with = "path")]
        path: FilePath,
    }

    pub fn serialize<S: Serializer>(of: &Option<Writing>, to: S) -> Result<S::Ok, S::Error> {
        let kept = |Writing { commit, author, time, path }: Writing| Kept { commit, author, time, path };
        of.clone().map(kept).serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Writing>, D::Error> {
        let writing = |Kept { commit, author, time, path }: Kept| Writing { commit, author, time, path };
        Ok(Option::<Kept>::deserialize(from)?.map(writing))
    }
}

/// How fragments are kept: lines and columns of both ends.
mod stretch {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Fragment, Position};

    pub fn serialize<S: Serializer>(of: &Fragment, to: S) -> Result<S::Ok, S::Error> {
        [of.start.line, of.start.column, of.end.line, of.end.column].serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Fragment, D::Error> {
        let [line, column, end_line, end_column] = <[u32; 4]>::deserialize(from)?;
        let end = Position { line: end_line.max(line), column: end_column };
        Ok(Fragment { start: Position { line, column }, end })
    }
}

/// How clone types are kept: their number, and whether names are renamed consistently.
mod kind {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::CloneType;

    pub fn serialize<S: Serializer>(of: &CloneType, to: S) -> Result<S::Ok, S::Error> {
        match of {
            CloneType::Type1 => 1u8,
            CloneType::Type2 { is_consistent: true } => 2,
            CloneType::Type2 { is_consistent: false } => 4,
            CloneType::Type3 => 3,
        }
        .serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<CloneType, D::Error> {
        Ok(match u8::deserialize(from)? {
            1 => CloneType::Type1,
            2 => CloneType::Type2 { is_consistent: true },
            4 => CloneType::Type2 { is_consistent: false },
            _ => CloneType::Type3,
        })
    }
}
