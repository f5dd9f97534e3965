//! Writes a class of made submissions in C: mostly their own functions, some handed-out ones, some
//! copied.

use std::fs;
use std::io;
use std::path::Path;

use support::Random;

const SEED: u64 = 2026;
/// Functions that go around, and how many in a hundred of a submission are among them.
const GOING_AROUND: usize = 200;
const COPIED: usize = 12;
/// Functions that everybody was given.
const GIVEN: usize = 3;

/// Writes `count` submissions of `lines` lines each into `folder`.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, count: usize, lines: usize) -> io::Result<()> {
    for number in 0..count {
        let mut random = Random::new(SEED, number as u64 + 1);
        let mut text: Vec<String> = (0..GIVEN)
            .flat_map(|given| function(&mut Random::new(SEED + 1, given as u64)))
            .collect();
        while text.len() < lines {
            if random.below(100) < COPIED {
                let copied = random.below(GOING_AROUND) as u64;
                text.extend(function(&mut Random::new(SEED + 2, copied)));
            } else {
                text.extend(function(&mut random));
            }
        }
        text.truncate(lines);
        let own = folder.join(format!("s{number:05}"));
        fs::create_dir_all(&own)?;
        fs::write(own.join("main.c"), text.join("\n") + "\n")?;
    }
    Ok(())
}

fn function(random: &mut Random) -> Vec<String> {
    let names: Vec<String> = (0..5).map(|_| name(random)).collect();
    let mut lines = vec![
        format!(
            "static int {}_{}(struct {} *{}, int {})",
            names[0], names[1], names[2], names[3], names[4]
        ),
        "{".to_owned(),
    ];
    for _ in 0..6 + random.below(10) {
        let (condition, value, of) = (expression(random, 0), expression(random, 0), name(random));
        match random.below(5) {
            0 => lines.extend([
                format!("    if ({condition} > {value})"),
                format!("        {of} += {value};"),
            ]),
            1 => lines.extend([
                format!("    for (int i = 0; i < {condition}; i++)"),
                format!("        {of} ^= {value};"),
            ]),
            2 => lines
                .extend([format!("    while ({condition})"), format!("        {of}({value});")]),
            3 => lines.push(format!("    {of} = {value};")),
            _ => lines.push(format!("    {of}({condition}, {value});")),
        }
    }
    lines.extend([format!("    return {};", expression(random, 0)), "}".to_owned(), String::new()]);
    lines
}

fn expression(random: &mut Random, depth: usize) -> String {
    const OPERATORS: [&str; 8] = ["+", "-", "*", "^", "%", "&", "|", "<<"];
    let of = name(random);
    match random.below(if depth < 3 { 7 } else { 4 }) {
        0 => of,
        1 => random.below(100).to_string(),
        2 => format!("{of}->{}", name(random)),
        3 => format!("{of}[{}]", random.below(10)),
        4 => format!("{of}({}, {})", expression(random, depth + 1), name(random)),
        kind => {
            let (left, operator) = (expression(random, depth + 1), OPERATORS[random.below(8)]);
            let both = format!("{left} {operator} {}", expression(random, depth + 1));
            if kind == 5 { format!("({both})") } else { both }
        }
    }
}

fn name(random: &mut Random) -> String {
    const PARTS: [&str; 16] = [
        "ba", "cor", "di", "fen", "gu", "har", "jo", "kel", "li", "mon", "nu", "pas", "qui", "ros",
        "ta", "ver",
    ];
    (0..2 + random.below(2)).map(|_| PARTS[random.below(16)]).collect()
}
