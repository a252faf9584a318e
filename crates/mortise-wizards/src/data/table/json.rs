//! Tables of JSON objects: an array of them, one alone, or one per line.

mod cell;

use std::collections::HashMap;
use std::io::{self, BufRead};

use indexmap::IndexSet;
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use self::cell::cell;
use super::{DataSource, FileFormat, ReadOptions, Row, Table, too_wide};
use crate::data::bounds::RECORD_BYTES;
use crate::data::encoding::Decoding;
use crate::data::fault::{DataError, PassedBound};
use crate::data::source::{Guarded, Inflated};

/// Whether the file begins with an object, alone or in an array; by reading it, as a first byte proves nothing.
pub(super) fn begins_with_object(source: &DataSource) -> bool {
    let mut items = Items::new(source.sample.as_bytes());
    let mut item = Vec::new();
    match items.next(&mut item) {
        Ok(true) => members(&item).is_ok(),
        // An empty array is a table without rows.
        Ok(false) => items.array,
        // Cut in the middle of a long object.
        Err(_) => !source.complete && matches!(item.first(), Some(b'{')) && looks_like_object(&item),
    }
}

fn looks_like_object(item: &[u8]) -> bool {
    let mut rest = item[1..].iter().filter(|byte| !byte.is_ascii_whitespace());
    rest.next() == Some(&b'"')
}

pub(super) fn open(source: DataSource, options: &ReadOptions) -> Result<Table, DataError> {
    let mut table = Table {
        format: FileFormat::Json,
        dialect: None,
        header: Vec::new(),
        columns: options.columns.clone().unwrap_or_default(),
        schema: Vec::new(),
        preamble: Vec::new(),
        regularity: 1.0,
        source,
    };
    let mut keys: IndexSet<String> = IndexSet::new();
    let mut rows = rows(&table)?;
    let mut objects = 0u64;
    let mut item = Vec::new();
    while rows.item(&mut item, objects)? {
        let object = rows.object(&item, objects)?;
        objects += 1;
        // With wanted columns two objects show that there are several.
        if options.columns.is_some() && objects > 1 {
            break;
        }
        keys.extend(object.into_iter().map(|(key, _)| key));
        too_wide(&table.source, keys.len())?;
    }
    let per_line = match rows.items.array {
        true => false,
        false if objects == 1 => {
            !rows.items.spread && matches!(table.source.ending().as_str(), "ndjson" | "jsonl")
        }
        false => true,
    };
    table.format = if per_line { FileFormat::Ndjson } else { FileFormat::Json };
    table.header = keys.into_iter().collect();
    if options.columns.is_none() {
        table.columns.clone_from(&table.header);
    }
    Ok(table)
}

pub(super) fn rows(table: &Table) -> Result<JsonRows, DataError> {
    Ok(JsonRows {
        items: Items::new(table.source.text()?),
        columns: table.columns.clone(),
        path: table.shown().to_owned(),
        item: Vec::new(),
    })
}

pub(super) struct JsonRows {
    items: Items<Guarded<Decoding<Inflated>>>,
    columns: Vec<String>,
    path: String,
    item: Vec<u8>,
}

impl JsonRows {
    pub(super) fn read(&mut self, row: &mut Row, before: u64) -> Result<bool, DataError> {
        row.clear(self.columns.len());
        let mut item = std::mem::take(&mut self.item);
        if !self.item(&mut item, before)? {
            return Ok(false);
        }
        let object = self.object(&item, before)?;
        // The last of several members of one name counts, as for most readers.
        let members: HashMap<&str, &RawValue> =
            object.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        for column in &self.columns {
            let found = match members.get(column.as_str()) {
                Some(value) => {
                    cell(value).map_err(|error| self.fault(before, &format!("`{column}`: {error}")))?
                }
                None => None,
            };
            row.push(found.as_ref().map(|(text, kind)| (text.as_str(), *kind)));
        }
        drop(object);
        self.item = item;
        Ok(true)
    }

    pub(super) fn malformed(&self) -> u64 {
        self.items.reader.inner().malformed()
    }

    fn item(&mut self, item: &mut Vec<u8>, before: u64) -> Result<bool, DataError> {
        let found = self.items.next(item);
        self.items.reader.mark();
        found.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => self.fault(before, &error.to_string()),
            _ => DataError::read(&self.path, before, error),
        })
    }

    fn object<'a>(&self, item: &'a [u8], before: u64) -> Result<Vec<(String, &'a RawValue)>, DataError> {
        members(item).map_err(|error| self.fault(before, &error.to_string()))
    }

    fn fault(&self, before: u64, reason: &str) -> DataError {
        let reason = format!("value {}: {reason}", before + 1);
        DataError::Mismatch { path: self.path.clone(), format: "JSON with objects as rows", reason }
    }
}

