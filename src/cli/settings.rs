//! Reads the settings in use for a command: the file, then `SECONDHAND_*` variables, then flags.

use std::env::{self, VarError};
use std::ffi::OsStr;
use std::path::Path;

use clap::ValueHint;

use crate::change::FilePlace;
use crate::cli::flags::{Common, SuppressionFlags};
use crate::cli::io::{Failure, warn};
use crate::config::{Config, Overrides, Setting, option_names, variable_of, variables};
use crate::files::Entry;
use crate::git::Repository;
use crate::language::Languages;
use crate::policy::Baseline;
use crate::text::{nearest, printable};

/// The settings in use, checked.
pub(super) fn read(
    common: &Common,
    repository: Option<&Repository>,
    flags: &[Setting],
) -> Result<Config, Failure> {
    let written = place(common).settings(repository)?;
    Ok(Overrides::new(&common.set, flags).complete(&written)?)
}

pub(super) fn place(common: &Common) -> FilePlace {
    FilePlace::of_flags(common.config.as_ref(), common.isolated)
}

/// The baseline that the flags or the settings name, and a warning where it is not there.
pub(super) fn baseline(
    flags: &SuppressionFlags,
    root: Option<&Path>,
    config: &Config,
) -> Result<Baseline, Failure> {
    let place = flags.place();
    place.missing_baseline(root, config).into_iter().for_each(warn_of_missing_baseline);
    Ok(place.baseline(root, config)?)
}

pub(super) fn warn_of_missing_baseline(name: &str) {
    let name = printable(name);
    warn(&format!(
        "`{name}`, which `baseline` names, does not exist: `secondhand baseline create` writes it"
    ));
}

/// Checks that the variables that set something can be read: those of options and flags but for
/// paths, which are bytes, and the time that stands for now.
pub(super) fn check_variables(flags: &clap::Command) -> Result<(), Failure> {
    let paths = flags.get_arguments().filter(|flag| flag.get_value_hint() == ValueHint::AnyPath);
    let paths: Vec<_> = paths.filter_map(clap::Arg::get_env).collect();
    let all = variables().into_iter().filter(|name| !paths.contains(&OsStr::new(name)));
    for name in all.chain([NOW.to_owned()]) {
        let unread = match env::var(&name) {
            Err(VarError::NotUnicode(_)) => "it is not UTF-8",
            Ok(value) if name == NOW && value.parse::<i64>().is_err() => {
                "it is no number of seconds"
            }
            _ => continue,
        };
        let message = format!("cannot use the variable {name}: {unread}");
        return Err(Failure::user(message, format!("set it to something else, or `unset {name}`")));
    }
    Ok(())
}

/// For reproducible builds, the time that stands for now, in seconds since 1970.
pub(super) const NOW: &str = "SOURCE_DATE_EPOCH";

/// Warns about each `SECONDHAND_*` variable that names neither an option nor a flag: it has no
/// effect.
pub(super) fn warn_of_variables(flags: &clap::Command) {
    let set = variables();
    if set.is_empty() {
        return;
    }
    let options: Vec<String> = option_names().iter().map(|name| variable_of(name)).collect();
    let commands = std::iter::once(flags).chain(flags.get_subcommands());
    let of_flags =
        commands.flat_map(clap::Command::get_arguments).filter_map(|flag| flag.get_env()?.to_str());
    let mut known: Vec<&str> = options.iter().map(String::as_str).chain(of_flags).collect();
    // The action sets these for its scripts.
    known.extend(["SECONDHAND_VERSION_WANTED", "SECONDHAND_CLIENTS"]);
    for name in set.iter().filter(|name| !known.contains(&name.as_str())) {
        let meant = nearest(name, &known).map(|nearest| format!("; did you mean `{nearest}`?"));
        let (name, meant) = (printable(name), meant.unwrap_or_default());
        warn(&format!(
            "the variable `{name}` has no effect: no option or flag has that name{meant}"
        ));
    }
}

/// Warns about each setting that is for files which are not among `entries`.
pub(super) fn warn_of_idle(config: &Config, languages: &Languages, entries: &[Entry]) {
    let paths: Vec<_> = entries.iter().map(|entry| &entry.path).collect();
    config.idle(&paths, languages).iter().for_each(|idle| warn(&printable(idle)));
}
