//! Sections that are replaced and sections that stay.

use super::{HEAD, kept, page, section, title};
use crate::bench::Part;

#[test]
fn a_part_that_runs_alone_replaces_its_own_section() {
    let parts = [Part::Calls, Part::Validation, Part::Memory];
    let titles = parts.map(title);
    let old = parts.map(|part| (title(part), section(part, 30, "### Old\n\nold")));
    let all = page(HEAD, "", &old, &titles);
    let fresh = [(title(Part::Validation), section(Part::Validation, 30, "new"))];
    let new = page(HEAD, &all, &fresh, &titles);
    assert_eq!(kept(&new, "A validated call"), kept(&all, "A validated call"));
    assert_eq!(kept(&new, "Memory of a call"), kept(&all, "Memory of a call"));
    let section = kept(&new, "Validation alone").unwrap();
    assert!(section.starts_with("## Validation alone\n\n![From the text"), "{section}");
    assert!(section.contains(".svg)\n\nnew\n\n`cargo xtask bench validation --rounds 30` on "), "{section}");
    let with_more = format!("{new}\n## By hand\n\ntext\n");
    assert_eq!(page(HEAD, &with_more, &[], &titles), with_more);
}
