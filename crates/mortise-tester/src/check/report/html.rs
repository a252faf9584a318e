//! The report as one page that needs nothing from elsewhere.

use std::fmt::Write as _;

use super::{CheckReport, ServerReport};
use crate::check::{
    CheckFinding, CheckRule, Class, Coverage, FindingSeverity, ToolStanding, Verification, counted, listed,
};
use crate::page::{Page, escape};

const STYLE: &str = include_str!("page.css");

/// One HTML document. It runs no script and loads nothing.
pub(super) fn render(report: &CheckReport) -> String {
    let mut page = String::new();
    header(&mut page, report);
    overview(&mut page, report);
    for (number, server) in report.servers.iter().enumerate() {
        section(&mut page, number, server);
    }
    _ = writeln!(
        page,
        "<footer>mortise {} · seed {} · {} · {} ms</footer>",
        env!("CARGO_PKG_VERSION"),
        report.seed,
        escape(&report.started_at),
        report.duration_ms
    );
    Page { title: "mortise check", style: STYLE, script: None, body: &page }.render()
}

fn header(page: &mut String, report: &CheckReport) {
    let (class, headline) = headline(report);
    _ = writeln!(page, "<header class=\"{class}\"><h1>{headline}</h1><p>");
    for (severity, one, several) in [
        (FindingSeverity::Error, "error", "errors"),
        (FindingSeverity::Warning, "warning", "warnings"),
        (FindingSeverity::Info, "remark", "remarks"),
    ] {
        let count = report.count(severity);
        let (class, word) = (severity.as_str(), if count == 1 { one } else { several });
        let class = if count == 0 { "none" } else { class };
        _ = write!(page, "<span class=\"tag {class}\">{count} {word}</span> ");
    }
    let calls: u64 = report.servers.iter().map(|server| server.calls).sum();
    let word = if calls == 1 { "call" } else { "calls" };
    _ = writeln!(
        page,
        "<span class=\"tag\">{calls} {word}</span></p><p>{}</p></header>",
        report.tally().sentence()
    );
}

/// Where to look, when there are several servers.
fn overview(page: &mut String, report: &CheckReport) {
    if report.servers.len() < 2 {
        return;
    }
    let rows = report.servers.iter().enumerate().map(|(number, server)| {
        let counted = |severity: FindingSeverity| match server.findings.count(severity) {
            0 => "<span class=\"dim\">0</span>".to_owned(),
            count => format!("<span class=\"mark {}\">{count}</span>", severity.as_str()),
        };
        vec![
            format!("<a href=\"#server-{number}\">{}</a>", escape(&server.server)),
            counted(FindingSeverity::Error),
            counted(FindingSeverity::Warning),
            counted(FindingSeverity::Info),
            server.tools.len().to_string(),
            server.made.len().to_string(),
        ]
    });
    table(page, &["Server", "Errors", "Warnings", "Remarks", "Tools", "Calls"], rows);
}

/// What it comes to in a few words, and the colour for it.
fn headline(report: &CheckReport) -> (&'static str, &'static str) {
    let findings = || report.servers.iter().flat_map(|server| server.findings.iter());
    let errors = || findings().filter(|finding| finding.severity == FindingSeverity::Error);
    let only = |rule: CheckRule| errors().all(|finding| finding.rule == rule);
    let is_drift = |rule: CheckRule| {
        use CheckRule::{DeclarationDrift, MissingTool, NewError, ResultDrift};
        matches!(rule, DeclarationDrift | MissingTool | NewError | ResultDrift)
    };
    let broken = match report.class(FindingSeverity::Error) {
        Class::Ok => {
            let has_calls = report.servers.iter().any(|server| server.calls > 0);
            let tally = report.tally();
            let is_complete = tally.count(Verification::Verified) == tally.total();
            return match (has_calls, is_complete, report.count(FindingSeverity::Warning)) {
                (false, _, _) => ("warning", "Nothing was called"),
                (true, true, 0) => ("good", "Contracts kept"),
                (true, true, _) => ("warning", "Contracts kept, with warnings"),
                (true, false, _) => ("warning", "Contracts kept by the tools that are verified"),
            };
        }
        Class::Failed if only(CheckRule::NothingChecked) => "Nothing was checked",
        Class::Failed if only(CheckRule::NothingVerified) => "Nothing was verified",
        Class::Failed if only(CheckRule::CaseFailed) => "Cases failed",
        Class::Failed if errors().all(|finding| is_drift(finding.rule)) => "Servers have drifted",
        Class::Failed => "Servers misbehave",
        Class::SchemaUnusable => "Schemas can't be used",
        Class::TimedOut => "Answers did not come in time",
        Class::ContractViolated => "Contracts broken",
        Class::Unreachable => "A server can't be reached",
        Class::AuthorizationRequired => "A server wants a login",
    };
    ("error", broken)
}

