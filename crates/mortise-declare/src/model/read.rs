//! From the keywords of a schema to types.

use std::collections::{HashMap, HashSet};

use mortise_contract::json::JsonKind;
use mortise_contract::schema::keyword::{Holds, KEYWORDS, implied_kind};
use mortise_contract::schema::{SchemaDocument, SchemaPlace};
use serde_json::{Map, Value};

use super::algebra::{intersection, is_closed_to_others, may_overlap, union};
use super::doc::EXACTLY_ONE;
use super::{Definition, Doc, Model, Type, settle};
use crate::loss::{Action, Losses, SchemaSide, Severity};
use crate::text::cut_comment;

/// Subschemas looked at.
const NODES: usize = 20_000;
/// Levels of types within each other.
const DEPTH: usize = 64;

/// Keywords that no type can say, how much that matters, and what to do instead.
pub(super) const UNSAID: [(&str, Severity, &str); 12] = [
    ("not", Severity::Warn, "say what is allowed instead of what is not"),
    ("if", Severity::Warn, "use `oneOf` with one branch for each case"),
    ("dependentSchemas", Severity::Warn, "use `oneOf` with one branch for each case"),
    ("dependentRequired", Severity::Warn, "use `oneOf` with one branch for each case"),
    ("dependencies", Severity::Warn, "use `oneOf` with one branch for each case"),
    ("propertyNames", Severity::Warn, "name the keys under `properties`"),
    ("contains", Severity::Info, "say it in the description"),
    ("minContains", Severity::Info, "say it in the description"),
    ("maxContains", Severity::Info, "say it in the description"),
    ("uniqueItems", Severity::Info, "say it in the description"),
    ("unevaluatedProperties", Severity::Info, "use `additionalProperties`"),
    ("unevaluatedItems", Severity::Info, "use `items`"),
];

pub(super) fn read(document: &Value, pointer: &str, side: SchemaSide) -> Model {
    let document = SchemaDocument::new(document);
    let mut reader = ModelReader {
        document: &document,
        losses: Losses::new(side),
        nodes: 0,
        drafts: Vec::new(),
        by_pointer: HashMap::new(),
        overlapping: HashSet::new(),
    };
    let Some(place) = document.place(pointer) else {
        return Model {
            root: Type::Unknown,
            doc: Doc::default(),
            definitions: Vec::new(),
            losses: Vec::new(),
        };
    };
    // The root is a definition too: a reference may lead there.
    let root = reader.definition(&place);
    let mut at = 0;
    while at < reader.drafts.len() {
        let place = reader.drafts[at].place.clone();
        let kind = reader.kind(&place);
        let doc = reader.doc(&place);
        let draft = &mut reader.drafts[at];
        (draft.kind, draft.doc) = (kind, doc);
        at += 1;
    }
    let definitions = reader.drafts.into_iter().map(DraftDefinition::finish).collect();
    settle::settle(root, definitions, reader.losses)
}

struct DraftDefinition<'a> {
    place: SchemaPlace<'a>,
    kind: Type,
    doc: Doc,
}

impl DraftDefinition<'_> {
    fn finish(self) -> Definition {
        let title = || self.place.value.get("title").and_then(Value::as_str).map(str::to_owned);
        let last = self.place.pointer.rsplit_once('/').map(|(container, last)| (container, last.to_owned()));
        let wanted = match last {
            Some((container, name))
                if container.ends_with("/$defs") || container.ends_with("/definitions") =>
            {
                Some(mortise_contract::json::unescape_token(&name).into_owned())
            }
            Some((_, name)) => title().or(Some(mortise_contract::json::unescape_token(&name).into_owned())),
            None => title(),
        };
        Definition { wanted, pointer: self.place.pointer, kind: self.kind, doc: self.doc }
    }
}

pub(super) struct ModelReader<'a, 'd> {
    document: &'d SchemaDocument<'a>,
    pub(super) losses: Losses,
    nodes: usize,
    drafts: Vec<DraftDefinition<'a>>,
    by_pointer: HashMap<String, usize>,
    /// Places with a `oneOf` whose branches overlap.
    overlapping: HashSet<String>,
}

