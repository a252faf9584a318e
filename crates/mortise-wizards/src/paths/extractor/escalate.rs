//! Which fields need Python, why, and what of it the library has.

use std::sync::LazyLock;

use mortise_contract::embedded;
use mortise_formats::rules::FieldType;
use regex::Regex;

use super::fields::{FieldPlan, Planned};
use crate::answer::{DecisionOption, DecisionQuestion, ResultWarning};
use crate::paths::decision::{Inexpressible, PathValueForm, inexpressible};
use crate::paths::hint::{Clause, Hint, HintKeyword, has_word, keywords};
use crate::paths::path::RulePath;
use crate::paths::semantic::{Primitive, YearForm, day_order, is_field_name, month_number};
use crate::paths::transform::{ComputedDatePart, Template, Transform};

#[derive(Clone, Debug, Default)]
pub(super) struct Escalation {
    pub(super) transforms: Vec<Transform>,
    /// Why, one sentence a field.
    pub(super) reasons: Vec<String>,
    /// What no transform does.
    pub(super) missing: Vec<String>,
    pub(super) warnings: Vec<ResultWarning>,
    pub(super) questions: Vec<DecisionQuestion>,
}

/// Looks at hints, then at values; a hint only ever adds to what the values ask for.
pub(super) fn decide(plan: &mut FieldPlan, paths: &[RulePath], hint: &Hint) -> Escalation {
    let mut escalation = Escalation::default();
    // Values first: what they rename must have its final name when a hint speaks of it.
    values(&mut escalation, plan, paths);
    for clause in &hint.clauses {
        match clause {
            Clause::Free { text } => free(&mut escalation, plan, text),
            Clause::Compute { field, from } => computed(&mut escalation, plan, field, from),
            _ => {}
        }
    }
    for template in hint.templates() {
        templated(&mut escalation, plan, template);
    }
    escalation.transforms.dedup();
    escalation
}

impl Escalation {
    fn transform(&mut self, transform: Transform, reason: String) {
        if !self.transforms.contains(&transform) {
            self.transforms.push(transform);
        }
        self.reasons.push(reason);
    }

    /// Adds a conversion that others may build on.
    pub(super) fn first(&mut self, transform: Transform, reason: String) {
        self.transforms.insert(0, transform);
        self.reasons.push(reason);
    }

    fn unavailable(&mut self, operation: String, reason: String) {
        self.missing.push(operation);
        self.reasons.push(reason);
    }
}

fn values(escalation: &mut Escalation, plan: &mut FieldPlan, paths: &[RulePath]) {
    for number in 0..plan.fields.len() {
        let planned = plan.fields[number].clone();
        // Ids are texts whatever they look like, and what has another type has been converted.
        let is_settled = matches!(planned.primitive, Some(Primitive::Entity { .. }))
            || planned.field.field_type != FieldType::String
            || planned.field.default.is_some();
        let texts = planned.texts(paths);
        let found = inexpressible(&planned.name, if is_settled { &[] } else { &texts });
        match found {
            None => {}
            Some(Inexpressible::ComputedName(word)) => escalation.unavailable(
                format!("computing `{}`", planned.name),
                format!(
                    "`{}` is a computed value by its name (`{word}`), and a path does not hold the parts",
                    planned.name
                ),
            ),
            Some(Inexpressible::MonthWords) => escalation.transform(
                Transform::Month { from: planned.name.clone() },
                format!("`{}` is a month in words: its number needs a lookup", planned.name),
            ),
            Some(Inexpressible::Mixed(forms)) => mixed(escalation, plan, number, &forms, &texts),
            Some(Inexpressible::Base64) => {
                let into = renamed_raw(plan, number);
                let from = plan.fields[number].name.clone();
                let reason = format!("`{into}` is Base64 of readable text: a decoding step is needed");
                escalation.transform(Transform::Base64 { from, into }, reason);
            }
            Some(Inexpressible::UrlEncoded) => {
                let into = renamed_raw(plan, number);
                let from = plan.fields[number].name.clone();
                let reason = format!("`{into}` is percent-encoded: a decoding step is needed");
                escalation.transform(Transform::Url { from, into }, reason);
            }
        }
    }
}

