//! Searching and reading the handbook.

use serde_json::{Value, json};

use super::{call, peer, refused, value};

#[tokio::test]
async fn search_results_are_a_list_in_a_text_and_nothing_structured() {
    let mut peer = peer("doc-retrieval");
    let result = call(&mut peer, "search_docs", json!({"query": "expenses on travel", "limit": 2})).await;
    assert!(result.get("structuredContent").is_none());
    let hits: Vec<Value> = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    let keys: Vec<_> = hits[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["title", "content", "score", "doc_id"]);
    let found: Vec<_> = hits.iter().map(|hit| (hit["doc_id"].as_str().unwrap(), &hit["score"])).collect();
    assert_eq!(found, [("hb-01", &json!(1.0)), ("hb-02", &json!(0.75))]);
}

#[tokio::test]
async fn nothing_found_is_an_empty_list() {
    let result = call(&mut peer("doc-retrieval"), "search_docs", json!({"query": "zeppelin"})).await;
    assert_eq!(result["content"][0]["text"], "[]");
}

#[tokio::test]
async fn a_document_is_read_by_its_id() {
    let mut peer = peer("doc-retrieval");
    let document = value(&mut peer, "get_doc", json!({"doc_id": "hb-06"})).await;
    assert_eq!(
        (&document["title"], &document["tags"]),
        (&json!("On-call duty"), &json!(["engineering", "policy"]))
    );
    let missing = refused(&mut peer, "get_doc", json!({"doc_id": "hb-99"})).await;
    assert_eq!(missing, "there is no document `hb-99`; search_docs finds those there are");
    let tags = value(&mut peer, "list_tags", json!({})).await;
    assert_eq!(tags["tags"][0], json!({"tag": "customers", "documents": 1}));
}
