//! Reading a format from either of its forms.

use serde_json::{Map, Value};

use mortise_contract::json::JsonKind;

use super::{Complexity, ErrorBody, ErrorCode, FormatKind, ToolOutputFormat};

/// Older names of the key that holds the rule text.
const YAML_NAMES: [&str; 4] = ["yaml_rule", "yaml", "extraction_rule", "rule"];

pub(super) fn parse(value: &Value) -> Result<ToolOutputFormat, ErrorBody> {
    let Value::Object(members) = value else {
        return Err(ErrorBody::new(
            ErrorCode::ParamType,
            format!("the result is {}; expected an object", JsonKind::of(value)),
            "return an object with `format` and the fields of that format",
        ));
    };
    if let Some(error) = mixed_fields(members) {
        return Err(error);
    }
    let fields = Fields { members };
    match fields.kind()? {
        FormatKind::Code => Ok(ToolOutputFormat::Code {
            code: fields.required(&["code"])?,
            language: fields.required(&["code_language", "language"])?,
            description: fields.required(&["code_description", "description"])?,
        }),
        FormatKind::YamlRule => Ok(ToolOutputFormat::YamlRule {
            yaml: fields.required(&YAML_NAMES)?,
            schema_version: fields.required(&["schema_version"])?,
            metadata: fields.present("metadata").cloned(),
        }),
        FormatKind::Hybrid => Ok(ToolOutputFormat::Hybrid {
            yaml_rule: fields.required(&YAML_NAMES)?,
            python_code: fields.text("python_code")?,
            decision_reason: fields.required(&["decision_reason"])?,
            complexity: fields.complexity()?,
        }),
        FormatKind::Metadata => Ok(ToolOutputFormat::Metadata {
            format_version: fields.required(&["format_version"])?,
            data: fields.data(),
        }),
    }
}

/// The error for fields of two formats in one result, if there are.
///
/// `code` excludes a YAML rule and `python_code`; `python_code` belongs to the hybrid format alone.
pub fn mixed_fields(members: &Map<String, Value>) -> Option<ErrorBody> {
    let fields = Fields { members };
    let has = |name: &str| fields.present(name).is_some();
    let declared = fields.present("format").and_then(Value::as_str).and_then(FormatKind::parse);
    // `rule` is also a tool's own object beside the text; only the names of texts count here.
    let yaml =
        YAML_NAMES[..3].iter().copied().find(|name| fields.present(name).is_some_and(Value::is_string));
    let (field, reason) = match (has("code"), yaml, has("python_code")) {
        (true, Some(yaml), _) => {
            ("code", format!("both `code` and `{yaml}` are there; a result has one format"))
        }
        (true, None, true) => {
            ("code", "both `code` and `python_code` are there; a result has one format".to_owned())
        }
        (_, _, true) if declared.is_some_and(|kind| kind != FormatKind::Hybrid) => (
            "python_code",
            format!("`python_code` belongs to `hybrid`, and the format is `{}`", declared?.as_str()),
        ),
        (_, None, true) => {
            ("python_code", "`python_code` without `yaml_rule`; the rule is always there".to_owned())
        }
        _ => return None,
    };
    let suggestion = "keep the fields of one format: `code`, or `yaml_rule` with an optional `python_code`";
    Some(ErrorBody::new(ErrorCode::FormatMixed, reason, suggestion).at_field(field))
}

struct Fields<'a> {
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// A member that is not null: null equals absent.
    fn present(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn kind(&self) -> Result<FormatKind, ErrorBody> {
        if let Some(format) = self.text("format")? {
            return FormatKind::parse(&format).ok_or_else(|| {
                ErrorBody::new(
                    ErrorCode::ParamRange,
                    format!(
                        "`{format}` is not a format; expected `code`, `yaml_rule`, `hybrid` or `metadata`"
                    ),
                    "use one of the four names",
                )
                .at_field("format")
            });
        }
        let has = |name: &str| self.present(name).is_some();
        let yaml = YAML_NAMES.iter().any(|name| self.present(name).is_some_and(Value::is_string));
        match () {
            () if has("code") => Ok(FormatKind::Code),
            () if yaml && (has("decision_reason") || has("python_code")) => Ok(FormatKind::Hybrid),
            () if yaml => Ok(FormatKind::YamlRule),
            () if has("format_version") => Ok(FormatKind::Metadata),
            () => Err(ErrorBody::new(
                ErrorCode::FormatUnknown,
                "no `format`, and no field that shows it: `code`, `yaml_rule` or `format_version`",
                "say the format in `format`",
            )
            .at_field("format")),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>, ErrorBody> {
        match self.present(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(ErrorBody::new(
                ErrorCode::ParamType,
                format!("`{name}` is {}; expected a string", JsonKind::of(other)),
                format!("give `{name}` as text"),
            )
            .at_field(name)),
        }
    }

    /// The first of several names that is there.
    fn required(&self, names: &[&str]) -> Result<String, ErrorBody> {
        let name = names.first().copied().unwrap_or_default();
        if let Some(text) = self.text(name)? {
            return Ok(text);
        }
        // Under an older name a tool may have something else: `rule` is also an object.
        if let Some(text) = names.iter().find_map(|older| self.present(older)?.as_str()) {
            return Ok(text.to_owned());
        }
        let found = match self.members.contains_key(name) {
            true => "null",
            false => "absent",
        };
        Err(ErrorBody::new(
            ErrorCode::ParamMissing,
            format!("`{name}` is {found}; the format requires it"),
            format!("add `{name}`"),
        )
        .at_field(name))
    }

    fn complexity(&self) -> Result<Complexity, ErrorBody> {
        let text = self.required(&["complexity"])?;
        Complexity::parse(&text).ok_or_else(|| {
            ErrorBody::new(
                ErrorCode::ParamRange,
                format!("`{text}` is not a complexity; expected `simple`, `medium` or `complex`"),
                "use one of the three words in lower case",
            )
            .at_field("complexity")
        })
    }

    fn data(&self) -> Value {
        let slots =
            || self.members.iter().filter(|(name, _)| !matches!(name.as_str(), "format" | "format_version"));
        let only = |name: &str| slots().count() == 1 && self.members.contains_key(name);
        // The standalone form, and data that is not an object.
        for name in ["data", "metadata"] {
            if only(name) {
                return self.members.get(name).cloned().unwrap_or_default();
            }
        }
        let present = slots().filter(|(_, value)| !value.is_null());
        Value::Object(present.map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}
