//! Lists in pages: all of them, and no more than is good.

use std::sync::atomic::{AtomicUsize, Ordering};

use mortise_client::{CallError, CallOptions};
use mortise_testkit::answer;
use serde_json::{Value, json};

use crate::support::{PATIENCE, Received, count, legacy, pool_of, raw_result, tool};

/// Lists a server whose pages the closure makes; gives the number of tools or what was wrong.
async fn listed(page: impl Fn(&Value) -> Value + Send + Sync + 'static) -> (Result<usize, String>, Received) {
    let (config, received) = legacy(move |request| vec![answer(request, page(request))]);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let catalog = upstream.catalog();
    let found = match &catalog.stale {
        None => Ok(catalog.contracts.len()),
        Some(reason) => {
            assert_eq!(upstream.state().label(), "degraded");
            Err(reason.clone())
        }
    };
    pool.shutdown().await;
    (found, received)
}

fn numbered(index: usize) -> Value {
    tool(&format!("t{index}"))
}

#[tokio::test]
async fn two_hundred_pages_of_one_tool_are_two_hundred_tools() {
    let (found, received) = listed(|request| {
        let index: usize = request["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        match index {
            199 => json!({"tools": [numbered(index)]}),
            _ => json!({"tools": [numbered(index)], "nextCursor": (index + 1).to_string()}),
        }
    })
    .await;
    assert_eq!(found, Ok(200));
    assert_eq!(count(&received, "tools/list"), 200);
}

#[tokio::test]
async fn an_empty_string_is_a_cursor() {
    let (found, _) = listed(|request| match request["params"]["cursor"].as_str() {
        None => json!({"tools": [numbered(0)], "nextCursor": ""}),
        Some("") => json!({"tools": [numbered(1)], "nextCursor": null}),
        Some(other) => panic!("{other}"),
    })
    .await;
    assert_eq!(found, Ok(2));
}

#[tokio::test]
async fn a_cursor_that_comes_twice_is_an_error_that_names_it() {
    let (found, _) = listed(|_| json!({"tools": [], "nextCursor": "again"})).await;
    let expected = "`tools/list` on server `scripted` does not end: the cursor \"again\" came twice";
    assert_eq!(found, Err(expected.to_owned()));
}

#[tokio::test]
async fn ever_new_cursors_end_at_a_thousand_pages() {
    let pages = AtomicUsize::new(0);
    let (found, received) = listed(move |_| {
        let page = pages.fetch_add(1, Ordering::Relaxed);
        json!({"tools": [], "nextCursor": page.to_string()})
    })
    .await;
    assert_eq!(found, Err("`tools/list` on server `scripted` does not end: more than 1000 pages".to_owned()));
    assert_eq!(count(&received, "tools/list"), 1000);
}

#[tokio::test]
async fn fifty_thousand_tools_pass_and_one_more_does_not() {
    for (extra, expected) in [
        (0, Ok(50_000)),
        (1, Err("`tools/list` on server `scripted` does not end: more than 50000 elements".to_owned())),
    ] {
        let (found, _) =
            listed(move |_| json!({"tools": (0..50_000 + extra).map(numbered).collect::<Vec<_>>()})).await;
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_page_of_the_wrong_shape_says_where() {
    for (page, expected) in [
        (json!({"tools": {}}), "`/tools`: expected an array, found an object"),
        (json!({}), "`/tools` is missing"),
        (json!({"tools": [], "nextCursor": 7}), "`/nextCursor` is not a string"),
    ] {
        let (found, _) = listed(move |_| page.clone()).await;
        let prefix = "the answer to `tools/list` on server `scripted` breaks the protocol: ";
        assert_eq!(found, Err(format!("{prefix}{expected}")));
    }
}

#[tokio::test]
async fn resources_templates_and_prompts_come_from_all_pages_word_for_word() {
    let (config, _) = legacy(|request| {
        let method = request["method"].as_str().unwrap();
        let member = match method {
            "tools/list" => "tools",
            "resources/list" => "resources",
            "resources/templates/list" => "resourceTemplates",
            "prompts/list" => "prompts",
            _ => return Vec::new(),
        };
        match request["params"]["cursor"].as_str() {
            None => raw_result(
                request,
                &format!(r#"{{"{member}":[{{"b":1.0,"a":"{member}"}}],"nextCursor":"2"}}"#),
            ),
            Some(_) => raw_result(request, &format!(r#"{{"{member}":["odd"]}}"#)),
        }
    });
    let (pool, upstream) = pool_of(config);
    let lists = [
        upstream.resources(CallOptions::default()).await.unwrap(),
        upstream.resource_templates(CallOptions::default()).await.unwrap(),
        upstream.prompts(CallOptions::default()).await.unwrap(),
    ];
    for (list, member) in lists.iter().zip(["resources", "resourceTemplates", "prompts"]) {
        let texts: Vec<&str> = list.iter().map(|element| element.text()).collect();
        assert_eq!(texts, [format!(r#"{{"b":1.0,"a":"{member}"}}"#).as_str(), r#""odd""#]);
    }
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_comes_is_given_up() {
    let (config, _) = legacy(|request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({"tools": []}))],
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_of(config);
    let error = upstream.prompts(CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error:?}");
    assert_eq!(upstream.state().label(), "ready");
    pool.shutdown().await;
}
