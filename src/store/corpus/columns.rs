//! Exports a corpus as Parquet files, which other tools can read, join and make, and imports such
//! files.
//!
//! ```text
//! sources.parquet               source, format, key, label, digest, stats, head
//! blocks/*.parquet              source, start, checksum, bytes
//! postings/*.parquet            hash, source, blob, component: sorted, a file for each of 4,096 prefixes of hashes
//! ```
//!
//! An import writes segments that are byte for byte those that were exported, if nothing was left
//! out of the files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::build::write_postings;
use super::open::{BLOB_ROW, CorpusSegment, SectionId};
use super::rows::PostingRow;
use super::{Corpus, CorpusError, Record, Stats, WholeSource, is_hex, name_of};
use crate::files;
use crate::store::runs::Sorter;
use crate::store::{Result, Segment, SegmentError, SegmentKind, SegmentWriter};

/// The version of the files. It increases when their columns change.
const FORMAT: i32 = 1;
/// Leading bits of a hash, of 56, that name a file of postings.
const PREFIX_BITS: u32 = 12;
/// Rows of a row group.
const GROUP: usize = 1 << 16;

const SOURCES: &str = "message sources { required int32 source; required int32 format; required binary key (UTF8);
    required binary label (UTF8); required binary digest (UTF8); required binary stats (UTF8); required binary head; }";
const BLOCKS: &str = "message blocks { required int32 source; required int64 start; required int64 checksum; required binary bytes; }";
const POSTINGS: &str = "message postings { required int64 hash; required int32 source; required int32 blob; required int32 component; }";

enum Column {
    Short(Vec<i32>),
    Long(Vec<i64>),
    Bytes(Vec<ByteArray>),
}

/// Writes a file of one table.
struct Table {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
}

/// What is wrong with a file, and which.
fn at(path: &Path) -> impl Fn(ParquetError) -> CorpusError + '_ {
    move |why| CorpusError::File { file: path.to_owned(), why: std::io::Error::other(why) }
}

impl Table {
    fn create(
        path: PathBuf,
        schema: &str,
        parameters: &[(String, String)],
    ) -> Result<Self, CorpusError> {
        let file = fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))
            .and_then(|()| File::create_new(&path))
            .map_err(CorpusError::file(&path))?;
        let schema = Arc::new(parse_message_type(schema).map_err(at(&path))?);
        let pairs =
            parameters.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("secondhand".to_owned())
            .set_key_value_metadata(Some(pairs.collect()))
            .build();
        let writer =
            SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(at(&path))?;
        Ok(Self { path, writer })
    }

    fn write(&mut self, columns: &[Column]) -> Result<(), CorpusError> {
        let path = &self.path;
        let mut group = self.writer.next_row_group().map_err(at(path))?;
        for column in columns {
            let Some(mut out) = group.next_column().map_err(at(path))? else { break };
            match column {
                Column::Short(values) => out.typed::<Int32Type>().write_batch(values, None, None),
                Column::Long(values) => out.typed::<Int64Type>().write_batch(values, None, None),
                Column::Bytes(values) => {
                    out.typed::<ByteArrayType>().write_batch(values, None, None)
                }
            }
            .map_err(at(path))?;
            out.close().map_err(at(path))?;
        }
        group.close().map(drop).map_err(at(path))
    }

    fn close(self) -> Result<(), CorpusError> {
        let path = self.path;
        self.writer.close().map(drop).map_err(at(&path))
    }
}

fn text(value: &str) -> ByteArray {
    value.as_bytes().to_vec().into()
}

