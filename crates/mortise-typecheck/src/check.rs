//! One check after another, on one database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use mortise_contract::CheckMode;
use ruff_db::parsed::parsed_module;
use ruff_text_size::{TextRange, TextSize};
use ty_python_semantic::{Db as _, SemanticModel, check_file_unwrap};

use crate::database::Database;
use crate::deduced::{Deduced, Further};
use crate::evidence::ProgramEvidence;
use crate::evidence::facts::SourceFacts;
use crate::evidence::kinds::Types;
use crate::evidence::origins::Origins;
use crate::finding::{ShapeBasis, TypecheckFinding, TypecheckReport, TypecheckRule, TypecheckSeverity};
use crate::gather::MARK;
use crate::nesting::excess;
use crate::request::{CheckRequest, CheckedTool, ObservedOutput};
use crate::said::lint;
use crate::source::{blank, prepared};
use crate::stub::Stub;
use crate::text::ProgramLines;
use crate::walk::Scene;

/// Stubs and checks after which the database is made anew, so that what was once known does not pile up for ever.
const STUBS: usize = 2_000;
const CHECKS: usize = 20_000;

/// Reads one program: each follows what helpers pass on by one more step.
const PASSES: usize = 6;

/// What the checker says where a value does not fit into what it is put into.
const CLASHES: [&str; 3] =
    [lint::INVALID_ARGUMENT_TYPE, lint::INVALID_ASSIGNMENT, lint::MISSING_TYPED_DICT_KEY];

/// Programs that touch what programs touch, most common first.
pub(crate) const WARM_UP: [&str; 5] = [
    include_str!("warm_up/values.py"),
    include_str!("warm_up/asyncio.py"),
    include_str!("warm_up/collections.py"),
    include_str!("warm_up/dates.py"),
    include_str!("warm_up/classes.py"),
];

/// A database and what was made for it.
pub(crate) struct WarmDatabase {
    database: Database,
    stubs: HashMap<String, Arc<Stub>>,
    checks: usize,
    /// How often the last program was read.
    passes: usize,
}

impl WarmDatabase {
    pub(crate) fn new() -> Self {
        Self { database: Database::new(), stubs: HashMap::new(), checks: 0, passes: 0 }
    }

    /// Works out what this program needs.
    pub(crate) fn warm_up(&mut self, source: &str) {
        self.check(&CheckRequest::new(source, CheckMode::Guard));
    }

    pub(crate) fn check(&mut self, request: &CheckRequest) -> TypecheckReport {
        let report = self.judged(request);
        tracing::debug!(passes = self.passes, findings = report.findings.len(), "checked a program");
        TypecheckReport { mode: request.mode, ..report }
    }

    /// What is declared decides whether a program is refused. What was observed may add warnings, in a check of its own.
    fn judged(&mut self, request: &CheckRequest) -> TypecheckReport {
        let began = Instant::now();
        let report = self.judged_by(request, ShapeBasis::Declared);
        let is_broken = |finding: &TypecheckFinding| finding.rule == TypecheckRule::Syntax;
        let is_settled = report.unchecked.is_some() || report.findings.iter().any(is_broken);
        // A program whose check takes too long may be refused, and what was observed refuses no program.
        let is_late = request.observed_within.is_some_and(|within| began.elapsed() > within);
        if request.observed.is_empty() || is_settled || is_late {
            return report;
        }
        let request = CheckRequest { mode: CheckMode::Guard, ..request.clone() };
        report.with_observed(self.judged_by(&request, ShapeBasis::Observed))
    }

