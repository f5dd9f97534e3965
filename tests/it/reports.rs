//! Reads every report format with a parser of its kind: reports of hostile names and code, of
//! origins in the past and in a corpus, of nothing, and of more than a reader takes. And so of
//! `compare`.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use crate::generated::valid;
use secondhand::audit::{Examination, Outcome, Skip};
use secondhand::change::End;
use secondhand::license::{Expression, Terms};
use secondhand::matching::{CloneType, Worth};
use secondhand::policy::{
    About, Component, Deletion, Finding, Fragment, InCommon, Level, Origin, Place, Rank,
    SuppressedBy, SuppressedFinding, rule,
};
use secondhand::report::{FORMATS, Style};
use secondhand::text::{FilePath, Position, is_unseen};
use serde_json::{Value, json};

/// A name with all that means something to some reader.
const HOSTILE: &str = "a|b,c:%d/=x`y</code></summary><img src=x onerror=alert(1)>\"'&*_[z](u)\r\n::error::#]]>\u{1b}[31m\u{202e}\u{9b}\u{34f}\u{e0041}@all.c";

/// Code with all that means something to some reader.
const CODE: &str = "```\n````</details><script>alert('x')</script>\n--> <!-- ]]> &amp; {{x}} \u{1b}[31m\u{0}\u{7}\u{FFFE}\n::error::no\n\
                    ##[error]no\n=1+1\t|\u{202e}\u{85}\u{fe01}\u{e0150}abc\n";

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

fn fragment(first: u32, last: u32) -> Fragment {
    Fragment { start: at(first, 1), end: at(last, 4) }
}

fn origin(path: &str, place: Place) -> Origin {
    Origin {
        place,
        path: FilePath::new(path),
        fragment: fragment(1, 5),
        clone_type: CloneType::Type2 { is_consistent: true },
        similarity: 0.987,
        in_common: InCommon::NAMES,
        rank: Rank::SAME,
        text: None,
        written: None,
        verdict: None,
    }
}

fn past() -> Place {
    Place::Past(Arc::new(Deletion {
        commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d".to_owned(),
        subject: format!("drop {HOSTILE}"),
        time: 1_700_000_000,
        is_reverted: false,
    }))
}

fn component() -> Place {
    Place::Component(Arc::new(Component {
        corpus: HOSTILE.to_owned(),
        name: HOSTILE.to_owned(),
        version: Some(HOSTILE.to_owned()),
        purl: Some("pkg:generic/zlib@1.3.1".to_owned()),
        url: Some("https://example.org/zlib?a=1&b=\"2\"".to_owned()),
        terms: Terms {
            license: Expression::parse("GPL-3.0-only"),
            evidence: Some(HOSTILE.to_owned()),
            notices: vec![HOSTILE.to_owned()],
            ..Terms::default()
        },
        first_seen: None,
    }))
}

fn finding(path: &str, line: u32, level: Level, origins: Vec<Origin>) -> Finding {
    Finding {
        rule: rule("copied-code").expect("it is a rule"),
        level,
        milder: None,
        worth: Worth { n_statements: 8, names: 1.0, similarity: 1.0, n_origins: 1, ..Worth::NONE },
        is_idiom: false,
        about: About::Copy,
        path: FilePath::new(path),
        language: "C".to_owned(),
        fragment: fragment(line, line + 4),
        added: fragment(line, line + 4),
        n_tokens: 60,
        n_novel: 60,
        n_places: 1,
        origins,
        identity: format!("{line:016x}"),
        n_saved_lines: 0,
        others: Vec::new(),
        family: Vec::new(),
    }
}

fn outcome(findings: Vec<Finding>) -> Outcome {
    let text = |source: &str| secondhand::text::LinedText::from(source.as_bytes().to_vec());
    let mut texts = BTreeMap::from([(
        FilePath::new("old.c"),
        text("int a;\nint b;\nint c;\nint d;\nint e;\n"),
    )]);
    for finding in &findings {
        texts.insert(finding.path.clone(), text(&CODE.repeat(3)));
    }
    let end = || End { name: HOSTILE.to_owned(), commit: None };
    Outcome {
        findings,
        examined: Examination {
            skipped: vec![(FilePath::new(HOSTILE), Skip::TooLarge)],
            ..Examination::default()
        },
        texts,
        ..Outcome::new(Some(end()), end())
    }
}

