//! Lists cut into pages behind a cursor.

use mortise_server::ToolError;

/// Items to a page when the caller does not say.
const USUAL: usize = 10;
/// Items to a page at most.
const MOST: usize = 100;

/// Where a page begins and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pages<'a> {
    pub(crate) cursor: Option<&'a str>,
    pub(crate) limit: Option<usize>,
}

impl Pages<'_> {
    /// The items of the page, and the cursor of the next one.
    pub(crate) fn of<T>(
        self,
        items: impl IntoIterator<Item = T>,
    ) -> Result<(Vec<T>, Option<String>), ToolError> {
        let start = match self.cursor {
            None => 0,
            Some(cursor) => position(cursor).ok_or_else(|| {
                ToolError::new(format!("`{cursor}` is not a cursor of this list; start without one"))
            })?,
        };
        let limit = self.limit.unwrap_or(USUAL).clamp(1, MOST);
        let mut items = items.into_iter().skip(start);
        let page: Vec<T> = items.by_ref().take(limit).collect();
        let next = items.next().map(|_| format!("from-{}", start + limit));
        Ok((page, next))
    }
}

fn position(cursor: &str) -> Option<usize> {
    cursor.strip_prefix("from-")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Pages;

    fn page(cursor: Option<&str>, limit: Option<usize>) -> (Vec<i32>, Option<String>) {
        Pages { cursor, limit }.of(0..25).unwrap_or_default()
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        assert_eq!(page(None, Some(20)), ((0..20).collect(), Some("from-20".to_owned())));
        assert_eq!(page(Some("from-20"), Some(20)), ((20..25).collect(), None));
        assert_eq!(page(None, Some(25)).1, None);
        assert_eq!(page(None, None).0.len(), 10);
        assert_eq!(page(None, Some(0)).0.len(), 1);
        assert_eq!(page(Some("from-99"), None), (vec![], None));
        assert!(Pages { cursor: Some("page 2"), limit: None }.of(0..3).is_err());
    }
}