    fn judged_by(&mut self, request: &CheckRequest, basis: ShapeBasis) -> TypecheckReport {
        let source = request.source.strip_prefix('\u{feff}').unwrap_or(&request.source);
        if let Some(finding) = null(source) {
            return TypecheckReport::of(vec![finding]);
        }
        if let Some(why) = excess(&request.source) {
            return TypecheckReport::unchecked(why);
        }
        self.checks += 1;
        if self.database.stubs() > STUBS || self.checks > CHECKS {
            *self = Self::new();
        }
        let stubs: Vec<(&str, Arc<Stub>)> = request
            .tools
            .iter()
            .filter_map(|tool| {
                let observed = request.observed.get(&tool.callable);
                let observed = observed.filter(|_| basis == ShapeBasis::Observed);
                Some((tool.callable.as_str(), self.stub(tool, observed)?))
            })
            .collect();
        let source = CheckedSource::of(source);
        let mut deduced = Deduced::default();
        let (mut left, mut foresees) = (PASSES, true);
        self.passes = 0;
        loop {
            left -= 1;
            self.passes += 1;
            let prefix = prefix(&stubs, &deduced);
            let (text, added) = source.with(&deduced);
            let file = self.database.write_program(&format!("{prefix}{text}"));
            let lines = ProgramLines::new(source.text).amid(prefix.len(), added);
            // A pass builds on what the pass before it deduced about functions. The last pass only judges, so the one
            // before it foresees nothing that would have to be compared.
            let known = (left > 0).then_some((&deduced, foresees && left > 1));
            match judge_program(&self.database, file, request, &lines, prefix.len(), &stubs, known) {
                CheckPass::Settled(report) => return report,
                CheckPass::Again(more) => deduced = more,
                CheckPass::Mistaken => (deduced, left, foresees) = (Deduced::default(), PASSES, false),
            }
        }
    }

    fn stub(&mut self, tool: &CheckedTool, observed: Option<&ObservedOutput>) -> Option<Arc<Stub>> {
        let module = Stub::module_of(&tool.callable, observed.is_some());
        let known = self.stubs.get(&module);
        if let Some(stub) = known.filter(|stub| stub.is_of(tool, observed)) {
            return Some(stub.clone());
        }
        let stub = Arc::new(Stub::of(tool, observed)?);
        // One more result mostly changes nothing but the count.
        if known.is_none_or(|known| known.text != stub.text) {
            self.database.write_stub(&stub.module, &stub.text);
        }
        self.stubs.insert(module, stub.clone());
        Some(stub)
    }
}

/// The first null character: Python takes none, not even in a comment, and the parser here does not mind.
fn null(source: &str) -> Option<TypecheckFinding> {
    let start = TextSize::try_from(source.find('\0')?).ok()?;
    let place = ProgramLines::new(source).place(TextRange::at(start, TextSize::new(1)));
    Some(TypecheckFinding {
        severity: TypecheckSeverity::Refuse,
        rule: TypecheckRule::Syntax,
        line: place.line,
        column: place.column,
        message: "SyntaxError: source code cannot contain null bytes".to_owned(),
        excerpt: place.excerpt,
        caret: place.caret,
        declared: None,
        basis: ShapeBasis::Declared,
        nearest: None,
    })
}

/// A program, and what the checker reads of it.
struct CheckedSource<'a> {
    text: &'a str,
    read: String,
    /// Where calls of `gather` get their mark.
    marks: Vec<TextSize>,
}

impl<'a> CheckedSource<'a> {
    fn of(text: &'a str) -> Self {
        let (read, marks) = prepared(text);
        Self { text, read, marks }
    }

    /// What the checker reads with these annotations, and where they are in the program.
    fn with(&self, deduced: &Deduced) -> (String, Vec<(usize, usize)>) {
        let mut read = self.read.clone();
        deduced.replaced.iter().for_each(|range| blank(&mut read, *range));
        let annotations = deduced.annotations.iter().map(|(at, annotation)| (*at, annotation.as_str()));
        let marks = self.marks.iter().map(|at| (*at, MARK));
        let mut insertions: Vec<(TextSize, &str)> = annotations.chain(marks).collect();
        insertions.sort_by_key(|(at, _)| *at);
        let mut text = String::with_capacity(read.len());
        let mut added = Vec::new();
        let mut last = 0;
        for (at, inserted) in insertions {
            let at = usize::from(at);
            let Some(before) = read.get(last..at) else { continue };
            text.push_str(before);
            text.push_str(inserted);
            added.push((at, inserted.len()));
            last = at;
        }
        text.push_str(read.get(last..).unwrap_or_default());
        (text, added)
    }
}

/// The result of one pass over a program.
enum CheckPass {
    Settled(TypecheckReport),
    /// It is worth another, with what was deduced.
    Again(Deduced),
    /// What was deduced is not so.
    Mistaken,
}