/// One finding of each level, with an origin of each kind, under hostile names.
fn hostile() -> Outcome {
    let origins = || {
        vec![
            origin("old.c", Place::Tree),
            origin(HOSTILE, past()),
            origin(HOSTILE, component()),
            origin(HOSTILE, Place::Tree),
        ]
    };
    let mut of_past = origins();
    of_past.rotate_left(1);
    let mut of_component = origins();
    of_component.rotate_left(2);
    of_component[0].text = Some(std::sync::Arc::new(CODE.as_bytes().to_vec().into()));
    outcome(vec![
        finding(HOSTILE, 1, Level::Error, of_component),
        finding(HOSTILE, 2, Level::Warning, origins()),
        finding(HOSTILE, 3, Level::Note, of_past),
    ])
}

/// One finding that is reported and one that is not, by an exception with a hostile reason.
fn with_suppressed() -> Outcome {
    let mut outcome = outcome(vec![
        finding("new.c", 1, Level::Warning, vec![origin("old.c", Place::Tree)]),
        finding("bought.c", 1, Level::Error, vec![origin(HOSTILE, component())]),
    ]);
    let bought = outcome.findings.pop().expect("there are two");
    let by = SuppressedBy::new(
        "exception",
        "an exception of the license policy",
        None,
        &format!("bought {HOSTILE}"),
    );
    outcome.suppressed.push(SuppressedFinding { finding: bought, by });
    outcome.n_suppressed = 1;
    outcome
}

/// `n` findings of each level.
fn many(n: u32) -> Outcome {
    let levels = [Level::Error, Level::Warning, Level::Note];
    let rows = (0..n).flat_map(|at| levels.map(|level| (3 * at + level as u32 + 1, level)));
    let mut outcome = outcome(
        rows.map(|(line, level)| {
            finding(&format!("new{}.c", line % 7), line, level, vec![origin("old.c", Place::Tree)])
        })
        .collect(),
    );
    for text in outcome.texts.values_mut() {
        *text = "int table_find(struct table *t, const char *key); // a long line of code\n"
            .repeat(3 * n as usize + 9)
            .into_bytes()
            .into();
    }
    outcome
}