/// Gives a field's raw text a name of its own, and its name to what becomes of it.
pub(super) fn renamed_raw(plan: &mut FieldPlan, number: usize) -> String {
    let name = plan.fields[number].name.clone();
    plan.fields[number].name = plan.free_name(&format!("{name}_raw"));
    name
}

fn mixed(
    escalation: &mut Escalation,
    plan: &mut FieldPlan,
    number: usize,
    forms: &[PathValueForm],
    texts: &[&str],
) {
    let listed: Vec<&str> = forms.iter().map(|form| form.as_str()).collect();
    let listed = listed.join(" and ");
    if !forms.iter().all(|form| form.is_date()) {
        let name = &plan.fields[number].name;
        return escalation.unavailable(
            format!("one type for `{name}`, which is sometimes {listed}"),
            format!("`{name}` is conditional: sometimes {listed}"),
        );
    }
    let into = plan.free_name("date");
    plan.fields[number].name = plan.free_name(&format!("{into}_raw"));
    let mut formats = Vec::new();
    if forms.contains(&PathValueForm::IsoDate) {
        formats.push("%Y-%m-%d");
    }
    if forms.contains(&PathValueForm::CompactDate) {
        formats.push("%Y%m%d");
    }
    let orders: Vec<_> = texts.iter().filter_map(|text| day_order(text)).collect();
    let day_first = orders.iter().any(|order| !order.month_first);
    let month_first = orders.iter().any(|order| !order.day_first);
    match (day_first, month_first) {
        (true, false) => formats.push("%d-%m-%Y"),
        (false, true) => formats.push("%m-%d-%Y"),
        (false, false) if orders.is_empty() => {}
        // Undecided, or both ways at once: a guess would be wrong for some of them.
        _ => escalation.questions.push(order_question(texts)),
    }
    let from = plan.fields[number].name.clone();
    let reason = format!("`{into}` is conditional: the same folder is written as {listed}");
    escalation.transform(Transform::MixedDate { from, into, formats }, reason);
}

fn order_question(texts: &[&str]) -> DecisionQuestion {
    let values: Vec<&str> = texts.iter().copied().filter(|text| day_order(text).is_some()).take(5).collect();
    DecisionQuestion {
        id: "mixed_date_order".to_owned(),
        question: "Do these folders name the day or the month first?".to_owned(),
        options: vec![
            DecisionOption::new("european", "Day first", "05-06-2024 is the fifth of June"),
            DecisionOption::new("us", "Month first", "05-06-2024 is the sixth of May"),
        ],
        blocking: true,
        default_option: None,
        context: Some(values.join(", ")),
    }
}

/// Plain words that ask for something.
fn free(escalation: &mut Escalation, plan: &FieldPlan, text: &str) {
    let asked = keywords(text);
    let Some(first) = asked.first().copied() else {
        let message = "the hint asks for nothing that changes the rule".to_owned();
        escalation.warnings.push(ResultWarning::new("WARN_HINT_UNUSED", message).on("hint"));
        return;
    };
    if asked.iter().any(|keyword| matches!(keyword, HintKeyword::Combine(_))) {
        return combine(escalation, plan, text, first);
    }
    let is_mapping =
        asked.iter().any(|keyword| matches!(keyword, HintKeyword::Lookup(_) | HintKeyword::Conditional(_)));
    if is_mapping && let Some(transform) = literal_map(plan, text) {
        let from = match &transform {
            Transform::LiteralMap { from, .. } => from.clone(),
            _ => String::new(),
        };
        let reason = format!("the hint asks to {} values of `{from}` (`{}`)", verb(first), first.word());
        return escalation.transform(transform, reason);
    }
    match bound(plan, text).as_slice() {
        [planned] => match transform_for(plan, planned, text) {
            Some(transform) => {
                let reason = format!(
                    "the hint asks to {} `{}` (`{}`), and a rule only reads what is there",
                    verb(first),
                    planned.name,
                    first.word()
                );
                escalation.transform(transform, reason);
            }
            None => escalation.unavailable(
                format!("`{}` on `{}`", first.word(), planned.name),
                format!(
                    "the hint asks to {} `{}` (`{}`), which needs code",
                    verb(first),
                    planned.name,
                    first.word()
                ),
            ),
        },
        several => escalation.questions.push(which_field(plan, several, text)),
    }
}

