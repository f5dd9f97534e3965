//! Runs the commands that only print: `explain`, `languages`, `config`, `completions`, `man`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use clap::CommandFactory;

use super::init::explained;
use super::named;
use super::scan::tree;
use crate::cli::args::Cli;
use crate::cli::flags::{Common, ReportFlags};
use crate::cli::io::{Checkout, Failure, Reports, print_text};
use crate::cli::settings::{self, place};
use crate::config::{ConfigError, ConfigOption, Leaf, Overrides, SettingsFile, options, schema};
use crate::files::{self, Content, Entry};
use crate::git::{Attributes, FileAttributes, Repository};
use crate::language::{EmbeddedPart, Kind, Language, Languages, is_generated};
use crate::policy::{Finding, RULES, rule};
use crate::report::FORMATS;
use crate::sources::slashes;
use crate::text::{FilePath, Lines, printable, readable};

/// Maximum bytes of a file to show the language or the tokens of.
const MAX_FILE: u64 = 256 << 20;

pub(in crate::cli) fn explain(subject: Option<&str>, common: &Common) -> Result<(), Failure> {
    let Some(subject) = subject else {
        let mut rows = String::new();
        for rule in RULES {
            let _ = writeln!(rows, "{:<20} {:<8} {}", rule.id, rule.level.name(), rule.summary);
        }
        return print_text(&rows);
    };
    if let Some(rule) = rule(subject) {
        let (level, explanation) = (rule.level.name(), rule.explanation());
        return print_text(&format!("# {} ({level})\n\n{explanation}", rule.id));
    }
    if !subject.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let known: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        return Err(Failure::unknown("rule", subject, &known));
    }
    let common = Common { brief: true, full: true, ..common.clone() };
    let reports = Reports::new(FORMATS, &ReportFlags::default(), &common)?;
    for outcome in named::find(&[subject.to_owned()], &common)? {
        reports.write(&outcome, &common)?;
        print_text(&outcome.findings.iter().map(judgment).collect::<String>())?;
    }
    Ok(())
}

fn judgment(finding: &Finding) -> String {
    let reasons: String = finding.reasons().iter().map(|reason| format!("- {reason}\n")).collect();
    let (id, level, why) = (finding.id(), finding.level.name(), finding.rule.why.trim());
    format!("\n[{id}] is a {level}:\n{reasons}\n{why}\n")
}

pub(in crate::cli) fn languages(
    name: Option<&str>,
    file: Option<&Path>,
    tokens: Option<&Path>,
    common: &Common,
) -> Result<(), Failure> {
    let repository = Repository::discover(&common.repo).ok();
    let written = place(common).settings(repository.as_ref())?;
    let config = Overrides::new(&common.set, &[]).complete(&written)?;
    let languages = config.languages();
    for id in config.language.keys() {
        if let Some(unmet) = languages.unmet_examples(id).into_iter().next() {
            let key = format!("language.{id}.examples");
            let why = unmet.to_string();
            return Err(ConfigError::Value { file: written.origin, key, why, nearest: None }.into());
        }
    }
    // What is asked for may be a file.
    let file = file.or_else(|| name.map(Path::new).filter(|name| name.is_file()));
    print_text(&match (file, tokens) {
        (Some(path), _) => language_of(&ShownFile::read(path, repository.as_ref())?, &languages),
        (None, Some(path)) => tokens_of(&ShownFile::read(path, repository.as_ref())?, &languages),
        (None, None) => list_languages(name, &languages)?,
    })
}

/// A line for each language: those that are called as `asked`, or else that have it in a name.
fn list_languages(asked: Option<&str>, languages: &Languages) -> Result<String, Failure> {
    let ids = languages.ids();
    let asked = asked.map(str::to_lowercase);
    let (mut all, mut with_part, mut of_name) = (String::new(), String::new(), String::new());
    for id in &ids {
        let Some(table) = languages.table(id) else { continue };
        let names = table.extensions.iter().map(|extension| format!(".{extension}"));
        let names: Vec<_> = names.chain(table.file_names.iter().cloned()).collect();
        let [shown_id, name, shown_names] = [*id, &*table.name, &*names.join(" ")].map(printable);
        let row = format!("{shown_id:<20} {name:<24} {shown_names}\n");
        let Some(asked) = &asked else {
            all += &row;
            continue;
        };
        let known = names.iter().chain(&table.aliases).chain([&table.name]).map(String::as_str);
        let known: Vec<String> = known.chain([*id]).map(str::to_lowercase).collect();
        if known.iter().any(|of| of.trim_start_matches('.') == asked.trim_start_matches('.')) {
            of_name += &row;
        }
        if known.iter().any(|of| of.contains(asked)) {
            with_part += &row;
        }
    }
    match asked {
        None => Ok(all),
        Some(_) if !of_name.is_empty() => Ok(of_name),
        Some(_) if !with_part.is_empty() => Ok(with_part),
        Some(asked) => Err(Failure::unknown("language", &asked, &ids)),
    }
}