impl<'a> ModelReader<'a, '_> {
    /// The number of the definition at a place; it is read later.
    fn definition(&mut self, place: &SchemaPlace<'a>) -> usize {
        if let Some(known) = self.by_pointer.get(&place.pointer) {
            return *known;
        }
        let number = self.drafts.len();
        self.by_pointer.insert(place.pointer.clone(), number);
        self.drafts.push(DraftDefinition { place: place.clone(), kind: Type::Unknown, doc: Doc::default() });
        number
    }

    /// What is said about the value at a place, or at the place that it refers to; its type is read first.
    pub(super) fn doc(&self, place: &SchemaPlace<'a>) -> Doc {
        let Value::Object(keywords) = place.value else { return Doc::default() };
        let mut own = Doc::of(keywords);
        if self.overlapping.contains(&place.pointer) {
            own.tags.insert(0, EXACTLY_ONE.to_owned());
        }
        let referred = keywords
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.document.target(&place.scope, reference))
            .and_then(|target| target.value.as_object().map(Doc::of));
        match referred {
            Some(referred) => own.or(referred),
            None => own,
        }
    }

    /// Comments beside types are short.
    fn note_cut_description(&mut self, place: &SchemaPlace<'a>, keywords: &Map<String, Value>) {
        let description = keywords.get("description").and_then(Value::as_str);
        if let Some((bytes, shown)) = description.and_then(cut_comment) {
            let reason = format!("{bytes} bytes; a comment shows {shown}");
            self.losses
                .add(&place.pointer, "description", (Action::Truncated, Severity::Info), reason)
                .fix("say it in fewer words");
        }
    }

    /// The type of the values at a place.
    pub(super) fn kind(&mut self, place: &SchemaPlace<'a>) -> Type {
        self.nodes += 1;
        if self.nodes > NODES || place.depth > DEPTH {
            let reason = match self.nodes > NODES {
                true => format!("the schema has more than {NODES} parts"),
                false => format!("the schema nests deeper than {DEPTH} levels"),
            };
            self.losses
                .add(&place.pointer, "$schema", (Action::Truncated, Severity::Warn), reason)
                .fix("make the schema smaller");
            return Type::Unknown;
        }
        match place.value {
            Value::Bool(true) => Type::Unknown,
            Value::Bool(false) => Type::Never,
            Value::Object(keywords) => {
                self.note_cut_description(place, keywords);
                self.keywords(place, keywords)
            }
            other => {
                let reason = "a schema is an object, true or false";
                self.losses
                    .add(&place.pointer, "", (Action::Widened, Severity::Warn), reason)
                    .before(other)
                    .after("unknown")
                    .fix("put a schema there");
                Type::Unknown
            }
        }
    }

    fn keywords(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        let dialect = place.scope.dialect;
        let mut parts = Vec::new();
        let references = KEYWORDS.iter().filter(|row| row.holds == Holds::Reference && row.is_in(dialect));
        for row in references {
            if let Some(reference) = keywords.get(row.name).and_then(Value::as_str) {
                parts.push(self.reference(place, row.name, reference));
            }
        }
        if dialect.has_only_reference(place.value) {
            // Up to draft 7 a reference makes its siblings void.
            return intersection(parts);
        }
        parts.push(self.own(place, keywords));
        if let Some(branches) = keywords.get("allOf").and_then(Value::as_array) {
            parts.extend(place.list("allOf", branches).iter().map(|branch| self.kind(branch)));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = keywords.get(keyword).and_then(Value::as_array) {
                let kinds: Vec<Type> =
                    place.list(keyword, branches).iter().map(|branch| self.kind(branch)).collect();
                if keyword == "oneOf" {
                    self.check_exclusive(place, &kinds);
                }
                parts.push(union(kinds));
            }
        }
        self.report_unsaid(place, keywords);
        if is_closed_to_others(&parts.iter().collect::<Vec<_>>()) {
            settle::report_closed(&place.pointer, &mut self.losses);
        }
        let possible = !parts.contains(&Type::Never);
        let kind = intersection(parts);
        if possible && kind == Type::Never {
            let reason = "no value fits: what the schema asks for contradicts itself";
            self.losses
                .add(&place.pointer, "allOf", (Action::Collapsed, Severity::Warn), reason)
                .after("never")
                .fix("remove the contradiction");
        }
        match keywords.get("nullable") {
            Some(Value::Bool(true)) => union(vec![kind, Type::Null]),
            _ => kind,
        }
    }

    fn reference(&mut self, place: &SchemaPlace<'a>, keyword: &str, reference: &str) -> Type {
        let Some(target) = self.document.target(&place.scope, reference) else {
            let is_inside = reference.starts_with('#');
            let (reason, fix) = match is_inside {
                true => (format!("`{reference}` leads nowhere"), "add the definition that is referred to"),
                false => (format!("`{reference}` is another document"), "copy the definition into `$defs`"),
            };
            self.losses
                .add(&place.pointer, keyword, (Action::Widened, Severity::Warn), reason)
                .after("unknown")
                .fix(fix);
            return Type::Unknown;
        };
        if keyword != "$ref" && self.document.is_overridden(reference) {
            let reason = format!("`{reference}` can mean several places; the nearest one is shown");
            self.losses
                .add(&place.pointer, keyword, (Action::Assumed, Severity::Warn), reason)
                .fix("refer to the definition with `$ref`");
        }
        Type::Named(self.definition(&target))
    }

    /// What `const`, `enum`, `type` and the keywords of objects and arrays say.
    fn own(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        if let Some(fixed) = self.fixed(place, keywords) {
            return fixed;
        }
        match keywords.get("type") {
            Some(Value::String(kind)) => self.typed(kind, place, keywords),
            Some(Value::Array(kinds)) if kinds.is_empty() => {
                let reason = "`type` names no type";
                self.losses
                    .add(&place.pointer, "type", (Action::Widened, Severity::Warn), reason)
                    .after("unknown")
                    .fix("name a type, or leave `type` out");
                Type::Unknown
            }
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                union(kinds.map(|kind| self.typed(kind, place, keywords)).collect())
            }
            _ => self.implied(place, keywords),
        }
    }

    fn typed(&mut self, kind: &str, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        match kind {
            "string" => Type::String,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            "null" => Type::Null,
            "object" => self.object(place, keywords),
            "array" => self.array(place, keywords),
            other => {
                let reason = format!("`{other}` is not a type");
                self.losses
                    .add(&place.pointer, "type", (Action::Widened, Severity::Warn), reason)
                    .after("unknown")
                    .fix("use one of the seven types of JSON Schema");
                Type::Unknown
            }
        }
    }

    /// Infers the type from keywords of objects and arrays.
    fn implied(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) -> Type {
        let (kind, word, because) = match implied_kind(keywords) {
            Some((JsonKind::Object, because)) => (self.object(place, keywords), "object", because),
            Some((JsonKind::Array, because)) => (self.array(place, keywords), "array", because),
            _ => return Type::Unknown,
        };
        let reason = format!("there is `{because}` but no `type`; it is taken to be an {word}");
        self.losses.add(&place.pointer, "type", (Action::Assumed, Severity::Info), reason).fix("add `type`");
        kind
    }

    /// "Exactly one" matters only where a value can fit several branches.
    fn check_exclusive(&mut self, place: &SchemaPlace<'a>, kinds: &[Type]) {
        const COMPARED: usize = 64;
        let some = &kinds[..kinds.len().min(COMPARED)];
        let overlap = some
            .iter()
            .enumerate()
            .any(|(at, a)| some[at + 1..].iter().any(|b| may_overlap(a, b) && *a != Type::Never));
        if overlap {
            self.overlapping.insert(place.pointer.clone());
            let reason = "a value must fit exactly one branch; the type says at least one";
            self.losses
                .add(&place.pointer, "oneOf", (Action::Widened, Severity::Info), reason)
                .fix("give every branch a property with a `const` of its own");
        }
    }

    fn report_unsaid(&mut self, place: &SchemaPlace<'a>, keywords: &'a Map<String, Value>) {
        for (keyword, severity, fix) in UNSAID {
            let Some(value) = keywords.get(keyword) else { continue };
            if matches!(value, Value::Bool(_)) && keyword == "uniqueItems" && value == &Value::Bool(false) {
                continue;
            }
            let reason = format!("a type can't say `{keyword}`");
            self.losses
                .add(&place.pointer, keyword, (Action::Widened, severity), reason)
                .before(value)
                .fix(fix);
        }
    }
}