/// What is asked for, up to the name of a field.
fn verb(keyword: HintKeyword) -> &'static str {
    match keyword {
        HintKeyword::Compute(_) => "compute a value from",
        HintKeyword::Expand(_) => "expand a value from",
        HintKeyword::Lookup(_) => "look up",
        HintKeyword::Conditional(_) => "decide by condition on",
        HintKeyword::Combine(_) => "combine",
    }
}

/// The fields that a text speaks of; where several are named, those that something can be computed from.
fn bound<'a>(plan: &'a FieldPlan, text: &str) -> Vec<&'a Planned> {
    const GENERIC: [&str; 6] = ["id", "file", "name", "raw", "segment", "type"];
    let named: Vec<&Planned> = plan
        .fields
        .iter()
        .filter(|planned| {
            let tokens = planned.name.split('_').chain(planned.origin.split('_'));
            has_word(text, &planned.name)
                || tokens
                    .filter(|token| token.len() > 2 && !GENERIC.contains(token))
                    .any(|token| has_word(text, token))
        })
        .collect();
    let convertible = |fields: &[&'a Planned]| -> Vec<&'a Planned> {
        fields.iter().copied().filter(|planned| transform_for(plan, planned, text).is_some()).collect()
    };
    let able = convertible(&named);
    match (named.len(), able.len()) {
        (0, _) => convertible(&plan.fields.iter().collect::<Vec<_>>()),
        (1, _) | (_, 0) => named,
        _ => able,
    }
}

fn which_field(plan: &FieldPlan, candidates: &[&Planned], text: &str) -> DecisionQuestion {
    let all: Vec<&Planned> = plan.fields.iter().collect();
    let offered = if candidates.is_empty() { all.as_slice() } else { candidates };
    DecisionQuestion {
        id: "hint_field".to_owned(),
        question: "Which field is the hint about?".to_owned(),
        options: offered
            .iter()
            .map(|planned| {
                DecisionOption::new(&planned.name, &planned.name, format!("Apply it to `{}`", planned.name))
            })
            .collect(),
        blocking: false,
        default_option: None,
        context: Some(text.to_owned()),
    }
}

/// What can be computed from a field, by what the field is.
fn transform_for(plan: &FieldPlan, planned: &Planned, text: &str) -> Option<Transform> {
    let from = planned.name.clone();
    let primitive = planned.primitive.as_ref()?;
    let origin = planned.origin.as_str();
    match primitive {
        primitive if Template::QuarterExpand.is_for(primitive) && origin.starts_with("quarter") => {
            Some(Transform::Quarter { from })
        }
        primitive if Template::HalfExpand.is_for(primitive) => Some(Transform::Half { from }),
        primitive if Template::WeekExpand.is_for(primitive) => {
            let year = plan.fields.iter().find(|other| other.origin == "year")?;
            Some(Transform::Week { from, year: year.name.clone() })
        }
        Primitive::Year { form: form @ (YearForm::Fiscal | YearForm::FiscalShort) } => {
            Some(Transform::Fiscal {
                from,
                is_code: *form == YearForm::FiscalShort,
                start_month: start_month(text),
            })
        }
        primitive if Template::MonthLookup.is_for(primitive) => Some(Transform::Month { from }),
        _ if matches!(planned.field.field_type, FieldType::Date { .. }) => {
            let all = [ComputedDatePart::Year, ComputedDatePart::Month, ComputedDatePart::Weekday];
            let asked: Vec<ComputedDatePart> =
                all.into_iter().filter(|part| has_word(text, part.as_str())).collect();
            Some(Transform::DateParts { from, parts: if asked.is_empty() { all.to_vec() } else { asked } })
        }
        _ => None,
    }
}