struct ShownFile {
    path: FilePath,
    text: Vec<u8>,
    attributes: FileAttributes,
}

impl ShownFile {
    fn read(path: &Path, repository: Option<&Repository>) -> Result<Self, Failure> {
        let bytes = files::read(path, MAX_FILE).map_err(Failure::unreadable(path))?;
        let attributes = match repository.filter(|repository| repository.has_work_tree()) {
            Some(repository) => attributes_of(path, repository)?,
            None => FileAttributes::default(),
        };
        let path = FilePath::new(path.as_os_str().as_encoded_bytes());
        Ok(Self { path, text: readable(bytes), attributes })
    }

    /// Its language, and how it was detected.
    fn language<'l>(&self, languages: &'l Languages) -> Option<(&'l Language, String)> {
        let named = languages.attributed(&self.path, self.attributes.language.as_deref());
        if let Some(language) = named {
            return Some((language, "linguist-language in .gitattributes".to_owned()));
        }
        let (language, reason) = languages.identify_why(&self.path, &self.text)?;
        Some((language, reason.to_string()))
    }

    fn unknown(&self) -> String {
        format!("{}: no language has this name or first line\n", self.path)
    }
}

/// The `.gitattributes` of the work tree for the file at `path`.
fn attributes_of(path: &Path, repository: &Repository) -> Result<FileAttributes, Failure> {
    let (Ok(root), Ok(path)) = (repository.root().canonicalize(), path.canonicalize()) else {
        return Ok(FileAttributes::default());
    };
    let Ok(path) = path.strip_prefix(&root) else { return Ok(FileAttributes::default()) };
    let files = path.ancestors().skip(1).map(|folder| folder.join(".gitattributes"));
    let files = files.filter(|file| root.join(file).is_file());
    let entries: Vec<_> =
        files.map(|file| Entry { path: slashes(&file), content: Content::Disk }).collect();
    Ok(Attributes::read(&entries, &repository.reader())?.of(&slashes(path)))
}

fn language_of(file: &ShownFile, languages: &Languages) -> String {
    let Some((language, why)) = file.language(languages) else { return file.unknown() };
    let [name, id, family] = [&language.name, &language.id, &language.family].map(printable);
    let mut shown = format!("{}: {name} (table `{id}`, family `{family}`), by {why}\n", file.path);
    let FileAttributes { generated, vendored, documentation, .. } = file.attributes;
    let marks =
        [("generated", generated), ("vendored", vendored), ("documentation", documentation)];
    for (mark, is_set) in marks.iter().filter_map(|(mark, is_set)| Some((mark, (*is_set)?))) {
        let not = if is_set { "" } else { "not " };
        let _ = writeln!(shown, "  {not}{mark}, says .gitattributes");
    }
    if generated.is_none() && is_generated(&file.text) {
        shown.push_str("  generated, according to the file\n");
    }
    let lines = Lines::new(&file.text);
    for EmbeddedPart { range, language, cell } in
        languages.tokenize(language, &file.text, true, &mut Vec::new())
    {
        let (first, last) =
            (lines.line_of(range.start as u32), lines.line_of(range.end.saturating_sub(1) as u32));
        let cell = cell.map_or_else(String::new, |cell| format!("cell {cell}, "));
        let Language { name, id, .. } = language;
        let _ = writeln!(shown, "  {cell}lines {first}-{last}: {name} (table `{id}`)");
    }
    shown
}

