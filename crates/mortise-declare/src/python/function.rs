//! Tools as functions.

use super::super::arguments::Arguments;
use super::super::hint::HintStep;
use super::super::loss::{Action, Losses, SchemaSide, Severity};
use super::super::model::{ObjectField, ObjectType, Rest};
use super::super::prepare::Prepared;
use super::class::Classes;
use super::comment::said;
use super::place::PythonPlace;
use super::write::{docstring, is_name};
use crate::text::{comment_line, description_lines, python_string};

/// Keywords by which an input schema is more than one object, the most telling first.
const JOINED: [&str; 5] = ["oneOf", "anyOf", "allOf", "$ref", "type"];

impl Classes {
    /// The stub of one tool; classes that it needs are added.
    pub(super) fn function(&mut self, tool: &mut Prepared<'_>) -> String {
        let shown = tool.steps.input == HintStep::Full;
        let mut losses = Losses::new(SchemaSide::Input);
        let place = PythonPlace {
            name: tool.prefix.clone(),
            pointer: String::new(),
            model: &tool.input,
            named: &tool.input_names,
            shown,
        };
        self.define(&place, &mut losses);
        let arguments = Arguments::of(&tool.input);
        if arguments.is_joined {
            note_joined(tool, &mut losses);
        }
        let signature = self.parameters(&arguments, &place, &mut losses);
        let mut output_losses = Losses::new(SchemaSide::Output);
        let returns = match &tool.output {
            None => "Any".to_owned(),
            Some(output) => {
                let name = format!("{}Result", tool.prefix);
                let shown = tool.steps.output == HintStep::Full;
                let pointer = tool.output_pointer.to_owned();
                let place = PythonPlace { name, pointer, model: output, named: &tool.output_names, shown };
                self.define(&place, &mut output_losses);
                self.expression(&output.root, &place, &mut output_losses)
            }
        };
        let lines = documentation(tool, &arguments.object);
        let body = match docstring(&lines, "    ") {
            text if text.is_empty() => "    ...\n".to_owned(),
            text => format!("{text}    ...\n"),
        };
        let text = format!("async def {}({signature}) -> {returns}:\n{body}", tool.callable);
        tool.lose(SchemaSide::Input, losses);
        tool.lose(SchemaSide::Output, output_losses);
        text
    }

    fn parameters(&mut self, arguments: &Arguments, place: &PythonPlace<'_>, losses: &mut Losses) -> String {
        let Arguments { object: arguments, open, .. } = arguments;
        let mut parameters: Vec<String> = Vec::new();
        let (required, optional): (Vec<&ObjectField>, Vec<&ObjectField>) =
            arguments.fields.iter().filter(|field| is_name(&field.key)).partition(|field| field.required);
        for field in required.into_iter().chain(optional) {
            let kind = match self.expression(&field.kind, &place.field(&field.key), losses) {
                kind if open.contains(&field.key) && kind != "Any" => format!("{kind} | Any"),
                kind => kind,
            };
            let default = if field.required { "" } else { " = ..." };
            parameters.push(format!("{}: {kind}{default}", field.key));
        }
        if !parameters.is_empty() {
            parameters.insert(0, "*".to_owned());
        }
        let has_odd = arguments.fields.iter().any(|field| !is_name(&field.key));
        let rest = match &arguments.rest {
            Rest::Of(rest) if !has_odd => {
                Some(self.expression(rest, &place.inside("value", &["additionalProperties"]), losses))
            }
            Rest::Of(_) | Rest::Welcome => Some("Any".to_owned()),
            Rest::Open if arguments.fields.is_empty() => Some("Any".to_owned()),
            _ => has_odd.then(|| "Any".to_owned()),
        };
        parameters.extend(rest.map(|kind| format!("**{}: {kind}", free_name("others", arguments))));
        parameters.join(", ")
    }
}

/// A name that no argument has.
fn free_name(wanted: &str, arguments: &ObjectType) -> String {
    let mut name = wanted.to_owned();
    while arguments.fields.iter().any(|field| field.key == name) {
        name.push('_');
    }
    name
}

fn note_joined(tool: &Prepared<'_>, losses: &mut Losses) {
    let schema = &tool.definition.input_schema;
    let keyword = JOINED.into_iter().find(|keyword| schema.get(keyword).is_some()).unwrap_or_default();
    let reason = "the arguments of all parts are listed, and others are taken; which go together is not said";
    losses
        .add("", keyword, (Action::Widened, Severity::Warn), reason)
        .fix("put the properties at the root, and say in the description which go together");
}

fn documentation(tool: &Prepared<'_>, arguments: &ObjectType) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(description) = &tool.definition.description {
        lines.extend(description_lines(description));
    }
    let mut notes: Vec<String> = Vec::new();
    let shown = tool.steps.input == HintStep::Full;
    for field in &arguments.fields {
        let doc = said(&field.doc, &field.kind).filter(|_| shown);
        let odd = (!is_name(&field.key)).then(|| {
            let must = if field.required { "required, " } else { "" };
            format!("{must}passed as **{{{}: ...}}", python_string(&field.key))
        });
        let parts: Vec<String> = odd.into_iter().chain(doc).collect();
        if !parts.is_empty() {
            notes.push(format!("{}: {}", comment_line(&field.key), parts.join("; ")));
        }
    }
    let shown = tool.steps.output == HintStep::Full;
    let of_result = tool.output.as_ref().and_then(|output| said(&output.doc, &output.root));
    if let Some(said) = of_result.filter(|_| shown) {
        notes.push(format!("Returns: {said}"));
    }
    notes.extend(tool.definition.silence().map(str::to_owned));
    notes.extend(tool.steps.sentence().map(str::to_owned));
    if !lines.is_empty() && !notes.is_empty() {
        lines.push(String::new());
    }
    lines.extend(notes);
    lines
}
