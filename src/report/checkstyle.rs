//! Writes Checkstyle's XML, which Jenkins, reviewdog and many editors read.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_xml::Writer;

use super::Style;
use super::junit::{legal, write_xml};
use super::words::of_level;
use crate::audit::Outcome;
use crate::policy::Finding;
use crate::text::FilePath;

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut files: BTreeMap<&FilePath, Vec<&Finding>> = BTreeMap::new();
    for finding in outcome.all_findings() {
        files.entry(&finding.path).or_default().push(finding);
    }
    write_xml(out, |xml| {
        let report = xml.create_element("checkstyle").with_attribute(("version", "8.0"));
        report.write_inner_content(|xml| {
            for (path, findings) in files {
                let name = legal(&path.to_string());
                let file = xml.create_element("file").with_attribute(("name", &*name));
                file.write_inner_content(|xml| findings.iter().try_for_each(|of| error(of, xml)))?;
            }
            Ok(())
        })?;
        Ok(())
    })
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
