//! No limit is left out.

use super::*;

fn limit(area: &str, setting: Option<&str>) -> Limit {
    let text = |text: &str| text.to_owned();
    Limit { area: text(area), name: text("size"), value: text("1 KiB"), setting: setting.map(text) }
}

#[test]
fn every_limit_stands_below_its_area_with_its_setting() {
    let page = page(&[limit("name", None), limit("http", Some("--size"))]).unwrap();
    assert!(page.contains("## Serving over HTTP\n\n| limit | value | setting |\n| --- | --- | --- |\n| size | 1 KiB | `--size` |\n"));
    assert!(page.ends_with("| size | 1 KiB |  |\n"));
}

#[test]
fn an_area_without_a_title_is_an_error() {
    assert!(page(&[limit("weather", None)]).is_err());
}
