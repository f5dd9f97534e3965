//! Feeds any bytes to the matching, and to a whole check of a repository that is made of them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use secondhand::audit::{Context, Elsewhere, Memory, Outcome, Silent, check};
use secondhand::change::{End, Range, Side};
use secondhand::config::{Config, RawConfig};
use secondhand::git::Repository;
use secondhand::language::{Languages, Token};
use secondhand::matching::{Document, SeedSide, SharedKgram, alignments, clones, seeds};
use secondhand::report::{FORMATS, Style};

use super::{halves, language, languages, tokens};

static CONFIG: LazyLock<Config> = LazyLock::new(|| {
    let settings = "min-tokens = 20\nmin-run = 12\nguarantee-threshold = 12\nnoise-threshold = 8\nmin-worth = 0\n";
    let raw = RawConfig::parse(settings, "secondhand.toml").expect("they are settings");
    Config::new(raw, "secondhand.toml").expect("they are settings")
});

/// A copy lies inside both texts, its tokens are equal and ascend, and no copy in one text overlaps
/// its origin.
pub fn copies(bytes: &[u8]) {
    let Some((language, bytes)) = language(bytes) else { return };
    let (one, other) = halves(bytes);
    let is_same = other.is_empty();
    let other = if is_same { one } else { other };
    let (own, others) = (tokens(language, one), tokens(language, other));
    let (query, target) = (Document::new(one, &own), Document::new(other, &others));
    let params = &CONFIG.matching;
    let shared = shared(&own, &others, params.k);
    let sides = [&own, &others].map(|tokens| SeedSide::new(tokens));
    let mut seeds = seeds(&sides[0], &sides[1], &shared, params.k, is_same);
    for alignment in alignments(query, target, &mut seeds, params, is_same).alignments {
        for clone in clones(alignment, &own, &others, params) {
            let mut last = None;
            for (at, from) in clone.alignment.pairs() {
                assert_eq!(own[at].symbol, others[from].symbol);
                assert!(last.is_none_or(|(before, origin)| before < at && origin < from));
                last = Some((at, from));
            }
            let (copy, origin) = (clone.alignment.query(), clone.alignment.target());
            assert!(
                !is_same || copy.end <= origin.start || origin.end <= copy.start,
                "{copy:?} {origin:?}"
            );
        }
    }
}

/// The positions of every k-gram that both have.
fn shared(own: &[Token], others: &[Token], k: usize) -> Vec<SharedKgram> {
    let mut found: BTreeMap<Vec<u32>, SharedKgram> = BTreeMap::new();
    let kgram =
        |tokens: &[Token]| tokens.iter().map(|token| token.symbol.get()).collect::<Vec<_>>();
    for (at, tokens) in own.windows(k).enumerate() {
        found.entry(kgram(tokens)).or_default().query.push(at as u32);
    }
    for (at, tokens) in others.windows(k).enumerate() {
        found.entry(kgram(tokens)).or_default().target.push(at as u32);
    }
    found
        .into_values()
        .filter(|shared| !shared.query.is_empty() && !shared.target.is_empty())
        .collect()
}

/// A file of a repository: where it is, and its text.
struct File<'f> {
    is_in_base: bool,
    is_in_head: bool,
    path: Vec<u8>,
    text: &'f [u8],
}

const EXTENSIONS: &[&str] =
    &["c", "py", "js", "rs", "java", "go", "html", "md", "ipynb", "toml", "cpp", "tsx"];

/// The files that `bytes` are: each ends at 0xff, and begins with where it is, its extension, and
/// its name up to a line end.
fn files(bytes: &[u8]) -> Vec<File<'_>> {
    let file = |bytes| {
        let [place, extension, rest @ ..]: &[u8] = bytes else { return None };
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (name, text) = (&rest[..end.min(40)], rest.get(end + 1..).unwrap_or_default());
        // Any name that is none of git's own.
        let mut path: Vec<u8> = b"f".to_vec();
        path.extend(name.iter().map(|&byte| if byte == 0 || byte == b'/' { b'_' } else { byte }));
        path.push(b'.');
        path.extend(EXTENSIONS[usize::from(*extension) % EXTENSIONS.len()].as_bytes());
        Some(File { is_in_base: place % 3 < 2, is_in_head: place % 3 > 0, path, text })
    };
    bytes.split(|&byte| byte == 0xff).filter_map(file).take(12).collect()
}

fn git(folder: &Path, args: &[&str], input: &[u8]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(args).stdin(Stdio::piped());
    git.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env_remove("GIT_DIR");
    let mut running = git.spawn().expect("there is git");
    running.stdin.take().expect("it is piped").write_all(input).expect("git reads it");
    assert!(running.wait().expect("git ends").success(), "git {args:?}");
}

/// Makes two commits, `base` and `head`, with the files of each.
fn commit(folder: &Path, files: &[File]) {
    let mut stream = Vec::new();
    for (branch, is_in) in
        [("base", (|file| file.is_in_base) as fn(&File) -> bool), ("head", |file| file.is_in_head)]
    {
        let from = if branch == "head" { "from refs/heads/base\ndeleteall\n" } else { "" };
        stream.extend(
            format!(
                "commit refs/heads/{branch}\ncommitter A <a@example.com> 0 +0000\ndata 0\n{from}"
            )
            .into_bytes(),
        );
        for file in files.iter().filter(|file| is_in(file)) {
            let path: String = file.path.iter().map(|byte| format!("\\{byte:03o}")).collect();
            stream.extend(
                format!("M 644 inline \"{path}\"\ndata {}\n", file.text.len()).into_bytes(),
            );
            stream.extend(file.text);
            stream.push(b'\n');
        }
    }
    git(folder, &["init", "--quiet", "--template="], b"");
    git(folder, &["fast-import", "--quiet", "--done"], &[&stream[..], b"done\n"].concat());
}