fn styled(outcome: &Outcome, format: &str, style: Style) -> String {
    let format = FORMATS.iter().find(|known| known.name == format).expect("there is such a format");
    let mut out = Vec::new();
    format.write(outcome, &style, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("a report is UTF-8")
}

fn written(outcome: &Outcome, format: &str) -> String {
    styled(
        outcome,
        format,
        Style {
            has_color: false,
            width: 100,
            wraps: true,
            is_full: false,
            is_brief: false,
            group_by: None,
            top: None,
            is_quiet: false,
            is_verbose: true,
        },
    )
}

#[test]
fn no_format_lets_a_name_or_code_steer() {
    for format in FORMATS {
        let named =
            finding("::stop-commands::x", 1, Level::Warning, vec![origin("old.c", Place::Tree)]);
        let outcomes = [hostile(), with_suppressed(), outcome(vec![named])];
        let text: String = outcomes.iter().map(|of| written(of, format.name)).collect();
        let steers = |c: char| c.is_control() && c != '\n' && c != '\t' || is_unseen(c);
        assert!(!text.contains(steers), "{}: {text}", format.name);
        let is_command = |line: &str| {
            ["::error::no", "::stop-commands"].iter().any(|of| line.trim_start().starts_with(of))
        };
        assert!(!text.lines().any(is_command), "{}: {text}", format.name);
    }
}

mod github {
    use super::*;

    /// A command as the runner reads it: name, properties, message.
    fn commands(text: &str) -> Vec<(String, BTreeMap<String, String>, String)> {
        let unescaped =
            |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
        let property = |text: &str| unescaped(&text.replace("%3A", ":").replace("%2C", ","));
        let command = |line: &str| {
            let (head, message) = line.strip_prefix("::")?.split_once("::")?;
            let (name, properties) = head.split_once(' ')?;
            let pairs =
                properties.split(',').map(|pair| pair.split_once('=').expect("each is a pair"));
            let properties = pairs.map(|(key, value)| (key.to_owned(), property(value))).collect();
            Some((name.to_owned(), properties, unescaped(message)))
        };
        text.lines()
            .map(|line| command(line).unwrap_or_else(|| panic!("not a command: {line}")))
            .collect()
    }

    #[test]
    fn hostile_names_stay_in_their_property_and_message() {
        let commands = commands(&written(&hostile(), "github"));
        let names: Vec<_> = commands.iter().map(|command| &*command.0).collect();
        assert_eq!(names, ["error", "warning", "notice", "notice"]);
        for (_, properties, _) in &commands[..3] {
            assert_eq!(properties["file"], FilePath::new(HOSTILE).to_string());
            assert_eq!(properties["title"], "copied-code");
        }
        assert_eq!((&*commands[0].1["line"], &*commands[0].1["endLine"]), ("1", "5"));
        assert!(commands[0].2.contains("GPL-3.0-only"), "{}", commands[0].2);
        assert!(commands[2].2.contains("deleted in 1a2b3c4d5e on 2023-11-14"), "{}", commands[2].2);
        assert!(commands[3].2.starts_with("not examined: "));
    }

    #[test]
    fn a_part_of_a_line_has_its_columns() {
        let mut outcome =
            outcome(vec![finding("new.c", 3, Level::Warning, vec![origin("old.c", Place::Tree)])]);
        outcome.findings[0].added = Fragment { start: at(3, 5), end: at(3, 9) };
        let commands = commands(&written(&outcome, "github"));
        assert_eq!((&*commands[0].1["col"], &*commands[0].1["endColumn"]), ("5", "9"));
    }

    #[test]
    fn no_more_are_written_than_are_shown_and_the_rest_is_counted() {
        for n in [9, 10, 11, 500] {
            let mut outcome = many(n);
            outcome.examined.skipped.clear();
            let commands = commands(&written(&outcome, "github"));
            for level in ["error", "warning", "notice"] {
                assert!(
                    commands.iter().filter(|command| command.0 == level).count() <= 10,
                    "{n} {level}"
                );
            }
            let n_told = commands.iter().filter(|command| command.1.contains_key("file")).count();
            let n_left = 3 * n as usize - n_told;
            let last = &commands.last().expect("there are findings").2;
            assert_eq!(
                n_left > 0,
                last.starts_with(&format!("{n_left} findings more")),
                "{n}: {last}"
            );
        }
    }

    #[test]
    fn files_that_were_not_examined_are_told_within_the_limit() {
        let mut outcome = many(4);
        outcome.examined.skipped =
            (0..20).map(|n| (FilePath::new(format!("large{n}.c")), Skip::TooLarge)).collect();
        let commands = commands(&written(&outcome, "github"));
        let notices: Vec<_> = commands.iter().filter(|command| command.0 == "notice").collect();
        assert_eq!(notices.len(), 10);
        assert!(notices[9].2.starts_with("15 remarks more"), "{}", notices[9].2);
    }

    #[test]
    fn a_clean_run_says_nothing() {
        let mut outcome = outcome(Vec::new());
        outcome.examined.skipped.clear();
        assert_eq!(written(&outcome, "github"), "");
    }
}

mod markdown {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    fn events(text: &str) -> Vec<Event<'_>> {
        Parser::new_ext(text, Options::ENABLE_TABLES).collect()
    }

    #[test]
    fn hostile_names_and_code_open_no_element_and_end_no_fence() {
        let text = written(&hostile(), "markdown");
        let mut n_fences = 0;
        for event in events(&text) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    let known = [
                        "<details>", "<summary>", "</details>", "</summary>", "<code>", "</code>",
                        "<br>",
                    ];
                    let bare =
                        known.iter().fold(html.to_string(), |html, tag| html.replace(tag, ""));
                    assert!(!bare.contains('<'), "{html}");
                }
                Event::Start(Tag::CodeBlock(_)) => n_fences += 1,
                Event::Start(Tag::Link { dest_url, .. }) => panic!("a link to {dest_url}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("an image of {dest_url}"),
                _ => {}
            }
        }
        // Three copies, and the two first origins whose text is known.
        assert_eq!(n_fences, 5, "{text}");
    }

    #[test]
    fn a_row_stands_for_each_finding() {
        let text = written(&hostile(), "markdown");
        let rows =
            events(&text).into_iter().filter(|event| matches!(event, Event::Start(Tag::TableRow)));
        assert_eq!(rows.count(), 3);
        let plain: String = events(&text)
            .iter()
            .map(|event| if let Event::Text(text) = event { text } else { "" })
            .collect();
        assert!(plain.contains(&FilePath::new(HOSTILE).to_string()), "{plain}");
    }

    #[test]
    fn a_summary_stays_below_the_limit_and_says_what_it_left_out() {
        let text = written(&many(3_000), "markdown");
        assert!(text.len() <= 1024 * 1024, "{} bytes", text.len());
        assert!(
            text.contains("is left out and ")
                && text.contains("a step summary is limited to one mebibyte")
        );
        assert!(!written(&many(20), "markdown").contains("left out"));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}

mod gitlab {
    use super::*;

