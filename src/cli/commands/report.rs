//! Runs `secondhand report`.

use std::path::PathBuf;

use crate::audit::{MemberReport, Organization, ReportError, UncountedFile};
use crate::cli::args::Report;
use crate::cli::flags::Common;
use crate::cli::io::{Failure, Reports};
use crate::cli::settings;
use crate::files;
use crate::git::Repository;
use crate::report::ORGANIZATION_FORMATS;
use crate::sources::Folder;
use crate::text::printable;

const MAX_REPORT: u64 = 256 * 1024 * 1024;

pub(in crate::cli) fn run(flags: &Report, common: &Common) -> Result<(), Failure> {
    let reports = Reports::new(ORGANIZATION_FORMATS, &flags.reporting, common)?;
    let repository = Repository::discover(&common.repo).ok();
    let config = settings::read(common, repository.as_ref(), &flags.reporting.settings())?;
    let reports = reports.with(&config)?;
    let (mut documents, mut left_out) = (Vec::new(), Vec::new());
    for given in &flags.folders {
        let given = common.repo.join(given);
        let real = given.canonicalize().map_err(Failure::unreadable(&given))?;
        // A single file is in the folder above it.
        let (folder, found) = match real.is_dir() {
            true => (&*real, Folder::new(&real).json_files()?),
            false => (real.parent().unwrap_or(&real), vec![real.clone()]),
        };
        let name =
            folder.file_name().map(|name| printable(name.as_encoded_bytes())).unwrap_or_default();
        for file in found {
            let path = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy();
            let path = path.replace('\\', "/");
            let bytes = files::read(&file, MAX_REPORT).map_err(Failure::unreadable(&file))?;
            match MemberReport::parse(&bytes, &name, &path).map_err(|why| refused(&why))? {
                Some(document) => documents.push(document),
                None => {
                    let (file, why) = (format!("{name}/{path}"), "no report of ours".to_owned());
                    left_out.push(UncountedFile { file, why });
                }
            }
        }
    }
    if documents.is_empty() {
        return Err(no_reports(&flags.folders));
    }
    reports.write(&Organization::new(documents, left_out), common)
}

fn refused(why: &ReportError) -> Failure {
    let help = match why {
        ReportError::Newer { .. } => "use the version of secondhand that wrote it",
        _ => "write it again, or move it out of the folder",
    };
    Failure::user(why.to_string(), help)
}

fn no_reports(folders: &[PathBuf]) -> Failure {
    let folders: Vec<_> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
    let help = "write some there: `secondhand audit --report json=DIR/REPOSITORY/audit.json`, likewise scan, check and \
                history";
    Failure::user(format!("there is no report in {}", folders.join(", ")), help)
}
