//! Exports the golden corpus as Parquet files, and imports what was exported, also by way of Spark.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::golden::Golden;
use crate::wire::python_with;
use crate::{CHANGES, GOLDEN};

fn text(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
}

fn folder() -> TempDir {
    TempDir::new().expect("the folder for temporary files is writable")
}

#[test]
fn what_is_imported_from_parquet_is_byte_for_byte_what_was_exported() {
    let folder = folder();
    let files = text(&folder, "files");
    GOLDEN.corpus(&["export", "golden", "--format", "parquet", "--output", &files]);
    let other = Golden::empty();
    let imported = other.corpus(&["import", "golden", &files]);
    assert_eq!(imported, "2 sources, of which 2 are byte for byte as they were exported\n");
    CHANGES.are_judged_alike_in(&GOLDEN, &other, "golden", &[]);
    let n_files = fs::read_dir(folder.path().join("files/postings")).expect("it is there").count();
    assert!((1_000..=4_096).contains(&n_files), "{n_files} files of postings");
}

#[test]
fn parquet_files_that_are_not_whole_change_nothing() {
    let folder = folder();
    let files = text(&folder, "files");
    GOLDEN.corpus(&["export", "golden", "--format", "parquet", "--output", &files]);
    let fails = |why: &str| {
        let (status, _, errors) = GOLDEN.run(&["import", "broken", &files]);
        assert!(status == 2 && errors.contains(why), "{errors}");
        assert!(!Path::new(&GOLDEN.path("corpora/broken")).exists());
    };
    let blocks = folder.path().join("files/blocks/00000.parquet");
    let whole = fs::read(&blocks).expect("it was exported");
    fs::write(&blocks, &whole[..whole.len() / 2]).expect("the folder is writable");
    fails("00000.parquet");
    fs::remove_file(&blocks).expect("it is there");
    fails("a block is missing");
    fs::remove_file(folder.path().join("files/sources.parquet")).expect("it is there");
    fails("there is no source");
}

/// In four processes of workers on this machine.
#[test]
fn what_spark_builds_of_many_fingerprint_files_judges_as_segments_do() {
    let Some(python) = python_with("pyspark") else {
        eprintln!("not tested: there is no pyspark here");
        return;
    };
    let folder = folder();
    for source in ["sources/corpus.toml", "past"] {
        let files = text(&folder, &format!("fingerprints-{}", source.len()));
        GOLDEN.corpus(&["fingerprint", &GOLDEN.path(source), "--output", &files]);
    }
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("spark/build_corpus.py");
    let built = text(&folder, "built");
    let ran = Command::new(&python)
        .arg(job)
        .args(["--master", "local-cluster[2,1,1024]", "--output", &built])
        .args(["fingerprints-19", "fingerprints-4"].map(|name| text(&folder, name)))
        .env("PYSPARK_PYTHON", &python)
        .output()
        .expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let other = Golden::empty();
    let imported = other.corpus(&["import", "golden", &built]);
    assert!(imported.starts_with("2 sources, of which 2 are byte for byte"), "{imported}");
    CHANGES.are_judged_alike_in(&GOLDEN, &other, "golden", &[]);
}
