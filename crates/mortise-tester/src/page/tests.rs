//! Nothing in a page is taken for something else.

use super::{Page, escape, json_for_script, visible};

#[test]
fn text_from_outside_stays_text() {
    assert_eq!(escape("<b a='1'>&\u{202e}\n"), "&lt;b a=&#39;1&#39;&gt;&amp;\\u{202e}\n");
    assert_eq!(visible("<\u{1b}[2J>"), "<\\u{1b}[2J>");
    let json = json_for_script("[\"</script><!--\", \"\u{2028}\"]");
    assert_eq!(json, "[\"\\u003c/script\\u003e\\u003c!--\", \"\\u2028\"]");
    assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap()[0], "</script><!--");
}

#[test]
fn a_page_runs_its_own_script_and_no_other() {
    let page = Page { title: "<t>", style: "", script: None, body: "<p>x</p>" };
    let text = page.render();
    assert!(text.contains("<title>&lt;t&gt;</title>") && !text.contains("script"), "{text}");
    let text = Page { script: Some("1"), ..page }.render();
    // The hash of `1`, as browsers compute it.
    assert!(text.contains("script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"), "{text}");
    assert!(text.contains("<script>1</script>"), "{text}");
}
