//! Reads the type of a value from its text, in one pass and within a bound.

use std::borrow::Cow;

use super::kinds::ObservedType;
use crate::json::TextCursor;
use crate::limits;

/// The type of a JSON text, and whether some of its elements were passed over.
pub(super) fn seen(text: &str) -> (ObservedType, bool) {
    let mut sight = Sight { cursor: TextCursor::new(text), nodes: 0, is_sampled: false };
    let mut value = ObservedType::default();
    sight.look(&mut value, limits::OBSERVED_LEVELS);
    (value, sight.is_sampled)
}

struct Sight<'a> {
    cursor: TextCursor<'a>,
    /// Values that were looked at.
    nodes: usize,
    is_sampled: bool,
}

/// Containers within objects are looked at up to this multiple of [`limits::OBSERVED_NODES`].
const IN_OBJECTS: usize = 4;

impl Sight<'_> {
    /// Takes in the value at the cursor, with at most `levels` of containers.
    fn look(&mut self, value: &mut ObservedType, levels: usize) {
        self.nodes += 1;
        let below = levels.checked_sub(1).filter(|_| self.nodes <= IN_OBJECTS * limits::OBSERVED_NODES);
        match (self.cursor.peek(), below) {
            (b'[' | b'{', None) => {
                value.unread += 1;
                self.cursor.skip_value();
            }
            (b'[', Some(below)) => self.look_at_array(value, below),
            (b'{', Some(below)) => self.look_at_object(value, below),
            (first, _) => {
                let token = self.cursor.scalar();
                let kind = match first {
                    b'"' => &mut value.strings,
                    b'n' => &mut value.nulls,
                    b't' | b'f' => &mut value.booleans,
                    _ if token.contains(['.', 'e', 'E']) => &mut value.numbers,
                    _ => &mut value.integers,
                };
                *kind += 1;
            }
        }
    }

    fn is_tired(&self) -> bool {
        self.nodes >= limits::OBSERVED_NODES
    }

    fn look_at_array(&mut self, value: &mut ObservedType, levels: usize) {
        let array = value.array.get_or_insert_default();
        array.count += 1;
        self.cursor.enter();
        let mut position = 0_usize;
        while !self.cursor.leaves(b']') {
            // Of a long list the first elements are looked at, then ever fewer of the others.
            if !self.is_tired() || position.is_power_of_two() {
                self.look(&mut array.items, levels);
            } else {
                self.is_sampled = true;
                self.cursor.skip_value();
            }
            position += 1;
        }
    }

    fn look_at_object(&mut self, value: &mut ObservedType, levels: usize) {
        let object = value.object.get_or_insert_default();
        object.count += 1;
        self.cursor.enter();
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        let mut position = 0_usize;
        while !self.cursor.leaves(b'}') {
            let Some(name) = self.cursor.key() else {
                // A key that is not Unicode reaches no program under its name.
                object.member("").0.unread += 1;
                self.cursor.skip_value();
                continue;
            };
            position += 1;
            let is_passed =
                position > limits::OBSERVED_FIELDS && self.is_tired() && !position.is_power_of_two();
            // Of a key that stands there twice, the first value is looked at.
            if is_passed || names.contains(&name) {
                self.is_sampled = true;
                self.cursor.skip_value();
                continue;
            }
            self.look(object.member(&name).0, levels);
            if position <= limits::OBSERVED_FIELDS {
                names.push(name);
            }
        }
    }
}
