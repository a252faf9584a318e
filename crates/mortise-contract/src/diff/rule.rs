//! The rules of the diff by name.

use std::fmt;

use serde::Serialize;

macro_rules! rules {
    ($($variant:ident $id:literal $doc:literal,)*) => {
        /// Which rule saw a change. The id is stable: waivers and reports name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $doc] #[serde(rename = $id)] $variant,)*
        }

        impl Rule {
            /// Every rule, in the order of the reference table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The id in reports and waivers, which never changes.
            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// What the rule looks at.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

rules! {
    ToolRemoved "tool-removed" "A tool is gone or was renamed.",
    ToolAdded "tool-added" "There is a new tool.",
    OutputSchemaAdded "output-schema-added" "A tool declares an output schema now.",
    OutputSchemaRemoved "output-schema-removed" "A tool declares no output schema any more.",
    SchemaUnusable "schema-unusable" "A schema can't be read or compiled, so its changes can't be judged.",
    DialectChanged "dialect-changed" "`$schema` names another dialect.",
    RequiredPropertyAdded "required-property-added" "A property is new and required.",
    OptionalPropertyAdded "optional-property-added" "A property is new and optional.",
    RequiredPropertyRemoved "required-property-removed" "A required property is gone.",
    OptionalPropertyRemoved "optional-property-removed" "An optional property is gone.",
    BecameRequired "became-required" "An optional property is required now.",
    BecameOptional "became-optional" "A required property is optional now.",
    TypeWidened "type-widened" "More types are allowed.",
    TypeNarrowed "type-narrowed" "Fewer types are allowed.",
    TypeReplaced "type-replaced" "Other types are allowed.",
    EnumValueAdded "enum-value-added" "An enumeration has a new value.",
    EnumValueRemoved "enum-value-removed" "A value of an enumeration is gone.",
    EnumIntroduced "enum-introduced" "Values are enumerated now.",
    EnumDropped "enum-dropped" "Values are not enumerated any more.",
    ConstChanged "const-changed" "A constant has another value.",
    MinimumRaised "minimum-raised" "A lower bound was set or raised.",
    MinimumLowered "minimum-lowered" "A lower bound was dropped or lowered.",
    MaximumLowered "maximum-lowered" "An upper bound was set or lowered.",
    MaximumRaised "maximum-raised" "An upper bound was dropped or raised.",
    BoundMadeExclusive "bound-made-exclusive" "A bound is exclusive now.",
    BoundMadeInclusive "bound-made-inclusive" "A bound is inclusive now.",
    MultipleOfTightened "multiple-of-tightened" "`multipleOf` was set or is a multiple of what it was.",
    MultipleOfLoosened "multiple-of-loosened" "`multipleOf` was dropped or is a divisor of what it was.",
    MultipleOfChanged "multiple-of-changed" "`multipleOf` is an unrelated number now.",
    PatternSet "pattern-set" "A pattern was set.",
    PatternUnset "pattern-unset" "A pattern was dropped.",
    PatternChanged "pattern-changed" "A pattern is another one.",
    FormatChanged "format-changed" "`format` was set, dropped or changed.",
    UniqueItemsSet "unique-items-set" "Items must be unique now.",
    UniqueItemsUnset "unique-items-unset" "Items need not be unique any more.",
    Closed "closed" "Undeclared properties are refused now.",
    Opened "opened" "Undeclared properties are allowed now.",
    TupleChanged "tuple-changed" "The positions of a tuple moved.",
    BranchAdded "branch-added" "`anyOf` has a new branch.",
    BranchRemoved "branch-removed" "A branch of `anyOf` is gone.",
    OneOfBranchAdded "one-of-branch-added" "`oneOf` has a new branch.",
    OneOfBranchRemoved "one-of-branch-removed" "A branch of `oneOf` is gone.",
    ConditionAdded "condition-added" "`allOf` or `not` demands more.",
    ConditionRemoved "condition-removed" "`allOf` or `not` demands less.",
    KeywordChanged "keyword-changed" "A keyword changed whose effect only set algebra can tell.",
    Unexplained "unexplained" "Values show a break that no single keyword explains.",
    NotCompared "not-compared" "A part is too deep or too large to be compared.",
    DefaultChanged "default-changed" "A default is another one.",
    TextChanged "text-changed" "A title or description inside a schema or of an argument changed.",
    Deprecated "deprecated" "Something is marked as deprecated, or no longer.",
    DescriptionChanged "description-changed" "A tool's description changed: models choose and act by it.",
    TitleChanged "title-changed" "A tool's title changed.",
    HintWorsened "hint-worsened" "A tool says that it does more harm than before.",
    HintImproved "hint-improved" "A tool says that it does less harm than before.",
    FieldChanged "field-changed" "Another field of a declaration changed.",
    Rewritten "rewritten" "A declaration is written differently and means the same.",
    ServerRemoved "server-removed" "A server is gone or was renamed.",
    ServerAdded "server-added" "There is a new server.",
    InstructionsChanged "instructions-changed" "A server's instructions changed: models act by them.",
    ResourceRemoved "resource-removed" "A resource or template is gone.",
    ResourceAdded "resource-added" "There is a new resource or template.",
    MimeTypeChanged "mime-type-changed" "A resource is of another media type.",
    PromptRemoved "prompt-removed" "A prompt is gone.",
    PromptAdded "prompt-added" "There is a new prompt.",
    PromptArgumentAdded "prompt-argument-added" "A prompt takes a new argument.",
    PromptArgumentRemoved "prompt-argument-removed" "An argument of a prompt is gone.",
    PromptArgumentRequired "prompt-argument-required" "An argument of a prompt is required now.",
    PromptArgumentOptional "prompt-argument-optional" "An argument of a prompt is optional now.",
    CapabilityDropped "capability-dropped" "The server no longer has a capability or protocol version.",
    CapabilityAdded "capability-added" "The server has a new capability or protocol version.",
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}
