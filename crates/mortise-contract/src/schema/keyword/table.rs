//! The rows. Their order is that of tags in comments and of reports.

use super::{Applies, Bound, Comparison, ElementPart, Holds, Keyword, MemberPart, Purpose};
use crate::json::JsonKind::{Array, Number, Object, String};
use crate::schema::Dialect;
use Dialect::{Draft4, Draft6, Draft7, Draft201909, Draft202012};

/// Every keyword of the five dialects.
pub const KEYWORDS: &[Keyword] = &[
    row("$schema", Holds::Text, Purpose::Identity),
    row("$id", Holds::Address, Purpose::Identity).since(Draft6),
    row("id", Holds::Address, Purpose::Identity).until(Draft4),
    row("$anchor", Holds::Anchor, Purpose::Identity).since(Draft201909),
    row("$dynamicAnchor", Holds::Anchor, Purpose::Identity).since(Draft202012),
    row("$recursiveAnchor", Holds::Boolean, Purpose::Identity).since(Draft201909).until(Draft201909),
    row("$vocabulary", Holds::Object, Purpose::Identity).since(Draft201909),
    row("$defs", Holds::Map, Purpose::Definitions).since(Draft201909),
    row("definitions", Holds::Map, Purpose::Definitions),
    row("title", Holds::Text, Purpose::Annotation),
    row("description", Holds::Text, Purpose::Annotation),
    row("$comment", Holds::Text, Purpose::Annotation).since(Draft7),
    row("examples", Holds::Values, Purpose::Annotation).since(Draft6),
    row("readOnly", Holds::Boolean, Purpose::Annotation).since(Draft7),
    row("writeOnly", Holds::Boolean, Purpose::Annotation).since(Draft7),
    row("deprecated", Holds::Boolean, Purpose::Annotation).since(Draft201909).compared(Comparison::Rule),
    row("type", Holds::Types, Purpose::Assertion),
    row("enum", Holds::Values, Purpose::Assertion),
    row("const", Holds::Value, Purpose::Assertion).since(Draft6),
    row("minimum", Holds::Number, Purpose::Assertion).of(Number).bounds(Bound::Least).tag("@min"),
    row("exclusiveMinimum", Holds::Number, Purpose::Assertion).of(Number).bounds(Bound::Above).tag("@above"),
    row("maximum", Holds::Number, Purpose::Assertion).of(Number).bounds(Bound::Most).tag("@max"),
    row("exclusiveMaximum", Holds::Number, Purpose::Assertion).of(Number).bounds(Bound::Below).tag("@below"),
    row("multipleOf", Holds::Divisor, Purpose::Assertion).of(Number).tag("@multipleOf"),
    row("minLength", Holds::Count, Purpose::Assertion).of(String).bounds(Bound::Least).tag("@minLength"),
    row("maxLength", Holds::Count, Purpose::Assertion).of(String).bounds(Bound::Most).tag("@maxLength"),
    row("minItems", Holds::Count, Purpose::Assertion).of(Array).bounds(Bound::Least).tag("@minItems"),
    row("maxItems", Holds::Count, Purpose::Assertion).of(Array).bounds(Bound::Most).tag("@maxItems"),
    row("minProperties", Holds::Count, Purpose::Assertion)
        .of(Object)
        .bounds(Bound::Least)
        .tag("@minProperties"),
    row("maxProperties", Holds::Count, Purpose::Assertion)
        .of(Object)
        .bounds(Bound::Most)
        .tag("@maxProperties"),
    row("pattern", Holds::Text, Purpose::Assertion).of(String).tag("@pattern"),
    row("format", Holds::Text, Purpose::Format).of(String).tag("@format"),
    row("default", Holds::Value, Purpose::Annotation).compared(Comparison::Rule).tag("@default"),
    row("properties", Holds::Map, Purpose::Assertion)
        .of(Object)
        .implied()
        .applies(Applies::Members(MemberPart::Named)),
    row("additionalProperties", Holds::Schema, Purpose::Assertion)
        .of(Object)
        .implied()
        .applies(Applies::Members(MemberPart::Other)),
    row("required", Holds::Names, Purpose::Assertion).of(Object).implied(),
    row("patternProperties", Holds::Map, Purpose::Assertion)
        .of(Object)
        .implied()
        .applies(Applies::Members(MemberPart::Patterned)),
    row("items", Holds::Schema, Purpose::Assertion)
        .of(Array)
        .implied()
        .applies(Applies::Elements(ElementPart::Items)),
    row("prefixItems", Holds::List, Purpose::Assertion)
        .of(Array)
        .implied()
        .applies(Applies::Elements(ElementPart::Prefix))
        .since(Draft202012),
    row("additionalItems", Holds::Schema, Purpose::Assertion)
        .of(Array)
        .applies(Applies::Elements(ElementPart::Additional))
        .until(Draft201909),
    row("uniqueItems", Holds::Boolean, Purpose::Assertion).of(Array),
    row("allOf", Holds::List, Purpose::Assertion).applies(Applies::InPlace),
    row("anyOf", Holds::List, Purpose::Assertion).applies(Applies::Alternatives),
    row("oneOf", Holds::List, Purpose::Assertion).applies(Applies::Alternatives),
    row("not", Holds::Schema, Purpose::Assertion).applies(Applies::InPlace).tag("@not"),
    row("if", Holds::Schema, Purpose::Assertion)
        .applies(Applies::InPlace)
        .since(Draft7)
        .algebra("if")
        .tag("@if"),
    row("then", Holds::Schema, Purpose::Assertion)
        .applies(Applies::InPlace)
        .since(Draft7)
        .algebra("if")
        .tag("@then"),
    row("else", Holds::Schema, Purpose::Assertion)
        .applies(Applies::InPlace)
        .since(Draft7)
        .algebra("if")
        .tag("@else"),
    row("dependentRequired", Holds::NamesByName, Purpose::Assertion)
        .of(Object)
        .since(Draft201909)
        .algebra("dependentRequired")
        .tag("@dependentRequired"),
    row("dependentSchemas", Holds::Map, Purpose::Assertion)
        .of(Object)
        .applies(Applies::InPlace)
        .since(Draft201909)
        .algebra("dependentSchemas")
        .tag("@dependentSchemas"),
    row("dependencies", Holds::Map, Purpose::Assertion)
        .of(Object)
        .applies(Applies::InPlace)
        .until(Draft7)
        .algebra("dependencies")
        .tag("@dependencies"),
    row("propertyNames", Holds::Schema, Purpose::Assertion)
        .of(Object)
        .applies(Applies::Members(MemberPart::Keys))
        .since(Draft6)
        .tag("@propertyNames"),
    row("unevaluatedProperties", Holds::Schema, Purpose::Assertion)
        .of(Object)
        .applies(Applies::Members(MemberPart::Unevaluated))
        .since(Draft201909)
        .algebra("unevaluatedProperties"),
    row("unevaluatedItems", Holds::Schema, Purpose::Assertion)
        .of(Array)
        .applies(Applies::Elements(ElementPart::Unevaluated))
        .since(Draft201909)
        .algebra("unevaluatedItems"),
    row("contains", Holds::Schema, Purpose::Assertion)
        .of(Array)
        .applies(Applies::Elements(ElementPart::Contained))
        .since(Draft6)
        .algebra("contains")
        .tag("@contains"),
    row("minContains", Holds::Count, Purpose::Assertion).of(Array).since(Draft201909).algebra("contains"),
    row("maxContains", Holds::Count, Purpose::Assertion).of(Array).since(Draft201909).algebra("contains"),
    row("contentMediaType", Holds::Text, Purpose::Format)
        .of(String)
        .since(Draft7)
        .compared(Comparison::Words)
        .tag("@mediaType"),
    row("contentEncoding", Holds::Text, Purpose::Format).of(String).since(Draft7).compared(Comparison::Words),
    row("contentSchema", Holds::Schema, Purpose::Annotation).of(String).since(Draft201909),
    row("$ref", Holds::Reference, Purpose::Reference),
    row("$dynamicRef", Holds::Reference, Purpose::Reference).since(Draft202012).algebra("$dynamicRef"),
    row("$recursiveRef", Holds::Reference, Purpose::Reference)
        .since(Draft201909)
        .until(Draft201909)
        .algebra("$dynamicRef"),
];

