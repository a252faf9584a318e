//! The rows that a query wants, from rows that come one after the other.

use super::{Query, Row};
use crate::data::value::Value;

/// Keeps what a query wants, never much more than is asked for.
pub struct Selection<'a> {
    query: &'a Query,
    columns: &'a [String],
    limit: usize,
    kept: Vec<Vec<Value>>,
    matched: u64,
}

impl<'a> Selection<'a> {
    /// At most `limit` rows of a table with these columns.
    pub fn new(query: &'a Query, columns: &'a [String], limit: usize) -> Self {
        Self { query, columns, limit, kept: Vec::new(), matched: 0 }
    }

    /// Looks at a row; false when no further row can change anything.
    pub fn offer(&mut self, values: Vec<Value>) -> bool {
        if !self.query.admits(&Row { columns: self.columns, values: &values }) {
            return true;
        }
        self.matched += 1;
        if self.query.order.is_empty() {
            if self.kept.len() == self.limit {
                // One more than asked for is all there is to know.
                return false;
            }
            self.kept.push(values);
        } else {
            self.kept.push(values);
            if self.kept.len() >= 2 * self.limit.max(1_000) {
                self.shrink();
            }
        }
        true
    }

    /// The rows in their order, and how many there were to the point where nothing could change.
    pub fn finish(mut self) -> (Vec<Vec<Value>>, u64) {
        self.shrink();
        (self.kept, self.matched)
    }

    fn shrink(&mut self) {
        self.kept.sort_by(|left, right| self.query.compare(self.columns, left, right));
        self.kept.truncate(self.limit);
    }
}