    #[test]
    fn each_finding_is_an_issue_with_a_fingerprint_of_its_own() {
        let mut outcome = hostile();
        outcome.findings[1].identity = outcome.findings[0].identity.clone();
        let issues: Vec<Value> =
            serde_json::from_str(&written(&outcome, "gitlab")).expect("it is JSON");
        let severities: Vec<_> = issues.iter().map(|issue| issue["severity"].clone()).collect();
        assert_eq!(severities, [json!("critical"), json!("major"), json!("info")]);
        for issue in &issues {
            assert_eq!(issue["check_name"], "copied-code");
            assert_eq!(issue["location"]["path"], HOSTILE);
            assert!(
                issue["location"]["lines"]["begin"].is_u64() && issue["description"].is_string()
            );
            let fingerprint = &issue["fingerprint"];
            assert_eq!(
                issues.iter().filter(|other| other["fingerprint"] == *fingerprint).count(),
                1
            );
        }
    }

    #[test]
    fn a_clean_run_is_an_empty_list() {
        assert_eq!(written(&outcome(Vec::new()), "gitlab").trim(), "[]");
    }
}

mod xml {
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::*;

    /// The names of all elements with their attributes; the parser checks that they nest.
    pub fn elements(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
        let mut reader = Reader::from_str(text);
        let mut found = Vec::new();
        loop {
            match reader.read_event().expect("it is XML") {
                Event::Start(element) | Event::Empty(element) => {
                    let attributes = element.attributes().map(|attribute| {
                        let attribute = attribute.expect("an attribute");
                        let value = attribute
                            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                            .expect("its value");
                        (attribute.key.as_ref().to_owned(), value.into_owned())
                    });
                    found.push((element.name().as_ref().to_owned(), attributes.collect()));
                }
                Event::Eof => return found,
                _ => {}
            }
        }
    }
}

mod junit {
    use super::xml::elements;
    use super::*;

    #[test]
    fn hostile_names_and_code_are_text() {
        let text = written(&hostile(), "junit");
        let found = elements(&text);
        let n_of = |name: &str| found.iter().filter(|element| element.0 == name).count();
        assert_eq!(
            (n_of("testsuite"), n_of("testcase"), n_of("failure"), n_of("system-out")),
            (1, 3, 2, 1)
        );
        assert_eq!((&*found[1].1["tests"], &*found[1].1["failures"]), ("3", "2"));
        let case = found.iter().find(|element| element.0 == "testcase").expect("there are cases");
        assert_eq!(case.1["file"], FilePath::new(HOSTILE).to_string());
        let is_legal =
            |c: char| c == '\n' || c == '\t' || c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}';
        assert!(text.chars().all(is_legal), "XML holds no such character");
    }

    #[test]
    fn what_is_suppressed_is_a_case_that_was_skipped_and_says_why() {
        let found = elements(&written(&with_suppressed(), "junit"));
        assert_eq!(
            (&*found[1].1["tests"], &*found[1].1["failures"], &*found[1].1["skipped"]),
            ("2", "1", "1")
        );
        let skipped: Vec<_> = found.iter().filter(|element| element.0 == "skipped").collect();
        assert_eq!(skipped.len(), 1);
        assert!(
            skipped[0].1["message"]
                .starts_with("suppressed by an exception of the license policy: bought")
        );
    }

    #[test]
    fn a_clean_run_is_a_case_that_passed() {
        let found = elements(&written(&outcome(Vec::new()), "junit"));
        let names: Vec<_> = found.iter().map(|element| &*element.0).collect();
        assert_eq!(names, ["testsuites", "testsuite", "testcase"]);
    }
}

mod csv {
    use super::*;

    fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let columns: Vec<String> =
            reader.headers().expect("a head").iter().map(str::to_owned).collect();
        let row = |row: ::csv::StringRecord| {
            columns.iter().cloned().zip(row.iter().map(str::to_owned)).collect()
        };
        reader.records().map(|record| row(record.expect("a row"))).collect()
    }

    #[test]
    fn a_row_says_whether_its_finding_is_suppressed_and_why() {
        let rows = rows(&written(&with_suppressed(), "csv"));
        assert_eq!((&*rows[0]["path"], &*rows[0]["suppressed"]), ("new.c", ""));
        assert_eq!(rows[1]["path"], "bought.c");
        assert!(rows[1]["suppressed"].starts_with("by an exception of the license policy: bought"));
    }

    #[test]
    fn a_row_stands_for_each_origin_and_no_cell_is_a_formula() {
        let mut outcome = hostile();
        outcome.findings[0].origins[0].path = FilePath::new("=cmd|' /C calc'!A1");
        let rows = rows(&written(&outcome, "csv"));
        assert_eq!(rows.len(), 12);
        for cell in rows.iter().flat_map(BTreeMap::values) {
            assert!(!cell.trim_start().starts_with(['=', '+', '-', '@']), "{cell}");
        }
        assert_eq!(rows[0]["origin_path"], "'=cmd|' /C calc'!A1");
        assert_eq!(
            (&*rows[0]["origin_place"], &*rows[0]["license"]),
            ("component", "GPL-3.0-only")
        );
        assert_eq!((&*rows[8]["origin_place"], &*rows[8]["deleted_on"]), ("past", "2023-11-14"));
    }
}

