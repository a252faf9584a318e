//! Where the output schema of a tool goes: a field of its own, or the description.

use mortise_contract::json::JsonKind;
use mortise_contract::schema::referred;
use serde_json::{Value, json};

use super::rule_table::ProviderRule;
use super::rules::{OutputField, ProviderRules};
use super::{HintForm, OutputForm, ProviderOptions, bounded, cleaned, in_subset};
use crate::definition::ToolDefinition;
use crate::hint::{self, HintStep};
use crate::limits;
use crate::loss::{Action, Loss, Losses, SchemaSide, Severity};

/// What stands before an output shape in a description, and what parts it from the text.
const START: &str = "Returns: ";
const GAP: &str = "\n\n";
/// References and branches looked through for the kind of a result.
const DEEPEST: usize = 32;

/// An output schema in its place.
pub(super) struct Placed {
    pub(super) form: OutputForm,
    /// The schema for the provider's field.
    pub(super) native: Option<Value>,
    /// What the type in the description could not keep.
    pub(super) hint_losses: Vec<Loss>,
}

impl Placed {
    fn nowhere() -> Self {
        Self { form: OutputForm::None, native: None, hint_losses: Vec::new() }
    }
}

/// Puts the output schema where the provider reads it.
pub(super) fn place(
    rules: &ProviderRules,
    tool: &ToolDefinition,
    options: &ProviderOptions,
    losses: &mut Losses,
    description: &mut String,
) -> Placed {
    let rule = match rules.output {
        OutputField::None => return hint(rules, tool, options, losses, description),
        OutputField::Any(_) => None,
        OutputField::Objects(_, rule) => Some(rule),
    };
    let Some(schema) = tool.result_schema(options.results) else { return Placed::nowhere() };
    let Some(schema) = as_object(schema, losses).and_then(|schema| bounded(&schema, losses)) else {
        return Placed::nowhere();
    };
    if let Some(rule) = rule.filter(|_| says_other(&schema, &schema, 0)) {
        let reason = "the provider's field is for objects; the description says what the tool returns";
        losses
            .add("", "type", (Action::Renamed, Severity::Info), reason)
            .before(schema.get("type").unwrap_or(&Value::Null))
            .rule(rule);
        return hint(rules, tool, options, losses, description);
    }
    let schema = in_subset(rules, cleaned(schema, losses), losses);
    let form = OutputForm::Native { bytes: schema.to_string().len() };
    Placed { form, native: Some(schema), hint_losses: Vec::new() }
}

/// The schema as a JSON object, which is what providers take.
fn as_object(schema: Value, losses: &mut Losses) -> Option<Value> {
    match schema {
        Value::Object(_) => Some(schema),
        Value::Bool(takes_all) => {
            let now = if takes_all { json!({}) } else { json!({"not": {}}) };
            let reason = "the provider takes a schema that is an object; this one says the same";
            losses
                .add("", "outputSchema", (Action::Renamed, Severity::Info), reason)
                .before(&schema)
                .after(&now.to_string());
            Some(now)
        }
        other => {
            let reason = format!("the output schema is {}, not a schema", JsonKind::of(&other));
            losses
                .add("", "outputSchema", (Action::Dropped, Severity::Warn), reason)
                .before(&other)
                .fix("declare an `outputSchema` that is an object");
            None
        }
    }
}

/// Whether a schema says that a result may be something else than an object. One that does not say is taken for one.
fn says_other(root: &Value, schema: &Value, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let inner = |schema: &Value| says_other(root, schema, depth + 1);
    match schema.get("type") {
        Some(Value::String(kind)) => return kind != "object",
        Some(Value::Array(kinds)) => return kinds.iter().any(|kind| kind != "object"),
        _ => {}
    }
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|link| referred(root, link));
    let branches = ["anyOf", "oneOf", "allOf"].into_iter();
    let branches = branches.filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    target.is_some_and(inner)
        || branches.into_iter().any(inner)
        || ["items", "prefixItems"].iter().any(|keyword| schema.get(*keyword).is_some())
}

/// Puts the output shape at the end of the description, within our bound and the provider's.
fn hint(
    rules: &ProviderRules,
    tool: &ToolDefinition,
    options: &ProviderOptions,
    losses: &mut Losses,
    description: &mut String,
) -> Placed {
    let Some(mut model) = tool.output_model(options.results) else { return Placed::nowhere() };
    let gap = if description.is_empty() { "" } else { GAP };
    let ours = options.hint_bytes.max(limits::HINT_BYTES_MIN);
    // Every character is a byte at least.
    let theirs = rules
        .description
        .map(|rule| (rule.most().saturating_sub(description.chars().count() + gap.len()), rule));
    let theirs = theirs.filter(|(room, _)| *room < ours);
    let bytes = theirs.map_or(ours, |(room, _)| room);
    let budget = bytes.saturating_sub(START.len());
    let (text, step, mut hint_losses) = match schema_hint(tool, options, budget, losses) {
        Some(text) => (text, HintStep::Full, Vec::new()),
        None => {
            let (kind, step) = hint::compact(&model, budget);
            let mut losses = std::mem::take(&mut model.losses);
            if step != HintStep::Full {
                losses.extend(hint::shortened(step, bytes));
            }
            let is_gone = step == HintStep::Sentence;
            (if is_gone { "structured JSON, see inspect_tool".to_owned() } else { kind }, step, losses)
        }
    };
    if let Some((room, rule)) = theirs {
        if step == HintStep::Sentence || text.len() > budget {
            return Placed { hint_losses: vec![no_room(room, rule)], ..Placed::nowhere() };
        }
        let ours = |loss: &&mut Loss| loss.keyword == "budget";
        hint_losses.iter_mut().filter(ours).for_each(|loss| loss.rule = Some(rule.id));
    }
    description.push_str(gap);
    description.push_str(START);
    description.push_str(&text);
    let whole = if step == HintStep::Full { text.len() } else { hint::whole(&model).len() };
    let form = OutputForm::Hint { step, bytes: START.len() + text.len(), whole_bytes: START.len() + whole };
    Placed { form, native: None, hint_losses }
}

/// The loss of a shape for which the provider leaves no room.
fn no_room(room: usize, rule: &'static ProviderRule) -> Loss {
    let mut losses = Losses::new(SchemaSide::Output);
    let reason = format!(
        "the description leaves {room} of {} characters; what the tool returns is left out",
        rule.most()
    );
    let detail = losses.add("", "budget", (Action::Dropped, Severity::Warn), reason);
    detail.rule(rule).fix("shorten the description of the tool");
    losses.finish().remove(0)
}

/// The schema itself, if that is asked for and it fits.
fn schema_hint(
    tool: &ToolDefinition,
    options: &ProviderOptions,
    budget: usize,
    losses: &mut Losses,
) -> Option<String> {
    let schema = tool.result_schema(options.results).filter(|_| options.hint == HintForm::Schema)?;
    let text = cleaned(bounded(&schema, losses)?, losses).to_string();
    if text.len() > budget {
        let reason = format!("the schema is longer than {} bytes; the type is shown", budget + START.len());
        losses.add("", "budget", (Action::Collapsed, Severity::Info), reason);
        return None;
    }
    Some(text)
}
