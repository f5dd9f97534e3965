//! Measures the lexer, the hashes and the fingerprints, by language, on real files, and on input
//! made to be slow.
//!
//! `cargo bench --bench lexing -- FILE|FOLDER...` reads the files, each as the language it is, and
//! prints for each language what one core does: megabytes a second and nanoseconds a token. Then
//! come inputs that are made to be slow, in every language, at two sizes: the time must double with
//! the size.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use secondhand::fingerprint::{Params, hash_kgrams};
use secondhand::language::{Language, Languages, Token};
use secondhand::text::FilePath;

/// Time that this thread was on a core, where the system tells; else time that passed.
struct Clock {
    on_core: Option<Duration>,
    passed: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { on_core: on_core(), passed: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        match (self.on_core, on_core()) {
            (Some(start), Some(now)) => now.saturating_sub(start),
            _ => self.passed.elapsed(),
        }
    }
}

/// What Linux says of this thread: the first number is nanoseconds on a core.
fn on_core() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// How often each input is read; the fastest time counts, since what else runs can only slow it.
const RUNS: usize = 7;
/// Languages with fewer bytes are not shown: the clock is too coarse for them.
const LEAST: usize = 4_000_000;
/// How much slower twice the input may be: linear is 2.
const MAX_GROWTH: f64 = 3.0;
/// Times below this are noise.
const SHORTEST: Duration = Duration::from_millis(4);

fn main() {
    let languages = Languages::builtin();
    let mut by_language: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    let mut files: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(Into::into).collect();
    while let Some(file) = files.pop() {
        if let Ok(folder) = std::fs::read_dir(&file) {
            files.extend(
                folder.flatten().map(|entry| entry.path()).filter(|path| !path.ends_with(".git")),
            );
            continue;
        }
        let Ok(text) = std::fs::read(&file) else { continue };
        if let Some(language) =
            languages.identify(&FilePath::new(file.as_os_str().as_encoded_bytes()), &text)
        {
            by_language.entry(&language.id).or_default().push(text);
        }
    }
    by_language.retain(|_, texts| texts.iter().map(Vec::len).sum::<usize>() >= LEAST);
    println!(
        "{:<16} {:>6} {:>6} {:>14} {:>14} {:>18}",
        "language", "files", "MB", "lex", "+ hash", "+ winnow"
    );
    for (id, texts) in &by_language {
        let language = languages.get(id).expect("it was identified");
        println!("{}", row(id, texts, languages, language));
    }
    println!("\ninput made to be slow, a megabyte: the slowest languages");
    for row in slowest(languages) {
        println!("{row}");
    }
}

/// The figures of one language.
fn row(id: &str, texts: &[Vec<u8>], languages: &Languages, language: &Language) -> String {
    let k = NonZeroUsize::new(16).expect("it is not 0");
    let params = Params::new(k, NonZeroUsize::new(20).expect("it is not 0")).expect("k is below t");
    let n_bytes: usize = texts.iter().map(Vec::len).sum();
    let (mut tokens, mut hashes, mut n_tokens): (Vec<Token>, Vec<u64>, usize) =
        (Vec::new(), Vec::new(), 0);
    let mut stages = [Duration::MAX; 3];
    for _ in 0..RUNS {
        n_tokens = 0;
        let start = Clock::start();
        for text in texts {
            languages.tokenize(language, text, true, &mut tokens);
            n_tokens += black_box(&tokens).len();
        }
        stages[0] = stages[0].min(start.elapsed());
        let start = Clock::start();
        for text in texts {
            languages.tokenize(language, text, true, &mut tokens);
            hash_kgrams(&tokens, k, &mut hashes);
            black_box(&hashes);
        }
        stages[1] = stages[1].min(start.elapsed());
        let start = Clock::start();
        for text in texts {
            languages.tokenize(language, text, true, &mut tokens);
            let n_prints = params
                .fingerprints(&tokens, &mut hashes)
                .inspect(|print| _ = black_box(print))
                .count();
            black_box(n_prints);
        }
        stages[2] = stages[2].min(start.elapsed());
    }
    let shown = stages.map(|time| {
        let megabytes = n_bytes as f64 / 1e6 / time.as_secs_f64();
        let nanoseconds = time.as_nanos() as f64 / n_tokens.max(1) as f64;
        format!("{megabytes:.0} MB/s {nanoseconds:.1} ns")
    });
    let [lex, hash, winnow] = shown;
    format!(
        "{id:<16} {:>6} {:>6.1} {lex:>16} {hash:>16} {winnow:>16}",
        texts.len(),
        n_bytes as f64 / 1e6
    )
}

/// Pieces that are repeated: what opens, escapes or ends something in some language.
const PIECES: &[&str] = &[
    "\"", "'", "`", "\\", "\\\n", "/*", "(*", "{-", "<!--", "//", "#", "--", "\"\"\"", "'''",
    "r#\"", "R\"x(", "${", "`${", "\"#{", "{", "(", "[", "<", "<<A\n", "<<~A ", "<<<A\n", "@\"",
    "$$", "$a$", "%q(", "%w[", "q{", "/", "= /", "/[", "[[", "[=[", "--[==[", "|", "=begin\n",
    "import (", "import {a", "#include <", "use ", "a", "a ", "0", "0.", "1e", "0x", " ", "\n",
    "\t\n", ";", ",", "é", "\u{0}", "<script>", "<script ", "<?", "?>", "<%", "{{", "{%", "```c\n",
    "~~~\n", "---\n", ".. code:: c\n", "[source,c]\n----\n", "'a", "a'", "1'", "#\"", "$\"",
    "\\\"",
];

/// The slowest languages on input made to be slow, and those whose time grows faster than the
/// input.
fn slowest(languages: &Languages) -> Vec<String> {
    let mut rows = Vec::new();
    for id in languages.ids() {
        let language = languages.get(id).expect("each id has a language");
        for piece in PIECES {
            let time = |n: usize| {
                let text = piece.repeat(n / piece.len());
                let start = Clock::start();
                languages.tokenize(language, text.as_bytes(), true, &mut Vec::new());
                start.elapsed()
            };
            // Most are fast: a quick look spares the long one.
            if time(100_000) < SHORTEST {
                continue;
            }
            let (half, whole) = (time(500_000), time(1_000_000));
            let growth = whole.as_secs_f64() / half.as_secs_f64();
            let verdict = if growth > MAX_GROWTH { "FASTER THAN LINEAR" } else { "" };
            rows.push((
                whole,
                format!("{id:<24} {piece:<12?} {whole:>10.1?}  x{growth:.1} {verdict}"),
            ));
        }
    }
    rows.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    rows.truncate(25);
    rows.into_iter().map(|(_, row)| row).collect()
}