impl Corpus {
    /// Writes the corpus as Parquet files to the new folder `folder`; with `is_split` one file of
    /// postings for each prefix of hashes, else one for all.
    pub fn export_parquet(&self, folder: &Path, is_split: bool) -> Result<(), CorpusError> {
        fs::create_dir(folder).map_err(CorpusError::file(folder))?;
        let sources = self.whole_sources()?;
        let (k, window) = sources.first().map_or((0, 0), |(_, _, segment, _)| segment.sampling());
        let parameters: Vec<(String, String)> = [
            ("format", FORMAT.to_string()),
            ("corpus", self.name.clone()),
            ("k", k.to_string()),
            ("window", window.to_string()),
            ("scheme", "robust winnowing".to_owned()),
            ("hash", "splitmix64 finalizer of the Karp-Rabin hash, leading 56 bits".to_owned()),
            ("reading", super::LEXING.to_string()),
        ]
        .map(|(name, value)| (format!("secondhand.{name}"), value))
        .into();

        let mut table = Table::create(folder.join("sources.parquet"), SOURCES, &parameters)?;
        let [mut keys, mut labels, mut digests, mut stats, mut heads] = [const { Vec::new() }; 5];
        for (key, record, segment, digest) in &sources {
            keys.push(text(key));
            labels.push(text(&record.label));
            digests.push(text(digest));
            stats.push(text(&serde_json::to_string(&record.stats).unwrap_or_default()));
            heads.push(segment.head().map_err(|why| self.unusable(&record.label, why))?.into());
        }
        let mut columns = vec![
            Column::Short((0..sources.len() as i32).collect()),
            Column::Short(vec![FORMAT; sources.len()]),
        ];
        columns.extend([keys, labels, digests, stats, heads].map(Column::Bytes));
        table.write(&columns)?;
        table.close()?;

        for (number, (_, record, segment, _)) in sources.iter().enumerate() {
            let path = folder.join(format!("blocks/{number:05}.parquet"));
            let mut table = Table::create(path, BLOCKS, &parameters)?;
            let rows = segment.block_rows().map_err(|why| self.unusable(&record.label, why))?;
            for rows in rows.chunks(GROUP / 64) {
                let starts = rows.iter().map(|(block, _)| block.range.start as i64);
                let checksums = rows.iter().map(|(_, bytes)| i64::from(crc32fast::hash(bytes)));
                let bytes = rows.iter().map(|(_, bytes)| bytes.to_vec().into());
                table.write(&[
                    Column::Short(vec![number as i32; rows.len()]),
                    Column::Long(starts.collect()),
                    Column::Long(checksums.collect()),
                    Column::Bytes(bytes.collect()),
                ])?;
            }
            table.close()?;
        }
        self.export_postings(folder, &sources, &parameters, if is_split { PREFIX_BITS } else { 0 })
    }

    fn export_postings(
        &self,
        folder: &Path,
        sources: &[WholeSource],
        parameters: &[(String, String)],
        prefix_bits: u32,
    ) -> Result<(), CorpusError> {
        let mut heads = Vec::new();
        for (number, (_, record, segment, _)) in sources.iter().enumerate() {
            let rows = segment
                .posting_rows(usize::MAX)
                .map_err(|why| self.unusable(&record.label, why))?;
            heads.push((number as i32, record, rows.peekable()));
        }
        for prefix in 0..1u64 << prefix_bits {
            let mut rows: Vec<(i32, PostingRow)> = Vec::new();
            for (number, record, of_source) in &mut heads {
                // An error is taken, too, to be returned.
                while let Some(row) = of_source.next_if(|row| {
                    row.as_ref().map_or(true, |row| {
                        prefix_bits == 0 || row.key >> (56 - prefix_bits) == prefix
                    })
                }) {
                    rows.push((*number, row.map_err(|why| self.unusable(&record.label, why))?));
                }
            }
            if rows.is_empty() {
                continue;
            }
            rows.sort_unstable_by_key(|(source, row)| (row.key, *source, row.blob));
            let path = folder.join(format!("postings/{prefix:03x}.parquet"));
            let mut table = Table::create(path, POSTINGS, parameters)?;
            for rows in rows.chunks(GROUP) {
                table.write(&[
                    Column::Long(rows.iter().map(|(_, row)| row.key as i64).collect()),
                    Column::Short(rows.iter().map(|(source, _)| *source).collect()),
                    Column::Short(rows.iter().map(|(_, row)| row.blob as i32).collect()),
                    Column::Short(rows.iter().map(|(_, row)| row.component as i32).collect()),
                ])?;
            }
            table.close()?;
        }
        Ok(())
    }

