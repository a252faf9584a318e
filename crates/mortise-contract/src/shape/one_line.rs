//! A shape as one TypeScript-like line.

use super::{Field, Shape};

/// Literals shown before the rest is left out.
const LITERALS: usize = 8;

/// The deepest rendering that fits `width` characters, else as much of the outermost level as fits.
pub(super) fn render(shape: &Shape, width: usize) -> String {
    let ladder = [(8, true), (4, true), (8, false), (4, false), (3, false), (2, false), (1, false)];
    for (depth, literals) in ladder {
        let mut line = ShapeLine { text: String::new(), room: width, literals };
        if line.shape(shape, depth, TextPlace::Outer).is_ok() {
            return line.text;
        }
    }
    beginning(shape, width)
}

/// What fits of a shape whose outermost level is too long already.
fn beginning(shape: &Shape, width: usize) -> String {
    let (parts, open, between, close): (Vec<&str>, _, _, _) = match shape {
        Shape::Array(item) => return format!("{}[]", beginning(item, width.saturating_sub(2))),
        Shape::Object { fields, .. } => {
            (fields.iter().map(|field| field.name.as_str()).collect(), "{ ", ", ", " }")
        }
        Shape::Literals(values) => (values.iter().map(String::as_str).collect(), "", " | ", ""),
        _ => return "…".to_owned(),
    };
    let whole = parts.join(between);
    if whole.chars().count() + open.len() + close.len() <= width {
        return format!("{open}{whole}{close}");
    }
    let mut text = open.to_owned();
    let mut room = width.saturating_sub(open.len() + 1 + close.len());
    for part in parts {
        let length = part.chars().count() + between.len();
        if length > room {
            break;
        }
        room -= length;
        text.push_str(part);
        text.push_str(between);
    }
    text + "…" + close
}

/// Where a type stands; a union inside an array needs parentheses.
#[derive(Clone, Copy, PartialEq)]
enum TextPlace {
    Outer,
    Inner,
}

/// The line has no room left.
struct LineIsFull;

struct ShapeLine {
    text: String,
    /// Characters left; rendering stops there, so that a huge shape costs no more than its width.
    room: usize,
    /// Whether fixed values are shown, or only their types.
    literals: bool,
}

impl ShapeLine {
    fn push(&mut self, part: &str) -> Result<(), LineIsFull> {
        self.room = self.room.checked_sub(part.chars().count()).ok_or(LineIsFull)?;
        self.text.push_str(part);
        Ok(())
    }

    fn shape(&mut self, shape: &Shape, depth: usize, place: TextPlace) -> Result<(), LineIsFull> {
        match shape {
            Shape::Any => self.push("any"),
            Shape::Never => self.push("never"),
            Shape::Scalar { kind, .. } => self.push(kind),
            Shape::Recursive(name) => self.push(name),
            Shape::Cut => self.push("…"),
            Shape::Literals(values) if self.literals => self.literals(values, place),
            Shape::Literals(values) => self.joined(&kinds(values), " | ", depth, place),
            Shape::Array(item) => {
                self.shape(item, depth, TextPlace::Inner)?;
                self.push("[]")
            }
            Shape::Tuple { items, rest } => self.tuple(items, rest.as_deref(), depth),
            Shape::Object { fields, rest } => self.object(fields, rest.as_deref(), depth),
            Shape::Union(members) => self.joined(members, " | ", depth, place),
            Shape::Intersection(members) => self.joined(members, " & ", depth, place),
        }
    }

    fn literals(&mut self, values: &[String], place: TextPlace) -> Result<(), LineIsFull> {
        let many = values.len() > 1 && place == TextPlace::Inner;
        self.push(if many { "(" } else { "" })?;
        for (index, value) in values.iter().take(LITERALS).enumerate() {
            self.push(if index > 0 { " | " } else { "" })?;
            self.push(value)?;
        }
        self.push(if values.len() > LITERALS { " | …" } else { "" })?;
        self.push(if many { ")" } else { "" })
    }

    fn tuple(&mut self, items: &[Shape], rest: Option<&Shape>, depth: usize) -> Result<(), LineIsFull> {
        if depth == 0 {
            return self.push("[…]");
        }
        self.push("[")?;
        for (index, item) in items.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" })?;
            self.shape(item, depth - 1, TextPlace::Outer)?;
        }
        if let Some(rest) = rest {
            self.push(if items.is_empty() { "..." } else { ", ..." })?;
            self.shape(rest, depth - 1, TextPlace::Inner)?;
            self.push("[]")?;
        }
        self.push("]")
    }

    fn object(&mut self, fields: &[Field], rest: Option<&Shape>, depth: usize) -> Result<(), LineIsFull> {
        if fields.is_empty() && rest.is_none() {
            return self.push("object");
        }
        if depth == 0 {
            return self.push("{ … }");
        }
        self.push("{ ")?;
        for (index, field) in fields.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" })?;
            self.push(&field.name)?;
            self.push(if field.required { ": " } else { "?: " })?;
            self.shape(&field.shape, depth - 1, TextPlace::Outer)?;
        }
        if let Some(rest) = rest {
            self.push(if fields.is_empty() { "[key]: " } else { ", [key]: " })?;
            self.shape(rest, depth - 1, TextPlace::Outer)?;
        }
        self.push(" }")
    }

    fn joined(
        &mut self,
        members: &[Shape],
        between: &str,
        depth: usize,
        place: TextPlace,
    ) -> Result<(), LineIsFull> {
        let place = if members.len() > 1 { place } else { TextPlace::Outer };
        self.push(if place == TextPlace::Inner { "(" } else { "" })?;
        for (index, member) in members.iter().enumerate() {
            self.push(if index > 0 { between } else { "" })?;
            let inner = if between == " & " { TextPlace::Inner } else { TextPlace::Outer };
            self.shape(member, depth, inner)?;
        }
        self.push(if place == TextPlace::Inner { ")" } else { "" })
    }
}

/// The types of fixed values, each once.
fn kinds(values: &[String]) -> Vec<Shape> {
    let kind = |value: &String| match value.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    };
    let mut kinds: Vec<Shape> = Vec::new();
    for value in values {
        let shape = Shape::Scalar { kind: kind(value).to_owned(), format: None };
        if !kinds.contains(&shape) {
            kinds.push(shape);
        }
    }
    kinds
}