mod text {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn nothing_but_a_name_is_wider_than_the_terminal() {
        let mut outcome = many(3);
        outcome.examined.skipped.clear();
        (outcome.base, outcome.head.name) = (None, "the work tree".to_owned());
        for width in [40, 80, 200] {
            let style = Style {
                has_color: false,
                width,
                wraps: true,
                is_full: false,
                is_brief: false,
                group_by: None,
                top: None,
                is_quiet: false,
                is_verbose: false,
            };
            for line in styled(&outcome, "text", style).lines() {
                assert!(line.width() <= width, "{} columns: {line}", line.width());
            }
        }
    }

    #[test]
    fn where_an_origin_is_kept_is_told() {
        let text = written(&hostile(), "text");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("deleted in 1a2b3c4d5e on 2023-11-14 (\"drop "), "{text}");
        assert!(flat.contains("license GPL-3.0-only"), "{text}");
    }
}

mod json {
    use super::*;

    #[test]
    fn a_report_of_any_origin_is_valid_by_the_published_schema() {
        for outcome in [hostile(), many(2), outcome(Vec::new())] {
            valid(&written(&outcome, "json"), "report");
        }
    }
}

mod html {
    use super::xml::elements;
    use super::*;

    /// The page's elements, if it is well-formed.
    fn page(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
        elements(text.strip_prefix("<!DOCTYPE html>").expect("it is HTML"))
    }

    #[test]
    fn hostile_names_and_code_are_text() {
        let text = written(&hostile(), "html");
        let found = page(&text);
        let n_of = |name: &str| found.iter().filter(|element| element.0 == name).count();
        assert_eq!((n_of("script"), n_of("style"), n_of("img")), (1, 1, 0));
        assert_eq!(
            found
                .iter()
                .filter(|element| element.1.get("class").is_some_and(|class| class == "card"))
                .count(),
            3
        );
        let is_handler = |name: &String| name.starts_with("on") || name == "style" || name == "src";
        assert!(!found.iter().any(|element| element.1.keys().any(is_handler)));
        let links = found.iter().filter_map(|element| element.1.get("href"));
        assert!(links.clone().all(|link| link.starts_with('#')), "{:?}", links.collect::<Vec<_>>());
    }

    #[test]
    fn what_is_suppressed_is_a_card_of_its_own_level_with_the_reason() {
        let text = written(&with_suppressed(), "html");
        let cards = page(&text)
            .into_iter()
            .filter(|element| element.1.get("class").is_some_and(|class| class == "card"));
        assert_eq!(
            cards.map(|card| card.1["data-level"].clone()).collect::<Vec<_>>(),
            ["warning", "suppressed"]
        );
        assert!(text.contains("suppressed by an exception of the license policy: bought"));
    }

    #[test]
    fn the_policy_allows_what_the_page_holds_and_nothing_else() {
        let text = written(&hostile(), "html");
        let metas = page(&text).into_iter().filter(|element| element.0 == "meta");
        let policy = metas
            .filter(|meta| meta.1.contains_key("http-equiv"))
            .map(|meta| meta.1["content"].clone());
        let policy: String = policy.collect();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn a_thousand_findings_make_a_page_that_a_browser_takes() {
        let text = written(&many(334), "html");
        assert_eq!(page(&text).iter().filter(|element| element.0 == "summary").count(), 1_003);
        assert!(text.len() < 10_000_000, "{} bytes", text.len());
    }

    #[test]
    fn a_clean_run_says_so() {
        assert!(written(&outcome(Vec::new()), "html").contains("Nothing was found."));
    }
}

mod sarif {
    use super::*;

    fn run(outcome: &Outcome) -> Value {
        let log: Value = serde_json::from_str(&written(outcome, "sarif")).expect("it is JSON");
        log["runs"][0].clone()
    }

    #[test]
    fn an_origin_outside_of_the_tree_is_told_but_is_no_location() {
        let run = run(&hostile());
        for result in run["results"].as_array().expect("a list") {
            let text = result["message"]["text"].as_str().expect("a text");
            assert!(
                text.contains("GPL-3.0-only") && text.contains("deleted in 1a2b3c4d5e"),
                "{text}"
            );
            assert_eq!(result["relatedLocations"].as_array().expect("a list").len(), 2);
            assert_eq!(result["properties"]["components"][0]["purl"], "pkg:generic/zlib@1.3.1");
            assert_eq!(result["properties"]["deletions"][0]["date"], "2023-11-14");
            for location in ["locations", "relatedLocations"]
                .iter()
                .flat_map(|list| result[list].as_array().expect("a list"))
            {
                let uri = location["physicalLocation"]["artifactLocation"]["uri"]
                    .as_str()
                    .expect("a URI");
                assert!(
                    uri.bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
                    "{uri}"
                );
            }
        }
    }