fn section(page: &mut String, number: usize, server: &ServerReport) {
    _ = writeln!(page, "<section id=\"server-{number}\">\n<h2>{}</h2>", escape(&server.server));
    let about = server.about.as_deref().unwrap_or("not connected");
    let version = server.protocol_version.as_deref().map(|version| format!(" · protocol {version}"));
    _ = writeln!(
        page,
        "<p class=\"dim\">{}{} · {} · {} · {}</p>",
        escape(about),
        escape(&version.unwrap_or_default()),
        counted(server.tools.len(), "tool"),
        server.tally().sentence(),
        counted(server.made.len(), "call"),
    );
    let (remarks, others): (Vec<&CheckFinding>, Vec<&CheckFinding>) =
        server.findings.iter().partition(|finding| finding.severity == FindingSeverity::Info);
    if others.is_empty() {
        page.push_str("<p>Nothing is wrong.</p>\n");
    }
    for finding in others {
        told(page, finding);
    }
    folded(page, "Remarks", remarks.len(), |page| remarks.iter().for_each(|finding| told(page, finding)));
    cases(page, server);
    coverage(page, &server.coverage);
    let (verified, others): (Vec<&ToolStanding>, Vec<&ToolStanding>) =
        server.standings.iter().partition(|tool| tool.standing == Verification::Verified);
    folded(page, "Not verified", others.len(), |page| {
        let rows = others
            .iter()
            .map(|tool| vec![code(&tool.tool), tool.standing.words().to_owned(), escape(&tool.reason)]);
        table(page, &["Tool", "Standing", "Why"], rows);
    });
    folded(page, "Verified", verified.len(), |page| {
        table(page, &["Tool"], verified.iter().map(|tool| vec![code(&tool.tool)]));
    });
    folded(page, "Calls", server.made.len(), |page| {
        let rows = server.made.iter().map(|call| {
            let ms = format!("{}&nbsp;ms", call.ms);
            vec![code(&call.tool), escape(call.kind), escape(call.verdict), ms, code(&call.arguments)]
        });
        table(page, &["Tool", "Kind", "Verdict", "Time", "Arguments"], rows);
    });
    page.push_str("</section>\n");
}

/// A part that is folded until the reader opens it.
fn folded(page: &mut String, title: &str, count: usize, body: impl FnOnce(&mut String)) {
    if count > 0 {
        _ = writeln!(
            page,
            "<details class=\"part\"><summary>{title} <span class=\"dim\">{count}</span></summary>"
        );
        body(page);
        page.push_str("</details>\n");
    }
}

fn told(page: &mut String, finding: &CheckFinding) {
    let severity = finding.severity.as_str();
    let tool = finding.tool.as_deref().map(|tool| format!("{} ", code(tool))).unwrap_or_default();
    let times = match finding.count {
        1 => String::new(),
        count => format!(" <span class=\"dim\">{count} times</span>"),
    };
    _ = writeln!(
        page,
        "<article class=\"{severity}\"><h3>{tool}{}{times} <span class=\"tag {severity}\">{}</span></h3>\n<p>{}</p>",
        escape(finding.rule.about().trim_end_matches('.')),
        finding.rule.code(),
        escape(&finding.message)
    );
    let evidence = &finding.evidence;
    if !evidence.is_empty() {
        // What is broken is proven at first sight; the rest on demand.
        let open = if finding.severity == FindingSeverity::Error { " open" } else { "" };
        _ = write!(page, "<details{open}><summary>Evidence</summary><dl>");
        for (word, part) in
            [("Request", &evidence.request), ("Response", &evidence.response), ("Place", &evidence.pointer)]
        {
            if !part.is_empty() {
                _ = write!(page, "<dt>{word}</dt><dd><pre>{}</pre></dd>", escape(part));
            }
        }
        page.push_str("</dl></details>\n");
    }
    _ = writeln!(page, "<p class=\"fix\">{}</p></article>", escape(finding.fix));
}

fn cases(page: &mut String, server: &ServerReport) {
    if server.cases.is_empty() {
        return;
    }
    page.push_str("<h3>Cases</h3>");
    let rows = server.cases.iter().map(|case| {
        let outcome = match &case.problem {
            None => "<span class=\"mark good\">passed</span>".to_owned(),
            Some(problem) => format!("<span class=\"mark error\">failed</span> {}", escape(problem)),
        };
        vec![escape(&case.name), code(&case.tool), format!("{}&nbsp;ms", case.ms), outcome]
    });
    table(page, &["Case", "Tool", "Time", "Outcome"], rows);
}

fn coverage(page: &mut String, coverage: &[(String, Coverage)]) {
    let covered: Vec<_> = coverage.iter().filter(|(_, coverage)| !coverage.declared.is_empty()).collect();
    if covered.is_empty() {
        return;
    }
    page.push_str("<h3>Coverage of output schemas</h3>");
    let rows = covered.into_iter().map(|(tool, coverage)| {
        let (seen, declared) = (coverage.seen(), coverage.declared.len());
        let bar = format!(
            "<meter min=\"0\" max=\"{declared}\" value=\"{seen}\"></meter> {seen}&nbsp;of&nbsp;{declared}"
        );
        let never = coverage.never_seen().collect::<Vec<_>>();
        let never = match coverage.is_partial {
            true => "not known: a result is too large to look at in full".to_owned(),
            false => escape(&listed(&never)),
        };
        vec![code(tool), bar, never]
    });
    table(page, &["Tool", "Seen", "Never seen"], rows);
}

/// Cells are HTML already.
fn table(page: &mut String, titles: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    page.push_str("<div class=\"wide\"><table><thead><tr>");
    for title in titles {
        _ = write!(page, "<th>{title}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        _ = writeln!(page, "<tr>{cells}</tr>");
    }
    page.push_str("</tbody></table></div>\n");
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}
