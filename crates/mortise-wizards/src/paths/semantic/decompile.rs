//! From a rule back to the expression that gives it.

use mortise_formats::rules::{Field, Rule};

use super::compile::{PrimitivePlace, compile};
use super::expression::{Expression, ExpressionStep};
use super::primitive::{
    DateForm, DayForm, MonthForm, PartitionKind, Period, Primitive, Separator, VersionForm, YearForm,
    is_extension, is_key, is_prefix,
};

/// The expression whose glob and fields are those of `rule`, if there is one.
///
/// Walks the glob from the right and takes the reading of each segment whose fields are the rule's next
/// ones. The answer is only given when compiling it gives the rule's glob and fields back.
pub fn decompile(rule: &Rule) -> Option<Expression> {
    let glob = rule.glob.as_deref()?;
    let mut segments: Vec<&str> = glob.split('/').collect();
    let file = segments.pop()?;
    let extension = match file {
        "*" => None,
        file => Some(file.strip_prefix("*.").filter(|extension| is_extension(extension))?.to_owned()),
    };
    if segments.first() != Some(&"**") {
        return None;
    }
    segments.remove(0);
    let walk = DecompileWalk { fields: &rule.fields, right: 0, is_stable: true };
    let mut tries = TRIES;
    let steps = walk.steps(&segments, &mut tries)?;
    let expression = Expression::of(steps, extension);
    let compiled = compile(&expression).ok()?;
    (compiled.glob == glob && compiled.fields == rule.fields).then_some(expression)
}

/// Readings that are tried before a rule counts as one without an expression.
const TRIES: usize = 10_000;

/// The way from the file to the left.
#[derive(Clone, Copy)]
struct DecompileWalk<'a> {
    /// The fields of the steps that are still to come; those of the next step are last.
    fields: &'a [(String, Field)],
    /// Folders right of the next step.
    right: usize,
    is_stable: bool,
}

impl DecompileWalk<'_> {
    /// The steps for `segments`, with a field for every one of the rule's. A reading that fits may leave the
    /// fields of others without a place; then the next one is tried.
    fn steps(self, segments: &[&str], tries: &mut usize) -> Option<Vec<ExpressionStep>> {
        let Some((last, before)) = segments.split_last() else {
            return self.fields.is_empty().then(Vec::new);
        };
        *tries = tries.checked_sub(1)?;
        if *last == "**" {
            let mut steps = Self { is_stable: false, ..self }.steps(before, tries)?;
            steps.push(ExpressionStep::AnyDepth);
            return Some(steps);
        }
        for primitive in self.readings(segments) {
            let width = primitive.width();
            let place = PrimitivePlace { index: self.right + 1 + width, is_stable: self.is_stable };
            let wanted = place.fields(&primitive);
            let Some(start) = self.fields.len().checked_sub(wanted.len()) else { continue };
            let (rest, found) = self.fields.split_at(start);
            let is_same = wanted.iter().zip(found).all(|((name, field), (found_name, found_field))| {
                field == found_field && (name == found_name || self.base(found_name) == name)
            });
            if !is_same {
                continue;
            }
            let next = Self { fields: rest, right: self.right + width, ..self };
            if let Some(mut steps) = next.steps(&segments[..segments.len() - width], tries) {
                steps.push(ExpressionStep::Is(primitive));
                return Some(steps);
            }
        }
        None
    }

    /// What the segments can mean at their end, the readings with the most fields first.
    fn readings(&self, segments: &[&str]) -> Vec<Primitive> {
        let Some(last) = segments.last() else { return Vec::new() };
        let mut readings = Vec::new();
        match segments {
            [.., "????", "??", "??"] => readings.push(Primitive::NestedDate),
            [.., "????", "Q?"] => readings.push(Primitive::YearQuarter),
            _ => {}
        }
        match *last {
            "????-??-??" => readings.push(Primitive::Date { form: DateForm::Iso }),
            "????????" => readings.push(Primitive::Date { form: DateForm::Compact }),
            "??-??-????" => {
                readings.extend([DateForm::European, DateForm::Us].map(|form| Primitive::Date { form }));
            }
            "????-??" => readings.push(Primitive::YearMonth),
            "Q?" => readings.push(Primitive::Period { period: Period::Quarter }),
            "H?" => readings.push(Primitive::Period { period: Period::Half }),
            "W??" => readings.push(Primitive::Period { period: Period::Week }),
            "????" => readings.push(Primitive::Year { form: YearForm::Plain }),
            "FY????" => readings.push(Primitive::Year { form: YearForm::Fiscal }),
            "FY??" => readings.push(Primitive::Year { form: YearForm::FiscalShort }),
            "??" => readings.extend([
                Primitive::Month { form: MonthForm::Number },
                Primitive::Day { form: DayForm::Number },
            ]),
            "Day*" => readings.push(Primitive::Day { form: DayForm::Named }),
            "v*" => readings.push(Primitive::Version { form: VersionForm::V }),
            "release-*" => {
                readings.push(Primitive::Version { form: VersionForm::Release });
                readings.extend(keyed(last));
            }
            "*_{Inbound,Outbound}" => readings.push(Primitive::Direction),
            "*" => readings.extend(self.star()),
            other => {
                readings.extend(keyed(other));
                readings.extend(words(other));
            }
        }
        readings
    }

    /// `*` is whatever its field says.
    fn star(&self) -> Vec<Primitive> {
        let mut readings =
            vec![Primitive::Version { form: VersionForm::Bare }, Primitive::Month { form: MonthForm::Word }];
        let name = self.fields.last().map(|(name, _)| self.base(name).to_owned());
        let id = name.as_deref().and_then(|name| name.strip_suffix("_id")).map(str::to_owned);
        for is_padded in [false, true] {
            readings.push(Primitive::Numeric { name: None, is_padded });
            readings.extend(id.clone().map(|name| Primitive::Numeric { name: Some(name), is_padded }));
        }
        readings.push(Primitive::Any { name: None });
        readings.extend(name.map(|name| Primitive::Any { name: Some(name) }));
        readings
    }

    /// The name without the number that keeps it apart from another of the same name.
    fn base<'n>(&self, name: &'n str) -> &'n str {
        let Some((base, number)) = name.rsplit_once('_') else { return name };
        let is_number = number.parse::<usize>().is_ok_and(|number| number >= 2);
        let is_first_there = self.fields.iter().any(|(known, _)| known == base);
        if is_number && is_first_there { base } else { name }
    }
}