    #[test]
    fn results_that_would_be_one_alert_are_merged() {
        let mut outcome = outcome(vec![
            finding("new.c", 3, Level::Warning, vec![origin("old.c", Place::Tree)]),
            finding("new.c", 3, Level::Warning, vec![origin("other.c", Place::Tree)]),
        ]);
        outcome.findings[0].n_tokens = 90;
        let results = run(&outcome)["results"].as_array().expect("a list").clone();
        assert_eq!(results.len(), 1);
        let text = results[0]["message"]["text"].as_str().expect("a text");
        assert!(text.contains("[old.c:1-5](1)") && text.contains("other.c:1"), "{text}");
    }

    #[test]
    fn the_mildest_and_shortest_are_dropped_beyond_the_limit_and_it_says_so() {
        let mut outcome = many(8_400);
        for (at, finding) in outcome.findings.iter_mut().enumerate() {
            finding.path = FilePath::new(format!("f{at}.c"));
        }
        let run = run(&outcome);
        let results = run["results"].as_array().expect("a list");
        assert_eq!(results.len(), 25_000);
        let n_of = |level: &str| results.iter().filter(|result| result["level"] == level).count();
        assert_eq!((n_of("error"), n_of("warning"), n_of("note")), (8_400, 8_400, 8_200));
        let note = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
            .as_str()
            .expect("a text");
        assert!(note.starts_with("200 findings are left out, the mildest and shortest"), "{note}");
    }

    #[test]
    fn an_upload_stays_below_ten_megabytes() {
        let mut outcome = many(2_000);
        // Names that do not compress.
        let mut state = 1u64;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            format!("{:016x}", state ^ state >> 29)
        };
        for finding in &mut outcome.findings {
            finding.path = FilePath::new((0..400).map(|_| noise()).collect::<String>());
        }
        let text = written(&outcome, "sarif");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).expect("memory takes all");
        assert!(encoder.finish().expect("memory takes all").len() <= 10_000_000);
        assert!(text.contains("findings are left out") && text.contains("\"level\": \"error\""));
    }
}

mod compare {
    use support::secondhand;
    use tempfile::TempDir;

    use super::*;

    const FIND: &str = "struct entry *list_find(struct list *l, const char *key)\n{\n    for (struct entry *e = l->head; e != NULL; e = e->next) {\n        \
                        if (e->length == strlen(key) && strcmp(e->key, key) == 0)\n            return e;\n    }\n    return NULL;\n}\n";
    const SUM: &str = "int sum_of(const struct row *rows, int n_rows)\n{\n    int total = 0;\n    while (n_rows-- > 0) {\n        \
                       if (rows[n_rows].kind != SKIP || rows[n_rows].weight < 3)\n            total += rows[n_rows].value * 2;\n    }\n    return total;\n}\n";
    const OTHER: &str = "void print_all(FILE *out, char **names)\n{\n    do {\n        fprintf(out, \"%s: %d\\n\", *names, width(*names));\n        \
                         switch (kind_of(*names)) {\n        case 1: fputs(\"one\", out); break;\n        default: break;\n        }\n    } while (*++names);\n}\n";