/// The tools' names come in by imports on a line before the program.
fn prefix(stubs: &[(&str, Arc<Stub>)], deduced: &Deduced) -> String {
    let imports: Vec<String> = stubs
        .iter()
        .map(|(callable, stub)| format!("from {} import {} as {callable}", stub.module, stub.function))
        .chain(deduced.imports())
        .collect();
    if imports.is_empty() { String::new() } else { format!("{}\n", imports.join("; ")) }
}

/// Reads a program. With what is `known` of its functions, and whether to foresee, it first asks for more than that.
fn judge_program(
    database: &Database,
    file: ruff_db::files::File,
    request: &CheckRequest,
    lines: &ProgramLines<'_>,
    prefix: usize,
    stubs: &[(&str, Arc<Stub>)],
    known: Option<(&Deduced, bool)>,
) -> CheckPass {
    let program = database.program_file(file);
    let parsed = parsed_module(database, program.python_file(database)).load(database);
    let of_tools: Vec<&Stub> = stubs.iter().map(|(_, stub)| &**stub).collect();
    let types = Types { database, model: SemanticModel::new(database, program), stubs: &of_tools };
    let origin = |range| lines.within(range);
    if let Some((known, foresees)) = known.filter(|_| parsed.errors().is_empty()) {
        match known.and_further(parsed.suite(), &types, origin, foresees) {
            Further::Nothing => {}
            Further::More(more) => return CheckPass::Again(more),
            Further::Mistaken => return CheckPass::Mistaken,
        }
    }
    let diagnostics = check_file_unwrap(database, program);
    let start = TextSize::try_from(prefix).unwrap_or_default();
    let clashes: Vec<TextRange> = diagnostics
        .iter()
        .filter(|found| CLASHES.contains(&found.id().as_str()))
        .filter_map(|found| found.range())
        .collect();
    let facts = SourceFacts::of(parsed.suite(), &types, start, &clashes);
    let tools = stubs.iter().map(|(callable, stub)| (*callable, &**stub)).collect();
    let is_written = |range| lines.within(range).is_some_and(|written| !written.is_empty());
    let origins = Origins::of(parsed.suite(), start, is_written);
    let evidence = ProgramEvidence { types: &types, facts: &facts, origins: &origins, tools };
    let mut scene = Scene::new(request.mode, evidence, lines, prefix);
    match parsed.errors() {
        [] => scene.walk(parsed.suite()),
        _ => scene.judge_tokens(parsed.tokens(), parsed.errors()),
    }
    scene.judge_diagnostics(&diagnostics, request);
    CheckPass::Settled(TypecheckReport::of(settled(scene.findings)))
}

/// In order of place; what the types say about a line only where nothing better is said.
fn settled(mut findings: Vec<TypecheckFinding>) -> Vec<TypecheckFinding> {
    // Of a broken program only the break is worth reading.
    if findings
        .iter()
        .any(|finding| finding.rule == TypecheckRule::Syntax && finding.severity == TypecheckSeverity::Refuse)
    {
        findings.retain(|finding| finding.rule == TypecheckRule::Syntax);
        findings.sort_by_key(|finding| (finding.line, finding.column));
        // The others mostly follow from the first.
        findings.truncate(1);
    }
    findings.sort_by(|a, b| (a.line, a.column, b.severity).cmp(&(b.line, b.column, a.severity)));
    findings.dedup_by(|later, earlier| {
        (later.line, later.column, later.rule) == (earlier.line, earlier.column, earlier.rule)
    });
    // What may be absent is worth one warning.
    let mut absent = HashSet::new();
    findings.retain(|finding| {
        finding.rule != TypecheckRule::MaybeAbsent || absent.insert(finding.message.clone())
    });
    let is_general =
        |finding: &TypecheckFinding| matches!(finding.rule, TypecheckRule::Types | TypecheckRule::WrongType);
    let better: Vec<(usize, TypecheckSeverity)> = findings
        .iter()
        .filter(|finding| !is_general(finding))
        .map(|finding| (finding.line, finding.severity))
        .collect();
    findings.retain(|finding| {
        let is_said_better = |(line, severity): &(usize, TypecheckSeverity)| {
            *line == finding.line && *severity >= finding.severity
        };
        !is_general(finding) || !better.iter().any(is_said_better)
    });
    findings
}

#[cfg(test)]
mod tests;
