//! Pages of lists.

use super::*;

fn entries(count: usize) -> Vec<(String, RawJson)> {
    (0..count).map(|index| (format!("tool-{index:05}"), RawJson::from(&index.into()))).collect()
}

fn read(entries: &[(String, RawJson)], cursor: Option<&str>) -> EntryPage {
    page(entries.iter().map(|(key, text)| (key.as_str(), text)), cursor).unwrap()
}

/// Every entry of every page, and how many pages there were.
fn walk(entries: &[(String, RawJson)]) -> (Vec<String>, usize) {
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = read(entries, cursor.as_deref());
        let items: Vec<u64> = serde_json::from_str(page.items.text()).unwrap();
        seen.extend(items.iter().map(ToString::to_string));
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            return (seen, pages);
        }
    }
}

#[test]
fn a_list_is_cut_into_pages_and_nothing_is_lost() {
    for (count, pages) in
        [(0, 1), (1, 1), (PAGE_ENTRIES, 1), (PAGE_ENTRIES + 1, 2), (2 * PAGE_ENTRIES, 2), (1_001, 6)]
    {
        let (seen, walked) = walk(&entries(count));
        assert_eq!(seen, (0..count).map(|index| index.to_string()).collect::<Vec<_>>());
        assert_eq!(walked, pages, "{count} entries");
    }
}

#[test]
fn entries_that_come_or_go_between_pages_hide_no_others() {
    let mut list = entries(PAGE_ENTRIES + 2);
    let first = read(&list, None);
    list.remove(PAGE_ENTRIES - 1);
    list.insert(0, ("a".to_owned(), RawJson::from(&0.into())));
    let second = read(&list, first.next.as_deref());
    assert_eq!(second, EntryPage { items: RawJson::parse("[200,201]").unwrap(), next: None });
}

#[test]
fn a_cursor_that_is_not_ours_is_refused() {
    for cursor in ["", "x", "dG9vbC0wMDAwMQ", "////", &"A".repeat(CURSOR_LIMIT + 4)] {
        let error = page(std::iter::empty(), Some(cursor)).unwrap_err();
        assert_eq!(error.code, ProtocolError::INVALID_PARAMS);
        assert_eq!(error.message, "the cursor is not one of ours");
    }
}