    fn folder(files: &[(&str, String)]) -> TempDir {
        let folder = TempDir::new().expect("the folder for temporary files is writable");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("it lies below"))
                .expect("the folder is writable");
            fs::write(path, text).expect("the folder is writable");
        }
        folder
    }

    /// Three submissions: two alike, one that has nothing of them, all with `SUM`, which was handed
    /// out.
    fn class() -> TempDir {
        folder(&[
            ("all/alice/main.c", format!("{FIND}{SUM}")),
            (
                "all/bob/copy.c",
                format!(
                    "{SUM}{}",
                    FIND.replace("e->", "it->")
                        .replace("*e ", "*it ")
                        .replace("(e", "(it")
                        .replace("return e", "return it")
                        .replace("; e ", "; it ")
                        .replace("e = e", "it = it")
                ),
            ),
            ("all/carol/main.c", format!("{SUM}{OTHER}")),
            ("all/.hidden/main.c", FIND.to_owned()),
            ("given/sum.c", SUM.to_owned()),
        ])
    }

    fn run(folder: &TempDir, args: &[&str]) -> (i32, String) {
        let output = secondhand(folder.path(), &[&["compare"], args].concat())
            .output()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        (
            output.status.code().expect("no signal ended it"),
            String::from_utf8(output.stdout).expect("it is UTF-8"),
        )
    }

    fn report(folder: &TempDir, args: &[&str]) -> Value {
        valid(&run(folder, &[args, &["--format=json"]].concat()).1, "comparison")
    }

    fn pairs(report: &Value) -> Vec<String> {
        let name = |at: &Value| {
            report["submissions"][at.as_u64().expect("a number") as usize]["name"].clone()
        };
        let pairs = report["pairs"].as_array().expect("a list").iter();
        pairs
            .map(|pair| {
                format!("{} {}", name(&pair["first"]), name(&pair["second"])).replace('"', "")
            })
            .collect()
    }

    #[test]
    fn the_children_of_a_folder_are_ranked_and_a_renamed_copy_comes_first() {
        let report = report(&class(), &["all"]);
        assert_eq!(report["submissions"].as_array().expect("a list").len(), 3);
        assert_eq!(pairs(&report)[0], "alice bob");
        assert_eq!(pairs(&report).len(), 3);
        let first = &report["pairs"][0];
        assert!(first["resemblance"].as_f64() > Some(0.7), "{first:#}");
        let matches = first["matches"].as_array().expect("a list");
        assert_eq!(matches.len(), 2, "{first:#}");
        assert_eq!(matches[0]["first"]["path"], "alice/main.c");
    }

    #[test]
    fn code_that_was_handed_out_counts_for_nothing() {
        let report = report(&class(), &["all", "--base-code", "given"]);
        assert_eq!(pairs(&report), ["alice bob"]);
        let matches = report["pairs"][0]["matches"].as_array().expect("a list");
        assert_eq!(matches.len(), 1, "{matches:#?}");
        assert_eq!(matches[0]["first"]["startLine"], 1);
        assert_eq!(matches[0]["first"]["endLine"], 8);
    }

    #[test]
    fn figures_are_those_of_the_definition_when_every_k_gram_counts() {
        let folder = folder(&[("a.c", format!("{FIND}{SUM}")), ("b.c", FIND.to_owned())]);
        let report = report(&folder, &["a.c", "b.c", "--exact"]);
        assert_eq!(report["window"], 1);
        let (a, b) =
            (&report["submissions"][0]["fingerprints"], &report["submissions"][1]["fingerprints"]);
        let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
        let pair = &report["pairs"][0];
        assert_eq!(pair["secondInFirst"], json!(1.0));
        let shared = pair["sharedFingerprints"].as_f64().expect("a number");
        assert_eq!(shared, b);
        let close = |value: &Value, expected: f64| {
            (value.as_f64().expect("a number") - expected).abs() < 0.000_1
        };
        assert!(
            close(&pair["resemblance"], shared / (a + b - shared))
                && close(&pair["firstInSecond"], shared / a)
        );
    }

    #[test]
    fn a_limit_fails_the_run_and_one_submission_is_no_comparison() {
        let folder = class();
        let args = ["all", "--base-code", "given", "--fail-on-percent"];
        assert_eq!(run(&folder, &[&args[..], &["50"]].concat()).0, 1);
        assert_eq!(
            run(
                &folder,
                &["all/alice", "all/carol", "--base-code", "given", "--fail-on-percent", "50"]
            )
            .0,
            0
        );
        let output =
            secondhand(folder.path(), &["compare", "given"]).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            errors.starts_with("error: cannot compare: there is only one submission\n"),
            "{errors}"
        );
    }

    #[test]
    #[cfg(unix)]
    fn hostile_names_are_harmless_in_every_format() {
        let name = "=a|b,<img src=x>\"'&\u{1b}[31m\u{202e}.c";
        let folder = folder(&[(name, FIND.to_owned()), ("b.c", FIND.to_owned())]);
        let args = [".", "--report=csv=pairs", "--report=html=page", "--report=json=json"];
        let (status, text) = run(&folder, &args);
        assert_eq!(status, 0);
        let read =
            |file: &str| fs::read_to_string(folder.path().join(file)).expect("it was written");
        let page = read("page");
        for text in [&text, &read("pairs"), &page, &read("json")] {
            assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        }
        let elements =
            super::xml::elements(page.strip_prefix("<!DOCTYPE html>").expect("it is HTML"));
        assert!(!elements.iter().any(|element| element.0 == "img"));
        let csv = read("pairs");
        let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
        let row = reader.records().next().expect("a row").expect("a row");
        assert!(row[0].starts_with("'=a|b,<img"), "{row:?}");
    }

    #[test]
    fn any_number_of_threads_writes_the_same_bytes() {
        let folder = class();
        for format in ["text", "json", "csv", "html"] {
            let with = |n: &str| run(&folder, &["all", "--format", format, "--threads", n]).1;
            assert_eq!(with("1"), with("3"), "{format}");
        }
    }
}