fn tokens_of(file: &ShownFile, languages: &Languages) -> String {
    let Some((language, _)) = file.language(languages) else { return file.unknown() };
    let (text, mut tokens) = (&file.text, Vec::new());
    languages.tokenize(language, text, true, &mut tokens);
    let lines = Lines::new(text);
    let places = lines.positions(text, tokens.iter().map(|token| token.start));
    let mut shown = String::new();
    for (token, at) in tokens.iter().zip(places) {
        let kind = match token.kind() {
            Kind::Identifier => "identifier",
            Kind::Keyword => "keyword",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Punctuation => "punctuation",
        };
        let _ =
            writeln!(shown, "{}:{}\t{kind}\t{}", at.line, at.column, printable(token.text(text)));
    }
    shown
}

pub(in crate::cli) fn config(list: bool, is_schema: bool, common: &Common) -> Result<(), Failure> {
    if is_schema {
        let schema = serde_json::to_string_pretty(&schema()).unwrap_or_default();
        return print_text(&format!("{schema}\n"));
    }
    if list {
        return print_text(&listed(options()));
    }
    let repository = Repository::discover(&common.repo).ok();
    let written = place(common).settings(repository.as_ref())?;
    let overrides = Overrides::new(&common.set, &[]);
    let config = overrides.complete(&written)?;
    let mut rows = String::new();
    for (Leaf { key, value, .. }, source) in overrides.values(&written)? {
        let source = source.map(|source| format!("  # {source}")).unwrap_or_default();
        let _ = writeln!(rows, "{}", printable(format!("{key} = {value}{source}")));
    }
    let (from, folders) = (printable(&written.origin), folders_of(&written));
    print_text(&format!("# from {from}\n{rows}{folders}"))?;
    if let Some(repository) = &repository {
        let (_, files) = tree(repository, None)?;
        settings::warn_of_idle(&config, &config.languages(), &files.entries);
    }
    Ok(())
}

/// The options with their defaults, as a settings file: those that few change come last.
fn listed(options: Vec<ConfigOption>) -> String {
    let (mut usual, mut advanced) = (String::new(), String::new());
    for ConfigOption { help, name, default, is_advanced, .. } in options {
        let text = if is_advanced { &mut advanced } else { &mut usual };
        let _ = writeln!(text, "{}{name} = {default}\n", explained(&help));
    }
    let head = "# [advanced] thresholds; their defaults were chosen by measurement.\n\n";
    usual + head + &advanced
}

/// The settings of folders, as comments: what is printed is a settings file of the root.
fn folders_of(written: &SettingsFile) -> String {
    let mut text = String::new();
    for folder in &written.folders {
        let name = printable(folder.name());
        let file = folder.file.as_ref().map(|file| format!(", from `{file}`")).unwrap_or_default();
        let _ = writeln!(text, "\n# in `{}`, project `{name}`{file}", folder.folder);
        for (key, value) in folder.values() {
            let _ = writeln!(text, "#   {}", printable(format!("{key} = {value}")));
        }
    }
    text
}

pub(in crate::cli) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "secondhand", &mut script);
    print_text(&String::from_utf8_lossy(&script))
}

pub(in crate::cli) fn manual(
    name: Option<&str>,
    folder: Option<&Path>,
    common: &Common,
) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(folder.is_some());
    // Building it adds the global flags to the commands.
    program.build();
    if let Some(folder) = folder {
        let checkout = Checkout::of(common);
        checkout.refuse_links(folder)?;
        fs::create_dir_all(folder).map_err(Failure::not_written(folder))?;
        return write_pages(&program, folder, &checkout);
    }
    let page = name.map_or(Some(&program), |name| program.find_subcommand(name));
    let page = page.ok_or_else(|| {
        let program = Cli::command();
        let known: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
        Failure::unknown("command", name.unwrap_or_default(), &known)
    })?;
    print_text(&String::from_utf8_lossy(&page_of(page)?))
}

fn write_pages(command: &clap::Command, folder: &Path, checkout: &Checkout) -> Result<(), Failure> {
    for inner in command.get_subcommands() {
        write_pages(inner, folder, checkout)?;
    }
    let file = folder.join(clap_mangen::Man::new(command.clone()).get_filename());
    checkout.write(&file, &page_of(command)?)
}

fn page_of(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .source(concat!("secondhand ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)
        .map_err(|why| Failure::output(&why))?;
    Ok(page)
}