    /// Adds the sources of a folder of Parquet files; returns how many, and how many of them are
    /// byte for byte what was exported.
    ///
    /// Everything is checked before anything is added.
    pub fn import_parquet(&self, folder: &Path) -> Result<(usize, usize), CorpusError> {
        let _held = self.create()?;
        let mut sources = self.incoming(folder)?;
        take_blocks(folder, &mut sources)?;
        take_postings(folder, &mut sources)?;
        if sources.is_empty() {
            let why = "it has no sources.parquet with a source in it";
            return Err(CorpusError::import(folder, why));
        }
        let mut written = Vec::new();
        for source in sources.into_values() {
            let label = source.label.clone();
            let source = source.write(&self.folder);
            let source = source.map_err(|why| format!("source `{label}`: {why}"));
            written.push(source.map_err(|why| CorpusError::import(folder, why))?);
        }
        written.iter().try_for_each(|(key, _, record)| self.check_unclaimed(key, &record.label))?;
        let (n, mut n_same) = (written.len(), 0);
        for (key, digest, record) in written {
            n_same += usize::from(self.digest_of_source(&record)?.0 == digest);
            self.put(&self.claim(&key, &record.label)?, &record)?;
        }
        Ok((n, n_same))
    }

    /// The sources that the files name, by their numbers, without their blocks and postings.
    fn incoming(&self, folder: &Path) -> Result<BTreeMap<i32, NewSource>, CorpusError> {
        let mut sources: BTreeMap<i32, NewSource> = BTreeMap::new();
        each_group(folder, "sources", |group| {
            let numbers = column::<Int32Type>(group, "source")?;
            let formats = column::<Int32Type>(group, "format")?;
            let [keys, labels, digests, stats, heads] = ["key", "label", "digest", "stats", "head"]
                .map(|name| column::<ByteArrayType>(group, name));
            let (keys, labels, digests, stats, heads) = (keys?, labels?, digests?, stats?, heads?);
            for (row, (&number, format)) in numbers.iter().zip(formats).enumerate() {
                if format != FORMAT {
                    return Err(format!("its format is {format}, but only {FORMAT} is supported"));
                }
                let [key, label, digest] = [&keys, &labels, &digests]
                    .map(|of| String::from_utf8_lossy(of[row].data()).into_owned());
                let stats =
                    serde_json::from_slice(stats[row].data()).map_err(|why| why.to_string())?;
                let (head, blocks) = (heads[row].data().to_vec(), BTreeMap::new());
                let postings = Sorter::new(&self.folder);
                let incoming = NewSource { key, label, digest, stats, head, blocks, postings };
                if !is_hex(&incoming.key, 16) || sources.insert(number, incoming).is_some() {
                    return Err(format!("source {number} has a wrong key, or is there twice"));
                }
            }
            Ok(())
        })?;
        Ok(sources)
    }
}

struct NewSource {
    key: String,
    label: String,
    digest: String,
    stats: Stats,
    head: Vec<u8>,
    blocks: BTreeMap<i64, Vec<u8>>,
    postings: Sorter,
}

impl NewSource {
    /// Writes its segment and checks all of it; returns its key, the digest of what was exported,
    /// and its record.
    fn write(mut self, folder: &Path) -> Result<(String, String, Record)> {
        let form = Segment::described(&self.head)?;
        let mut out = SegmentWriter::create(folder, SegmentKind::Corpus, form.params)?;
        let blobs = form.sections.iter().find(|(id, _)| *id == SectionId::Blobs as u32);
        let n_blobs = blobs.map_or(0, |(_, range)| (range.end - range.start) / BLOB_ROW as u64);
        let mut postings = Some(std::mem::replace(&mut self.postings, Sorter::new(folder)));
        for (id, range) in form.sections {
            match id.checked_sub(SectionId::Postings as u32) {
                Some(0) => {
                    let postings = postings.take().ok_or(SegmentError::Damaged("its postings"))?;
                    write_postings(&mut out, postings, n_blobs as usize, folder)?;
                }
                Some(1 | 2) => {}
                _ => {
                    out.begin(id);
                    let mut at = range.start;
                    for (start, bytes) in self.blocks.range(range.start as i64..range.end as i64) {
                        if *start as u64 != at {
                            return Err(SegmentError::Damaged("a block is missing"));
                        }
                        at += bytes.len() as u64;
                        out.write(bytes)?;
                    }
                    if at != range.end {
                        return Err(SegmentError::Damaged("a block is missing"));
                    }
                }
            }
        }
        let path = out.finish(&self.key)?;
        CorpusSegment::check_new(&path)?;
        let record = Record::imported(self.label, name_of(&path), self.stats);
        Ok((self.key, self.digest, record))
    }
}