mod checkstyle {
    use super::xml::elements;
    use super::*;

    #[test]
    fn each_finding_is_an_error_of_its_file_and_hostile_names_are_text() {
        let found = elements(&written(&hostile(), "checkstyle"));
        let names: Vec<_> = found.iter().map(|element| &*element.0).collect();
        assert_eq!(names, ["checkstyle", "file", "error", "error", "error"]);
        assert_eq!(found[1].1["name"], FilePath::new(HOSTILE).to_string());
        let severities: Vec<_> = found[2..].iter().map(|element| &*element.1["severity"]).collect();
        assert_eq!(severities, ["error", "warning", "info"]);
        assert!(found[2..].iter().all(|error| error.1["source"].starts_with("secondhand.")));
        assert_eq!(elements(&written(&outcome(Vec::new()), "checkstyle")).len(), 1);
    }
}

mod rdjson {
    use super::*;

    #[test]
    fn each_finding_is_a_diagnostic_with_its_lines_and_exact_path() {
        let report: Value =
            serde_json::from_str(&written(&hostile(), "rdjson")).expect("it is JSON");
        assert_eq!(report["source"]["name"], "secondhand");
        let of = |pointer: &str| -> Vec<Value> {
            let all = report["diagnostics"].as_array().expect("a list").iter();
            all.map(|one| one.pointer(pointer).expect("it is there").clone()).collect()
        };
        assert_eq!(of("/severity"), ["ERROR", "WARNING", "INFO"]);
        assert_eq!(of("/location/path"), [HOSTILE; 3]);
        assert!(of("/location/range/start/line").iter().all(Value::is_u64));
        let leads_to_origin = |of: &Value| {
            of.as_array().is_some_and(|of| of.iter().any(|one| one["location"]["path"] == "old.c"))
        };
        assert!(of("/relatedLocations").iter().all(leads_to_origin));
    }
}

mod sonarqube {
    use super::*;

    #[test]
    fn each_issue_has_a_rule_that_is_listed_once_with_its_severity() {
        let mut of = hostile();
        of.findings.push(finding("new.c", 9, Level::Note, vec![origin("old.c", Place::Tree)]));
        let report: Value = serde_json::from_str(&written(&of, "sonarqube")).expect("it is JSON");
        let list = |name: &str| report[name].as_array().expect("a list").clone();
        let rules: BTreeMap<_, _> =
            list("rules").iter().map(|rule| (rule["id"].to_string(), rule.clone())).collect();
        assert_eq!(rules.len(), list("rules").len(), "each once");
        assert_eq!(list("issues").len(), 4);
        for issue in list("issues") {
            let rule = &rules[&issue["ruleId"].to_string()];
            assert!(
                ["HIGH", "MEDIUM", "LOW"]
                    .contains(&rule["impacts"][0]["severity"].as_str().expect("a word"))
            );
            let range = &issue["primaryLocation"]["textRange"];
            assert!(range["startLine"].as_u64() <= range["endLine"].as_u64());
        }
    }
}

mod azure {
    use super::*;

    #[test]
    fn hostile_names_stay_in_their_property_and_notes_are_no_commands() {
        let text = written(&hostile(), "azure");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        for (line, kind) in lines.iter().zip(["error", "warning"]) {
            let command = line.strip_prefix("##vso[task.logissue ").expect("it is a command");
            let (properties, message) = command.split_once(']').expect("it ends");
            let names: Vec<_> = properties
                .split(';')
                .filter_map(|one| one.split_once('='))
                .map(|(name, _)| name)
                .collect();
            assert_eq!(
                names,
                ["type", "sourcepath", "linenumber", "columnnumber", "code"],
                "{line}"
            );
            assert!(
                properties.starts_with(&format!("type={kind};")) && message.contains("copied"),
                "{line}"
            );
        }
        assert!(lines[2].starts_with("note: "), "{text}");
    }
}

/// Formats whose output is read back in another file of tests.
const READ_ELSEWHERE: [&str; 3] = ["concise", "counts", "patch"];

#[test]
fn each_format_is_read_back_by_a_parser_of_its_kind() {
    let tests = include_str!("reports.rs");
    let is_read = |name: &str| tests.contains(&format!("\nmod {} {{", name.replace('-', "_")));
    let unread = FORMATS.iter().map(|format| format.name).filter(|name| !is_read(name));
    let unread: Vec<&str> = unread.filter(|name| !READ_ELSEWHERE.contains(name)).collect();
    assert!(
        unread.is_empty(),
        "write a module of tests for {unread:?} that reads what the format writes"
    );
}