/// `key=*` and `prefix_*`.
fn keyed(segment: &str) -> Vec<Primitive> {
    if let Some(key) = segment.strip_suffix("=*").filter(|key| is_key(key)) {
        return PartitionKind::ALL
            .iter()
            .map(|&kind| Primitive::Partition { key: key.to_owned(), kind })
            .collect();
    }
    let separators = [(Separator::Mixed, "[_-]*"), (Separator::Underscore, "_*"), (Separator::Dash, "-*")];
    let entity = separators.into_iter().find_map(|(separator, end)| {
        let prefix = segment.strip_suffix(end).filter(|prefix| is_prefix(prefix))?;
        Some(Primitive::Entity { prefix: prefix.to_owned(), separator })
    });
    entity.into_iter().collect()
}

/// A constant, or some words in braces.
fn words(segment: &str) -> Vec<Primitive> {
    let list = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let words: Option<Vec<String>> = match list {
        Some(list) => split(list).iter().map(|word| unescaped(word)).collect(),
        None => unescaped(segment).map(|word| vec![word]),
    };
    let Some(words) = words else { return Vec::new() };
    let mut readings =
        vec![Primitive::Environment { names: words.clone() }, Primitive::Category { words: words.clone() }];
    if let [only] = words.as_slice() {
        let literal = Primitive::Literal { text: only.clone() };
        // A word of the table is a category, any other is just itself; neither has a field.
        let at = if super::values::is_category(only) { readings.len() } else { 1 };
        readings.insert(at, literal);
    }
    readings
}

/// The parts between commas that stand in no class.
fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut in_class = false;
    for (at, character) in list.char_indices() {
        match character {
            '[' if !in_class => in_class = true,
            // A bracket right after the opening one is the member of the class.
            ']' if in_class && !list[..at].ends_with('[') => in_class = false,
            ',' if !in_class => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

/// The text that [`super::compile::escaped`] made this glob from.
fn unescaped(glob: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = glob;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '[' => {
                let mut class = rest.chars().skip(1);
                text.push(class.next()?);
                if class.next() != Some(']') {
                    return None;
                }
                3
            }
            '*' | '?' | '{' | '}' | ',' | ']' => return None,
            character => {
                text.push(character);
                character.len_utf8()
            }
        };
        rest = rest.get(length..)?;
    }
    Some(text)
}