/// A keyword of all dialects that says the same about every value.
const fn row(name: &'static str, holds: Holds, purpose: Purpose) -> Keyword {
    Keyword {
        name,
        holds,
        purpose,
        applies: Applies::Nowhere,
        concerns: None,
        implies_kind: false,
        bound: None,
        since: Draft4,
        until: Draft202012,
        comparison: match purpose {
            Purpose::Annotation => Comparison::Words,
            _ => Comparison::Rule,
        },
        tag: None,
    }
}

impl Keyword {
    const fn of(mut self, kind: crate::json::JsonKind) -> Self {
        self.concerns = Some(kind);
        self
    }

    const fn implied(mut self) -> Self {
        self.implies_kind = true;
        self
    }

    const fn applies(mut self, applies: Applies) -> Self {
        self.applies = applies;
        self
    }

    const fn bounds(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }

    const fn since(mut self, dialect: Dialect) -> Self {
        self.since = dialect;
        self
    }

    const fn until(mut self, dialect: Dialect) -> Self {
        self.until = dialect;
        self
    }

    const fn algebra(mut self, leader: &'static str) -> Self {
        self.comparison = Comparison::Algebra { leader };
        self
    }

    const fn compared(mut self, comparison: Comparison) -> Self {
        self.comparison = comparison;
        self
    }

    const fn tag(mut self, tag: &'static str) -> Self {
        self.tag = Some(tag);
        self
    }
}
