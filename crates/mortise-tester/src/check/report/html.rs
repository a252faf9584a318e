//! The report as one page that needs nothing from elsewhere.

use std::fmt::Write as _;

use super::{CheckReport, ServerReport};
use crate::check::{Coverage, Finding, Severity};

const STYLE: &str = include_str!("page.css");

/// One HTML document. It runs no script and loads nothing.
pub(super) fn render(report: &CheckReport) -> String {
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    _ = writeln!(page, "<title>mortise check</title>\n<style>\n{STYLE}</style>\n</head>\n<body>");
    header(&mut page, report);
    for server in &report.servers {
        section(&mut page, server);
    }
    _ = writeln!(
        page,
        "<footer>mortise {} · seed {} · {} · {} ms</footer>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION"),
        report.seed,
        escape(&report.started_at),
        report.duration_ms
    );
    page
}

fn header(page: &mut String, report: &CheckReport) {
    let errors = report.count(Severity::Error);
    let verdict = match (errors, report.count(Severity::Warning)) {
        (0, 0) => "Contracts kept",
        (0, _) => "Contracts kept, with warnings",
        _ => "Contracts broken",
    };
    let class = if errors > 0 { "error" } else { "good" };
    _ = writeln!(page, "<header class=\"{class}\"><h1>{verdict}</h1><p>");
    for (severity, word) in
        [(Severity::Error, "errors"), (Severity::Warning, "warnings"), (Severity::Info, "remarks")]
    {
        _ = write!(
            page,
            "<span class=\"tag {}\">{} {word}</span> ",
            severity.as_str(),
            report.count(severity)
        );
    }
    let calls: u64 = report.servers.iter().map(|server| server.calls).sum();
    _ = writeln!(page, "<span class=\"tag\">{calls} calls</span></p></header>");
}

fn section(page: &mut String, server: &ServerReport) {
    _ = writeln!(page, "<section>\n<h2>{}</h2>", escape(&server.server));
    let about = server.about.as_deref().unwrap_or("not connected");
    let version = server.protocol_version.as_deref().map(|version| format!(" · protocol {version}"));
    _ = writeln!(
        page,
        "<p class=\"dim\">{}{} · {} tools · {} calls</p>",
        escape(about),
        escape(&version.unwrap_or_default()),
        server.tools.len(),
        server.calls
    );
    if server.findings.iter().next().is_none() {
        page.push_str("<p>Nothing found.</p>\n");
    }
    for finding in server.findings.iter() {
        told(page, finding);
    }
    cases(page, server);
    coverage(page, &server.coverage);
    if !server.skipped.is_empty() {
        page.push_str("<details><summary>Not called</summary><table>\n");
        for skipped in &server.skipped {
            row(page, &[&skipped.tool, &skipped.reason]);
        }
        page.push_str("</table></details>\n");
    }
    page.push_str("</section>\n");
}

fn told(page: &mut String, finding: &Finding) {
    let severity = finding.rule.severity().as_str();
    let tool =
        finding.tool.as_deref().map(|tool| format!("<code>{}</code> ", escape(tool))).unwrap_or_default();
    let times = if finding.count > 1 {
        format!(" <span class=\"dim\">×{}</span>", finding.count)
    } else {
        String::new()
    };
    _ = writeln!(
        page,
        "<article class=\"{severity}\"><h3><span class=\"tag {severity}\">{}</span> {tool}{times}</h3><p>{}</p>",
        finding.rule.code(),
        escape(&finding.message)
    );
    if !finding.evidence.is_empty() {
        _ = writeln!(
            page,
            "<details><summary>Evidence</summary><pre>{}</pre></details>",
            escape(&finding.evidence)
        );
    }
    _ = writeln!(page, "<p class=\"fix\">{}</p></article>", escape(finding.rule.fix()));
}

fn cases(page: &mut String, server: &ServerReport) {
    if server.cases.is_empty() {
        return;
    }
    page.push_str("<h3>Cases</h3><table>\n");
    for case in &server.cases {
        let outcome = case.problem.as_deref().unwrap_or("passed");
        row(page, &[&case.name, &case.tool, &format!("{} ms", case.ms), outcome]);
    }
    page.push_str("</table>\n");
}

fn coverage(page: &mut String, coverage: &[(String, Coverage)]) {
    let covered: Vec<_> = coverage.iter().filter(|(_, coverage)| !coverage.declared.is_empty()).collect();
    if covered.is_empty() {
        return;
    }
    page.push_str("<h3>Coverage of output schemas</h3><table>\n");
    for (tool, coverage) in covered {
        let never = coverage.never_seen().collect::<Vec<_>>().join(", ");
        let never = if never.is_empty() { never } else { format!("never seen: {never}") };
        row(page, &[tool, &format!("{} of {}", coverage.seen(), coverage.declared.len()), &never]);
    }
    page.push_str("</table>\n");
}

fn row(page: &mut String, cells: &[&str]) {
    page.push_str("<tr>");
    for cell in cells {
        _ = write!(page, "<td>{}</td>", escape(cell));
    }
    page.push_str("</tr>\n");
}

/// Text from outside as text.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            // Controls that hide or turn text around are shown as what they are.
            letter
                if letter.is_control()
                    || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                _ = write!(escaped, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