fn outcome(repository: &Repository, languages: &Languages, remembered: &Memory) -> Outcome {
    let reader = repository.reader();
    let end = |name: &str| {
        let commit = reader.commit(&format!("refs/heads/{name}")).expect("it was committed");
        let files = reader.commit_snapshot(commit).expect("it is readable");
        (End { name: name.to_owned(), commit: Some(commit) }, files)
    };
    let range = Range {
        base: Some(end("base")),
        head: end("head"),
        tip: None,
        within: vec![],
        is_open: false,
        side: Side::Head,
    };
    let context = Context { config: &CONFIG, languages, progress: &Silent };
    check(repository, &range, &Elsewhere::default(), remembered, context)
        .expect("everything is readable")
}

/// What a program that reads reports gets.
fn written(outcome: &Outcome, format: &str) -> Vec<u8> {
    let style = Style {
        has_color: false,
        width: 100,
        wraps: false,
        is_full: true,
        is_brief: true,
        group_by: None,
        top: None,
        is_quiet: false,
        is_verbose: true,
    };
    let format = FORMATS.iter().find(|other| other.name == format).expect("there is such a format");
    let mut out = Vec::new();
    format.write(outcome, &style, &mut out).expect("memory is writable");
    out
}

/// The report of a change has the same bytes for one thread and four, without a cache, with a new
/// one and a full one; each format writes it, and steers neither terminals nor browsers.
pub fn change(bytes: &[u8]) {
    static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
        [1, 4].map(|n| {
            ThreadPoolBuilder::new().num_threads(n).build().expect("threads can be started")
        })
    });
    let files = files(bytes);
    let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
    commit(folder.path(), &files);
    let repository = Repository::discover(folder.path()).expect("it is a repository");
    let (languages, [one, four]) = (languages(), &*POOLS);
    let first = one.install(|| outcome(&repository, languages, &Memory::nothing()));
    let json = written(&first, "json");
    let cache = folder.path().join("cache");
    for state in ["cold", "warm"] {
        let remembered = Memory::open(&cache, &repository, &CONFIG, languages);
        let again = four.install(|| outcome(&repository, languages, &remembered));
        assert!(written(&again, "json") == json, "four threads, {state}");
        remembered.save().expect("the folder is writable");
    }
    for finding in &first.findings {
        for origin in &finding.origins {
            let is_apart = finding.fragment.end <= origin.fragment.start
                || origin.fragment.end <= finding.fragment.start;
            assert!(is_apart || origin.path != finding.path, "{} is its own origin", finding.path);
        }
    }
    for format in FORMATS {
        let text = written(&first, format.name);
        match format.name {
            "json" | "sarif" | "gitlab" | "rdjson" | "sonarqube" => {
                assert!(
                    serde_json::from_slice::<serde_json::Value>(&text).is_ok(),
                    "{}",
                    format.name
                );
            }
            // A patch is bytes of files, and spreadsheets read lines.
            "patch" => {}
            _ => assert!(!text.contains(&0x1b), "{} steers a terminal", format.name),
        }
        let is_page = ["html", "markdown", "junit", "checkstyle"].contains(&format.name);
        // In a fence it is code.
        let text = if format.name == "markdown" { outside_of_fences(&text) } else { text };
        let script = b"<script>alert";
        assert!(
            !is_page || !text.windows(script.len()).any(|part| part == script),
            "{} runs a script",
            format.name
        );
    }
}

/// The lines of Markdown that are in no fence. One ends at as many backticks as it began with, or
/// more.
fn outside_of_fences(text: &[u8]) -> Vec<u8> {
    let mut fence = 0;
    let mut is_outside = |line: &&[u8]| {
        let n_ticks = line.iter().take_while(|&&byte| byte == b'`').count();
        let is_fence = n_ticks >= 3
            && n_ticks >= fence
            && (fence == 0 || line[n_ticks..].trim_ascii().is_empty());
        match (is_fence, fence) {
            (true, 0) => fence = n_ticks,
            (true, _) => fence = 0,
            (false, _) => return fence == 0,
        }
        false
    };
    text.split_inclusive(|&byte| byte == b'\n')
        .filter(|line| is_outside(line))
        .flatten()
        .copied()
        .collect()
}

/// A change that copies a function into a file with a hostile name, and one that copies inside of
/// one file.
pub fn samples() -> Vec<Vec<u8>> {
    let function = "int f(int *a, int n)\n{\n    int s = 0;\n    while (n-- > 0)\n        s += a[n] * 2;\n    return s + n;\n}\n";
    let file = |place: u8, extension: u8, name: &str, text: &str| {
        [&[place, extension], name.as_bytes(), b"\n", text.as_bytes(), &[0xff]].concat()
    };
    let script = "\"><script>alert(1)</script>\u{1b}[2J\u{202e}`|[y](z)";
    vec![
        [file(1, 0, "a", function), file(2, 0, script, &function.replace("s +", script))].concat(),
        [file(0, 0, "a", "int a;\n"), file(2, 0, "b", &function.repeat(3))].concat(),
        [file(0, 0, "a", function), file(2, 0, "moved", function), file(2, 6, "b", "<p>a</p>")]
            .concat(),
    ]
}