/// Gives each source its blocks, which are whole.
fn take_blocks(folder: &Path, sources: &mut BTreeMap<i32, NewSource>) -> Result<(), CorpusError> {
    each_group(folder, "blocks", |group| {
        let numbers = column::<Int32Type>(group, "source")?;
        let starts = column::<Int64Type>(group, "start")?;
        let checksums = column::<Int64Type>(group, "checksum")?;
        let bytes = column::<ByteArrayType>(group, "bytes")?;
        for (row, number) in numbers.iter().enumerate() {
            let source = source_of(sources, *number)?;
            let bytes = bytes[row].data();
            if i64::from(crc32fast::hash(bytes)) != checksums[row] {
                return Err(format!("block {} of source {number} is damaged", starts[row]));
            }
            source.blocks.insert(starts[row], bytes.to_vec());
        }
        Ok(())
    })
}

fn take_postings(folder: &Path, sources: &mut BTreeMap<i32, NewSource>) -> Result<(), CorpusError> {
    each_group(folder, "postings", |group| {
        let hashes = column::<Int64Type>(group, "hash")?;
        let numbers = column::<Int32Type>(group, "source")?;
        let blobs = column::<Int32Type>(group, "blob")?;
        for (row, number) in numbers.iter().enumerate() {
            let source = source_of(sources, *number)?;
            let key = u64::try_from(hashes[row]).ok().filter(|key| *key >> 56 == 0);
            let key = key.ok_or_else(|| format!("{} is no hash", hashes[row]))?;
            source.postings.push((key, blobs[row] as u32)).map_err(|why| why.to_string())?;
        }
        Ok(())
    })
}

fn source_of(
    sources: &mut BTreeMap<i32, NewSource>,
    number: i32,
) -> Result<&mut NewSource, String> {
    sources.get_mut(&number).ok_or_else(|| format!("there is no source {number}"))
}

/// The Parquet files of a table, sorted: `NAME.parquet`, or those below the folder `NAME` or
/// `NAME.parquet`.
fn files(folder: &Path, name: &str) -> Result<Vec<PathBuf>, CorpusError> {
    let mut found = Vec::new();
    let mut left = vec![folder.join(format!("{name}.parquet")), folder.join(name)];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(CorpusError::file(&path))? {
                left.push(entry.map_err(CorpusError::file(&path))?.path());
            }
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "parquet")
        {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A column of a row group by its name, without any missing value. Other tools make every column
/// optional.
fn column<T: DataType>(group: &dyn RowGroupReader, name: &str) -> Result<Vec<T::T>, String> {
    let metadata = group.metadata();
    let at = (0..metadata.num_columns())
        .find(|at| metadata.column(*at).column_path().string() == name)
        .ok_or_else(|| format!("it has no column `{name}`"))?;
    let column = metadata.column(at);
    if column.column_type() != T::get_physical_type() || column.column_descr().max_rep_level() > 0 {
        return Err(format!("the column `{name}` has another type"));
    }
    let reader = group.get_column_reader(at).map_err(|why| why.to_string())?;
    let mut reader: ColumnReaderImpl<T> =
        ::parquet::column::reader::get_typed_column_reader(reader);
    let n = usize::try_from(metadata.num_rows()).map_err(|why| why.to_string())?;
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    while values.len() < n {
        let (n_records, ..) = reader
            .read_records(n - values.len(), Some(&mut levels), None, &mut values)
            .map_err(|why| why.to_string())?;
        if n_records == 0 {
            break;
        }
    }
    if values.len() == n { Ok(values) } else { Err(format!("the column `{name}` lacks values")) }
}

/// Calls `take` with each row group of the files of a table.
fn each_group(
    folder: &Path,
    name: &str,
    mut take: impl FnMut(&dyn RowGroupReader) -> Result<(), String>,
) -> Result<(), CorpusError> {
    files(folder, name)?.iter().try_for_each(|path| {
        take_groups(path, &mut take).map_err(|why| CorpusError::import(path, why))
    })
}

fn take_groups(
    path: &Path,
    mut take: impl FnMut(&dyn RowGroupReader) -> Result<(), String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let reader = SerializedFileReader::new(files::open(path)?)?;
    for number in 0..reader.num_row_groups() {
        take(&*reader.get_row_group(number)?)?;
    }
    Ok(())
}
