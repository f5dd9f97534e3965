//! Writes Checkstyle's XML, which Jenkins, reviewdog and many editors read.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, Event};

use super::Style;
use super::junit::legal;
use super::words::of_level;
use crate::audit::Outcome;
use crate::policy::Finding;
use crate::text::FilePath;

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut files: BTreeMap<&FilePath, Vec<&Finding>> = BTreeMap::new();
    for finding in outcome.all_findings() {
        files.entry(&finding.path).or_default().push(finding);
    }
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("checkstyle").with_attribute(("version", "8.0")).write_inner_content(
        |xml| {
            for (path, findings) in files {
                let file =
                    xml.create_element("file").with_attribute(("name", &*legal(&path.to_string())));
                file.write_inner_content(|xml| {
                    findings.iter().try_for_each(|finding| error(finding, xml))
                })?;
            }
            Ok(())
        },
    )?;
    out.write_all(&xml.into_inner())?;
    writeln!(out)
}

fn error(finding: &Finding, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let severity = of_level(finding.level, ["error", "warning", "info"]);
    let (line, column) =
        (finding.added.start.line.to_string(), finding.added.start.column.to_string());
    let (message, source) = (legal(&finding.message()), format!("secondhand.{}", finding.rule.id));
    let attributes = [
        ("line", &*line),
        ("column", &*column),
        ("severity", severity),
        ("message", &*message),
        ("source", &*source),
    ];
    xml.create_element("error").with_attributes(attributes).write_empty()?;
    Ok(())
}
