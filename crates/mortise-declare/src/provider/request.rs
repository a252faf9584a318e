//! Rules about all tools of one request.

use serde_json::Value;

use super::rule_table::ProviderRule;
use super::rules::ProviderRules;
use super::{ProviderOptions, ProviderTool, StrictRequest, StrictVerdict};
use crate::loss::{Action, Loss, Losses, SchemaSide, Severity};

/// What a provider would refuse of all tools together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLoss {
    /// The tools that are too much, by the names that the provider knows them by.
    pub tools: Vec<String>,
    /// What happens.
    pub loss: Loss,
}

/// Tools that are not strict, since too many others are.
#[derive(Default)]
pub(super) struct Withheld {
    /// Their places, and why.
    pub(super) tools: Vec<(usize, String)>,
    losses: Vec<RequestLoss>,
}

/// Counts what strict tools have together, in their order; those that go beyond a rule can't be strict.
pub(super) fn beyond_strict<'a>(
    rules: &ProviderRules,
    options: &ProviderOptions,
    tools: impl Iterator<Item = &'a ProviderTool>,
) -> Withheld {
    let mut withheld = Withheld::default();
    let request = rules.strict.as_ref().and_then(|strict| strict.request);
    let Some(request) = request.filter(|_| options.strict == StrictRequest::WherePossible) else {
        return withheld;
    };
    let mut counts = [
        Counted::new(request.tools, "strict tools"),
        Counted::new(request.optional, "optional parameters of strict tools"),
        Counted::new(request.unions, "parameters of strict tools with several types"),
    ];
    let strict = |(_, tool): &(usize, &ProviderTool)| tool.strict == StrictVerdict::Possible;
    for (at, tool) in tools.enumerate().filter(strict) {
        let (optional, unions) = input_of(&tool.json).map(freedom).unwrap_or_default();
        let own = [1, optional, unions];
        counts.iter_mut().zip(own).for_each(|(count, own)| count.all += own);
        match counts.iter_mut().zip(own).find(|(count, own)| count.kept + own > count.rule.most()) {
            Some((count, _)) => {
                count.beyond.push(tool.name.clone());
                let most = count.rule.most();
                withheld.tools.push((at, format!("a request takes {most} {}", count.what)));
            }
            None => counts.iter_mut().zip(own).for_each(|(count, own)| count.kept += own),
        }
    }
    withheld.losses = counts.into_iter().filter_map(Counted::loss).collect();
    withheld
}

/// What is refused of all tools together.
pub(super) fn losses(rules: &ProviderRules, withheld: Withheld, tools: &[ProviderTool]) -> Vec<RequestLoss> {
    let mut losses = withheld.losses;
    if let Some(rule) = rules.tools.filter(|rule| tools.len() > rule.most()) {
        let beyond = tools[rule.most()..].iter().map(|tool| tool.name.clone()).collect();
        let reason = format!("{} tools; a request takes {}", tools.len(), rule.most());
        let fix = "declare fewer tools: name those that are needed";
        losses.insert(0, request_loss(beyond, ("tools", Action::Kept), reason, rule, fix));
    }
    losses
}

/// Something that the strict tools of a request may have so much of.
struct Counted {
    rule: &'static ProviderRule,
    what: &'static str,
    /// In all tools that could be strict, and in those that are.
    all: usize,
    kept: usize,
    beyond: Vec<String>,
}

impl Counted {
    fn new(rule: &'static ProviderRule, what: &'static str) -> Self {
        Self { rule, what, all: 0, kept: 0, beyond: Vec::new() }
    }

    fn loss(self) -> Option<RequestLoss> {
        if self.beyond.is_empty() {
            return None;
        }
        let reason = format!(
            "{} {}; a request takes {}: these tools are not strict",
            self.all,
            self.what,
            self.rule.most()
        );
        let fix = "declare fewer tools, or make parameters required";
        Some(request_loss(self.beyond, ("strict", Action::Dropped), reason, self.rule, fix))
    }
}

fn request_loss(
    tools: Vec<String>,
    (keyword, action): (&str, Action),
    reason: String,
    rule: &'static ProviderRule,
    fix: &'static str,
) -> RequestLoss {
    let mut losses = Losses::new(SchemaSide::Input);
    losses.add("", keyword, (action, Severity::Error), reason).rule(rule).fix(fix);
    RequestLoss { tools, loss: losses.finish().remove(0) }
}

/// The input schema within a declaration.
fn input_of(tool: &Value) -> Option<&Value> {
    let places = ["/input_schema", "/toolSpec/inputSchema/json", "/parameters", "/function/parameters"];
    places.iter().find_map(|place| tool.pointer(place))
}

/// The optional parameters of a schema at every depth, and the parameters with several types.
fn freedom(schema: &Value) -> (usize, usize) {
    let Value::Object(members) = schema else { return (0, 0) };
    let list = |keyword: &str| members.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let map = |keyword: &str| members.get(keyword).and_then(Value::as_object).into_iter().flatten();
    let is_required = |name: &String| list("required").any(|required| required == name.as_str());
    let optional = map("properties").filter(|(name, _)| !is_required(name)).count();
    let is_union = members.contains_key("anyOf") || members.get("type").is_some_and(Value::is_array);
    let named = ["properties", "$defs", "definitions"].into_iter().flat_map(map).map(|(_, schema)| schema);
    let inner = named.chain(list("anyOf")).chain(members.get("items")).map(freedom);
    inner.fold((optional, usize::from(is_union)), |sum, own| (sum.0 + own.0, sum.1 + own.1))
}
