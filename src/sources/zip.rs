//! Reads zip archives: releases, Python's wheels, Java's jars of sources.

use std::cell::Cell;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::archive::Archive;
use super::limits::{Budget, GuardedReader};
use super::{Error, Request, Sink, SourceKind, named};
use crate::files;

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "zip",
    help: "an archive (.zip, .whl, .jar)",
    takes: |spec| is_zip(spec) && Path::new(spec).is_file(),
    read,
};

pub(super) fn is_zip(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".zip", ".whl", ".jar"].iter().any(|end| lower.ends_with(end))
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let name = super::base_name(path);
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    // `requests-2.0-py3-none-any` without what follows the version.
    let is_wheel = name.to_ascii_lowercase().ends_with(".whl");
    let end = if is_wheel { stem.match_indices('-').nth(1) } else { None };
    let stem = end.map_or(stem, |(at, _)| &stem[..at]);
    let stem = stem.strip_suffix("-sources").unwrap_or(stem);
    let file = files::open(path).map_err(|why| Error::file(path, why))?;
    let component = Arc::new(named(request.component.clone(), stem));
    let budget = &mut Budget::of_file(request.limits, path);
    let mut archive = Archive::new(name.clone(), component, Some(stem), budget, sink);
    read_zip(BufReader::new(file), &mut archive)?;
    archive.finish();
    Ok(())
}

pub(super) fn read_zip(bytes: impl Read + Seek, archive: &mut Archive<'_>) -> Result<(), Error> {
    let limits = archive.budget.limits;
    let mut zip = ZipArchive::new(bytes).map_err(|why| damaged(archive, "the directory", &why))?;
    for number in 0..zip.len() {
        let name = {
            let entry = zip
                .by_index_raw(number)
                .map_err(|why| damaged(archive, &format!("entry {number}"), &why))?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name_raw().to_vec();
            if entry.is_symlink() || entry.encrypted() {
                let is_link = entry.is_symlink();
                archive.note(&name, if is_link { "it is a link" } else { "it is encrypted" });
                continue;
            }
            archive.changed_at(entry.last_modified().and_then(seconds));
            name
        };
        let entry =
            zip.by_index(number).map_err(|why| damaged(archive, &archive.shown(&name), &why))?;
        let (size, n_packed) = (entry.size(), entry.compressed_size());
        let n_in = Rc::new(Cell::new(n_packed));
        archive.entry(&name, size, &mut GuardedReader::new(entry, n_in, limits))?;
    }
    Ok(())
}

fn damaged(archive: &Archive<'_>, entry: &str, why: &ZipError) -> Error {
    Error::damaged(&archive.name, entry, why.to_string())
}

/// A time of a zip archive in seconds since 1970: it does not say in which zone.
fn seconds(time: zip::DateTime) -> Option<i64> {
    let [month, day, hour, minute, second] =
        [time.month(), time.day(), time.hour(), time.minute(), time.second()]
            .map(|part| i8::try_from(part).unwrap_or(0));
    let year = i16::try_from(time.year()).ok()?;
    let time = jiff::civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}