/// The members of an object in their order.
fn members(item: &[u8]) -> Result<Vec<(String, &RawValue)>, serde_json::Error> {
    struct MemberVisitor;
    impl<'de> Visitor<'de> for MemberVisitor {
        type Value = Vec<(String, &'de RawValue)>;
        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                members.push((name, map.next_value()?));
            }
            Ok(members)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_slice(item);
    let members = deserializer.deserialize_map(MemberVisitor)?;
    deserializer.end()?;
    Ok(members)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemsState {
    Start,
    First,
    Further,
    Ended,
}

/// Cuts a text into the values of its outermost array, or into values that follow one another.
struct Items<R> {
    reader: R,
    state: ItemsState,
    array: bool,
    /// Whether a line ended since the last value.
    line_ended: bool,
    /// Whether a value has several lines, or shares its line with another.
    spread: bool,
}

impl<R: BufRead> Items<R> {
    fn new(reader: R) -> Self {
        Self { reader, state: ItemsState::Start, array: false, line_ended: false, spread: false }
    }

    /// The next value's text; false at the end.
    fn next(&mut self, item: &mut Vec<u8>) -> io::Result<bool> {
        item.clear();
        if self.state == ItemsState::Ended {
            return Ok(false);
        }
        if self.state == ItemsState::Start {
            self.array = self.peek()? == Some(b'[');
            self.state = ItemsState::First;
            if self.array {
                self.reader.consume(1);
            }
        }
        if self.array {
            match (self.peek()?, self.state) {
                (Some(b']'), _) => return self.end(),
                (Some(b','), ItemsState::Further) => self.reader.consume(1),
                (Some(_), ItemsState::First) => {}
                (Some(_), _) => return Err(invalid("`,` or `]` is missing after a value")),
                (None, _) => return Err(invalid("the array is not closed")),
            }
        }
        if self.peek()?.is_none() {
            self.state = ItemsState::Ended;
            return match self.array {
                true => Err(invalid("the array is not closed")),
                false => Ok(false),
            };
        }
        let follows = std::mem::replace(&mut self.state, ItemsState::Further) == ItemsState::Further;
        self.value(item)?;
        if !self.array {
            // Parsers read line by line, and must find the same values.
            self.spread |= (follows && !self.line_ended) || item.iter().any(ends_line);
            self.line_ended = false;
            if follows && self.spread {
                return Err(invalid("not one object per line"));
            }
        }
        Ok(true)
    }

    fn end(&mut self) -> io::Result<bool> {
        self.reader.consume(1);
        self.state = ItemsState::Ended;
        match self.peek()? {
            None => Ok(false),
            Some(_) => Err(invalid("something follows the array")),
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                return Ok(None);
            }
            let found = available.iter().position(|byte| !byte.is_ascii_whitespace());
            self.line_ended |= available[..found.unwrap_or(available.len())].iter().any(ends_line);
            match found {
                Some(at) => {
                    let byte = available[at];
                    self.reader.consume(at);
                    return Ok(Some(byte));
                }
                None => {
                    let length = available.len();
                    self.reader.consume(length);
                }
            }
        }
    }

    /// Copies one value. Whether it is well formed is for its parser to say.
    fn value(&mut self, item: &mut Vec<u8>) -> io::Result<()> {
        let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                return match depth == 0 && !in_text {
                    true => Ok(()),
                    false => Err(invalid("it ends in the middle of a value")),
                };
            }
            let mut used = 0;
            let mut done = false;
            for byte in available {
                let closes = matches!(byte, b'}' | b']');
                if !in_text && depth == 0 && (closes || *byte == b',' || byte.is_ascii_whitespace()) {
                    done = true;
                    break;
                }
                used += 1;
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_text => escaped = true,
                    b'"' => in_text = !in_text,
                    _ if in_text => {}
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                if depth == 0 && !in_text && matches!(byte, b'}' | b']' | b'"') {
                    done = true;
                    break;
                }
            }
            item.extend_from_slice(&available[..used]);
            self.reader.consume(used);
            if item.len() as u64 > RECORD_BYTES {
                return Err(io::Error::other(PassedBound::Record));
            }
            if done {
                return match item.is_empty() {
                    true => Err(invalid("a value is missing")),
                    false => Ok(()),
                };
            }
        }
    }
}

fn ends_line(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_owned())
}
