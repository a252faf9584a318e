//! One check after another, on one database.

use std::collections::HashMap;
use std::sync::Arc;

use ruff_db::parsed::parsed_module;
use ruff_text_size::{TextRange, TextSize};
use salsa::Database as _;
use ty_python_semantic::{Db as _, SemanticModel, check_file_unwrap};

use crate::complexity::excess;
use crate::database::Database;
use crate::deduced::{Deduced, deduced};
use crate::endless;
use crate::facts::Facts;
use crate::finding::{Finding, Report, Rule, Severity, Unchecked};
use crate::growth;
use crate::kinds::Types;
use crate::request::{CheckRequest, Mode, Tool};
use crate::source::prepared;
use crate::stub::Stub;
use crate::text::Lines;
use crate::walk::Scene;

/// Stubs and checks after which the database is made anew, so that what was once known does not pile up for ever.
const STUBS: usize = 2_000;
const CHECKS: usize = 20_000;

/// What the checker says where a value does not fit into what it is put into.
const CLASHES: [&str; 3] = ["invalid-argument-type", "invalid-assignment", "missing-typed-dict-key"];

/// Programs that touch what programs touch, most common first.
pub(crate) const WARM_UP: [&str; 5] = [
    include_str!("warm_up/values.py"),
    include_str!("warm_up/asyncio.py"),
    include_str!("warm_up/collections.py"),
    include_str!("warm_up/dates.py"),
    include_str!("warm_up/classes.py"),
];

/// A database and what was made for it.
pub(crate) struct Work {
    database: Database,
    stubs: HashMap<String, Arc<Stub>>,
    checks: usize,
}

impl Work {
    pub(crate) fn new() -> Self {
        Self { database: Database::new(), stubs: HashMap::new(), checks: 0 }
    }

    /// Stops what is being worked out when it is told to.
    pub(crate) fn cancellation(&self) -> salsa::CancellationToken {
        self.database.cancellation_token()
    }

    /// Works out what this program needs.
    pub(crate) fn warm_up(&mut self, source: &str) {
        self.check(&CheckRequest::new(source, Mode::Guard));
    }

    pub(crate) fn check(&mut self, request: &CheckRequest) -> Report {
        let source = request.source.strip_prefix('\u{feff}').unwrap_or(&request.source);
        if let Some(finding) = null(source) {
            return Report::of(vec![finding]);
        }
        if let Some(why) = excess(&request.source) {
            return Report::unchecked(why);
        }
        self.checks += 1;
        if self.database.stubs() > STUBS || self.checks > CHECKS {
            *self = Self::new();
        }
        let stubs: Vec<(&str, Arc<Stub>)> = request
            .tools
            .iter()
            .filter_map(|tool| Some((tool.callable.as_str(), self.stub(tool)?)))
            .collect();
        let source = Source { text: source, read: prepared(source) };
        match self.look(request, &source, &stubs, &Deduced::default()) {
            Look::Settled(report) => report,
            // What the first look says about functions, the second takes for granted.
            Look::Again(deduced) => match self.look(request, &source, &stubs, &deduced) {
                Look::Settled(report) => report,
                // There is no third; were there one, the program would count as not checked.
                Look::Again(_) => Report::unchecked(Unchecked::Failed),
            },
        }
    }

    fn look(
        &mut self,
        request: &CheckRequest,
        source: &Source<'_>,
        stubs: &[(&str, Arc<Stub>)],
        deduced: &Deduced,
    ) -> Look {
        let prefix = prefix(stubs, &deduced.imports);
        let (text, added) = source.with(deduced);
        let file = self.database.write_program(&format!("{prefix}{text}"));
        let lines = Lines::new(source.text).amid(prefix.len(), added);
        let pass = if deduced.annotations.is_empty() { Pass::First } else { Pass::Second };
        judge(&self.database, file, request, &lines, prefix.len(), stubs, pass)
    }

    fn stub(&mut self, tool: &Tool) -> Option<Arc<Stub>> {
        if let Some(stub) = self.stubs.get(&tool.callable).filter(|stub| stub.is_of(tool)) {
            return Some(stub.clone());
        }
        let stub = Arc::new(Stub::of(tool)?);
        self.database.write_stub(&stub.module, &stub.text);
        self.stubs.insert(tool.callable.clone(), stub.clone());
        Some(stub)
    }
}

