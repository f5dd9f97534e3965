//! Exports the golden corpus as Parquet files, and imports what was exported, also by way of Spark.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;

use crate::golden::{Golden, function};
use crate::wire::python_with;
use crate::{CHANGES, GOLDEN};
use support::Repository;

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

#[test]
fn parquet_files_of_another_version_change_nothing() {
    let folder = folder();
    let files = text(&folder, "files");
    GOLDEN.corpus(&["export", "golden", "--format", "parquet", "--output", &files]);
    let sources = folder.path().join("files/sources.parquet");
    let schema = SerializedFileReader::new(fs::File::open(&sources).expect("it was exported"))
        .expect("it is whole");
    let schema = schema.metadata().file_metadata().schema_descr().root_schema_ptr();
    // One source, of format 9.
    let out = fs::File::create(&sources).expect("the folder is writable");
    let mut out = SerializedFileWriter::new(out, schema, WriterProperties::new().into())
        .expect("it is writable");
    let mut group = out.next_row_group().expect("it is writable");
    let mut number = 0;
    while let Some(mut column) = group.next_column().expect("it is writable") {
        use parquet::data_type::{ByteArrayType, Int32Type};
        match number {
            0 | 1 => drop(
                column
                    .typed::<Int32Type>()
                    .write_batch(&[number * 9], None, None)
                    .expect("it is writable"),
            ),
            _ => drop(
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&["x".into()], None, None)
                    .expect("it is writable"),
            ),
        }
        column.close().expect("it is writable");
        number += 1;
    }
    group.close().expect("it is writable");
    out.close().expect("it is writable");
    let (status, _, errors) = GOLDEN.run(&["import", "other", &files]);
    assert!(status == 2 && errors.contains("its format is 9, but only 1 is supported"), "{errors}");
    assert!(!Path::new(&GOLDEN.path("corpora/other")).exists());
}

/// Runs a job on a cluster of two worker processes on this machine; returns status and output.
fn spark(python: &str, job: &str, args: &[&str]) -> (i32, String) {
    let ran = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("spark").join(job))
        .args(["--master", "local-cluster[2,1,1024]"])
        .args(args)
        .env("PYSPARK_PYTHON", python)
        .env_remove("SECONDHAND_TEST_PYTHON")
        .output()
        .expect("it starts");
    let text =
        [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (ran.status.code().expect("no signal ended it"), text)
}

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
    let built = text(&folder, "built");
    let [list, past] = ["fingerprints-19", "fingerprints-4"].map(|name| text(&folder, name));
    let (status, said) = spark(&python, "build_corpus.py", &["--output", &built, &list, &past]);
    assert_eq!(status, 0, "{said}");
    let other = Golden::empty();
    let imported = other.corpus(&["import", "golden", &built]);
    assert!(imported.starts_with("2 sources, of which 2 are byte for byte"), "{imported}");
    CHANGES.are_judged_alike_in(&GOLDEN, &other, "golden", &[]);
}

#[test]
fn spark_audits_the_repositories_that_share_code_and_says_which_it_could_not() {
    let Some(python) = python_with("pyspark") else { return };
    let folder = folder();
    let corpus = text(&folder, "corpus");
    GOLDEN.corpus(&["export", "golden", "--format", "parquet", "--output", &corpus]);
    let repository = |path: &str, code: &str| {
        let repository = Repository::new();
        repository.write(path, code);
        repository.commit("begin");
        repository
    };
    // Code of another language family shares no fingerprint.
    let own = "def total(rows, least):\n    seen = set()\n    for row in rows:\n        if row.key in seen or row.n < least:\n\
               \u{20}           continue\n        seen.add(row.key)\n    return sum(len(key) for key in sorted(seen))\n";
    let (copying, own) = (repository("src/code.c", &function(0)), repository("src/own.py", own));
    let path =
        |of: &Repository| of.root().to_str().expect("temporary folders are UTF-8").to_owned();
    let (copying, own, gone) = (path(&copying), path(&own), text(&folder, "gone"));
    for (source, name) in [(&copying, "copying"), (&own, "own")] {
        GOLDEN.corpus(&["fingerprint", source, "--output", &text(&folder, name)]);
    }
    // The one that is gone had the same code.
    let lines = [(&copying, "copying"), (&own, "own"), (&gone, "copying")]
        .map(|(source, name)| format!("{source}\t{}\n", text(&folder, name)));
    fs::write(folder.path().join("list"), lines.concat()).expect("the folder is writable");
    let (output, shelf) = (text(&folder, "audited"), GOLDEN.path("corpora"));
    let program = env!("CARGO_BIN_EXE_secondhand");
    let args = [
        "--corpus-files", &corpus, "--corpus", "golden", "--corpus-dir", &shelf, "--secondhand",
        program,
    ];
    let (list, more) = (text(&folder, "list"), ["--output", &output]);
    let (status, said) =
        spark(&python, "audit_repositories.py", &[&args[..], &more, &[&list]].concat());
    assert_eq!(status, 2, "an audit that could not be done is never a clean one: {said}");
    assert!(said.contains(&format!("error: {gone}: ")), "{said}");

    let row = |path: &str| {
        let files =
            fs::read_dir(&output).expect("it was written").flatten().map(|file| file.path());
        let mut rows = Vec::new();
        for file in files.filter(|file| file.extension().is_some_and(|of| of == "parquet")) {
            let reader = SerializedFileReader::new(fs::File::open(file).expect("it was written"))
                .expect("it is whole");
            let all = reader.get_row_iter(None).expect("it is whole");
            rows.extend(all.map(|row| row.expect("it is whole").to_string()));
        }
        rows.retain(|row| row.contains(&format!("path: \"{path}\"")));
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0)
    };
    let (copying, own, gone) = (row(&copying), row(&own), row(&gone));
    assert!(copying.contains("status: 1,") && copying.contains("src/code.c"), "{copying}");
    assert!(copying.contains("shared: "), "it names the blobs that share most: {copying}");
    assert!(
        own.contains("status: null,") && own.contains("shares fewer than 1 fingerprints"),
        "{own}"
    );
    assert!(gone.contains("status: 2,") && gone.contains("report: \"\""), "{gone}");
}