/// The month that a hint names, by word or number; January otherwise.
fn start_month(text: &str) -> u32 {
    let word = text.split(|letter: char| !letter.is_alphanumeric()).find_map(month_number);
    let number = || {
        let digits = NUMBER.captures(text)?;
        digits[1].parse::<u32>().ok().filter(|month| (1..=12).contains(month))
    };
    word.or_else(number).unwrap_or(1)
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| embedded::regex(r"(?i)month\s+(\d{1,2})\b"));
static PAIR: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r#"("[^"]+"|[A-Za-z0-9_.-]+)\s+(?:to|->)\s+("[^"]+"|[A-Za-z0-9_.-]+)"#));
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r#"(?i)\bif\s+(?:.*?(?:\bis\s+|==?\s*))?("[^"]+"|[A-Za-z0-9_.-]+)\s+then\s+("[^"]+"|[A-Za-z0-9_.-]+)\s+(?:otherwise|else)\s+("[^"]+"|[A-Za-z0-9_.-]+)"#,
    )
});
static INTO: LazyLock<Regex> = LazyLock::new(|| embedded::regex(r"(?i)\b(?:into|as)\s+([a-z_][a-z0-9_]*)"));
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| embedded::regex(r#"(?i)\bwith\s+"([^"]*)""#));

fn unquoted(text: &str) -> String {
    text.trim_matches('"').to_owned()
}

/// `map a to b, c to d` and `if x is a then b otherwise c`, on the one field that the text names.
fn literal_map(plan: &FieldPlan, text: &str) -> Option<Transform> {
    let named: Vec<&Planned> = plan.fields.iter().filter(|planned| has_word(text, &planned.name)).collect();
    let planned = match (named.as_slice(), plan.fields.as_slice()) {
        ([only], _) => *only,
        ([], [only]) => only,
        _ => return None,
    };
    let from = planned.name.clone();
    let into = plan.free_name(&format!("{from}_label"));
    if let Some(found) = CHOICE.captures(text) {
        let pairs = vec![(unquoted(&found[1]), unquoted(&found[2]))];
        return Some(Transform::LiteralMap { from, pairs, otherwise: Some(unquoted(&found[3])), into });
    }
    let pairs: Vec<(String, String)> = PAIR
        .captures_iter(text)
        .map(|found| (unquoted(&found[1]), unquoted(&found[2])))
        .filter(|(key, _)| *key != from)
        .collect();
    (!pairs.is_empty()).then_some(Transform::LiteralMap { from, pairs, otherwise: None, into })
}

fn combine(escalation: &mut Escalation, plan: &FieldPlan, text: &str, keyword: HintKeyword) {
    let lower = text.to_lowercase();
    let mut named: Vec<(usize, &str)> = plan
        .fields
        .iter()
        .filter(|planned| has_word(text, &planned.name))
        .filter_map(|planned| lower.find(planned.name.as_str()).map(|at| (at, planned.name.as_str())))
        .collect();
    named.sort_unstable();
    if named.len() < 2 {
        return escalation.questions.push(which_field(plan, &[], text));
    }
    let fields: Vec<String> = named.into_iter().map(|(_, name)| name.to_owned()).collect();
    let separator = SEPARATOR.captures(text).map_or("_".to_owned(), |found| found[1].to_owned());
    let into = INTO.captures(text).map(|found| found[1].to_owned());
    let into = into
        .filter(|name| is_field_name(name) && !plan.is_taken(name))
        .unwrap_or_else(|| plan.free_name("combined"));
    let reason =
        format!("the hint asks to {} `{}` (`{}`)", verb(keyword), fields.join("`, `"), keyword.word());
    escalation.transform(Transform::Concat { fields, separator, into }, reason);
}

/// `compute field from expression`.
fn computed(escalation: &mut Escalation, plan: &FieldPlan, field: &str, from: &str) {
    let named = plan.fields.iter().find(|planned| has_word(from, &planned.name));
    let text = format!("{field} {from}");
    let reason = |name: &str| {
        format!("the hint asks to compute `{field}` from `{name}`, and a rule only reads what is there")
    };
    match named.and_then(|planned| Some((planned, transform_for(plan, planned, &text)?))) {
        Some((planned, transform)) => escalation.transform(transform, reason(&planned.name)),
        None => escalation.unavailable(format!("computing `{field}` from `{from}`"), reason(from)),
    }
}

fn templated(escalation: &mut Escalation, plan: &FieldPlan, template: Template) {
    let fitting = plan.fields.iter().find_map(|planned| {
        let fits = planned.primitive.as_ref().is_some_and(|primitive| template.is_for(primitive));
        if fits { Some((planned, transform_for(plan, planned, "")?)) } else { None }
    });
    let name = template.as_str();
    match fitting {
        Some((planned, transform)) => {
            escalation.transform(transform, format!("the hint asks for `@{name}` on `{}`", planned.name));
        }
        None => escalation.unavailable(
            format!("`@{name}`"),
            format!("the hint asks for `@{name}`, and no folder has what it converts"),
        ),
    }
}