/// The first null character: Python takes none, not even in a comment, and the parser here does not mind.
fn null(source: &str) -> Option<Finding> {
    let start = TextSize::try_from(source.find('\0')?).ok()?;
    let place = Lines::new(source).place(TextRange::at(start, TextSize::new(1)));
    Some(Finding {
        severity: Severity::Refuse,
        rule: Rule::Syntax,
        line: place.line,
        column: place.column,
        message: "SyntaxError: source code cannot contain null bytes".to_owned(),
        excerpt: place.excerpt,
        caret: place.caret,
        declared: None,
        nearest: None,
    })
}

/// A program, and what the checker reads of it.
struct Source<'a> {
    text: &'a str,
    read: String,
}

impl Source<'_> {
    /// What the checker reads with these annotations, and where they are in the program.
    fn with(&self, deduced: &Deduced) -> (String, Vec<(usize, usize)>) {
        let mut text = String::with_capacity(self.read.len());
        let mut added = Vec::new();
        let mut last = 0;
        for (at, annotation) in &deduced.annotations {
            let at = usize::from(*at);
            let Some(before) = self.read.get(last..at) else { continue };
            text.push_str(before);
            text.push_str(annotation);
            added.push((at, annotation.len()));
            last = at;
        }
        text.push_str(self.read.get(last..).unwrap_or_default());
        (text, added)
    }
}

/// What came of a look at a program.
enum Look {
    Settled(Report),
    /// It is worth another, with what was deduced.
    Again(Deduced),
}

/// Which look it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    First,
    Second,
}

/// The tools' names come in by imports on a line before the program.
fn prefix(stubs: &[(&str, Arc<Stub>)], others: &[String]) -> String {
    let imports: Vec<String> = stubs
        .iter()
        .map(|(callable, stub)| format!("from {} import {} as {callable}", stub.module, stub.function))
        .chain(others.iter().cloned())
        .collect();
    if imports.is_empty() { String::new() } else { format!("{}\n", imports.join("; ")) }
}

fn judge(
    database: &Database,
    file: ruff_db::files::File,
    request: &CheckRequest,
    lines: &Lines<'_>,
    prefix: usize,
    stubs: &[(&str, Arc<Stub>)],
    pass: Pass,
) -> Look {
    let program = database.program_file(file);
    let parsed = parsed_module(database, program.python_file(database)).load(database);
    if let Some(why) = endless::excess(parsed.suite()).or_else(|| growth::excess(parsed.suite())) {
        return Look::Settled(Report::unchecked(why));
    }
    let diagnostics = check_file_unwrap(database, program);
    let known: Vec<&Stub> = stubs.iter().map(|(_, stub)| &**stub).collect();
    let types = Types { database, model: SemanticModel::new(database, program), stubs: &known };
    let start = TextSize::try_from(prefix).unwrap_or_default();
    if pass == Pass::First && parsed.errors().is_empty() {
        let mut deduced = deduced(parsed.suite(), &types);
        // Counted from the beginning of the program.
        deduced.annotations.iter_mut().for_each(|(at, _)| *at = at.checked_sub(start).unwrap_or_default());
        if !deduced.annotations.is_empty() {
            return Look::Again(deduced);
        }
    }
    let clashes: Vec<TextRange> = diagnostics
        .iter()
        .filter(|found| CLASHES.contains(&found.id().as_str()))
        .filter_map(|found| found.range())
        .collect();
    let facts = Facts::of(parsed.suite(), &types, start, &clashes);
    let tools = stubs.iter().map(|(callable, stub)| (*callable, &**stub)).collect();
    let mut scene = Scene::new(request.mode, &types, &facts, lines, prefix, tools);
    if parsed.errors().is_empty() {
        scene.walk(parsed.suite());
    }
    scene.judge_diagnostics(&diagnostics, request);
    Look::Settled(Report::of(settled(scene.findings)))
}

/// In order of place; what the types say about a line only where nothing better is said.
fn settled(mut findings: Vec<Finding>) -> Vec<Finding> {
    // Of a broken program only the break is worth reading.
    if findings.iter().any(|finding| finding.rule == Rule::Syntax && finding.severity == Severity::Refuse) {
        findings.retain(|finding| finding.rule == Rule::Syntax);
        findings.sort_by_key(|finding| (finding.line, finding.column));
        // The others mostly follow from the first.
        findings.truncate(1);
    }
    findings.sort_by(|a, b| (a.line, a.column, b.severity).cmp(&(b.line, b.column, a.severity)));
    findings.dedup_by(|later, earlier| {
        (later.line, later.column, later.rule) == (earlier.line, earlier.column, earlier.rule)
    });
    let better: Vec<usize> =
        findings.iter().filter(|finding| finding.rule != Rule::Types).map(|finding| finding.line).collect();
    findings.retain(|finding| finding.rule != Rule::Types || !better.contains(&finding.line));
    findings
}
