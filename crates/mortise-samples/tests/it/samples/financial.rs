//! Statements and prices.

use serde_json::{Value, json};

use super::{call, peer, refused, value, walk};

#[tokio::test]
async fn revenue_of_the_last_quarters_comes_newest_first() {
    let mut peer = peer("financial-data");
    for (ticker, expected) in [
        ("AMZN", [170_000_000_000_u64, 165_300_000_000, 161_800_000_000, 158_400_000_000]),
        ("MSFT", [72_400_000_000, 70_100_000_000, 68_600_000_000, 65_600_000_000]),
        ("GOOG", [96_500_000_000, 94_200_000_000, 90_200_000_000, 88_300_000_000]),
    ] {
        let rows = value(&mut peer, "query_financials", json!({"ticker": ticker, "period": "quarter"})).await;
        let revenue: Vec<_> =
            rows.as_array().unwrap().iter().map(|row| row["revenue"].as_u64().unwrap()).collect();
        assert_eq!(revenue, expected, "{ticker}");
    }
}

#[tokio::test]
async fn a_row_has_what_its_statement_has() {
    let mut peer = peer("financial-data");
    let rows = value(&mut peer, "query_financials", json!({"ticker": "amzn", "limit": 1})).await;
    assert_eq!(
        rows,
        json!([{
            "ticker": "AMZN", "period": "FY 2025", "date": "2025-12-31", "currency": "USD",
            "revenue": 655_500_000_000_u64, "netIncome": 61_617_000_000_u64,
            "grossProfit": 320_539_500_000_u64, "operatingIncome": 70_794_000_000_u64, "eps": 5.92,
        }])
    );
    let balance =
        value(&mut peer, "query_financials", json!({"ticker": "TSLA", "statement": "balance"})).await;
    let (assets, rest) = (&balance[0]["totalAssets"], &balance[0]);
    let sum = rest["totalLiabilities"].as_u64().unwrap() + rest["totalEquity"].as_u64().unwrap();
    assert_eq!(assets.as_u64(), Some(sum));
    let quarter = json!({"ticker": "NFLX", "statement": "cashflow", "period": "quarter", "limit": 12});
    let quarters = value(&mut peer, "query_financials", quarter).await;
    assert_eq!((&quarters[0]["period"], &quarters[11]["period"]), (&json!("Q4 2025"), &json!("Q1 2023")));
    assert_eq!(quarters[11]["date"], "2023-03-31");
}

#[tokio::test]
async fn the_root_is_an_array_or_wrapped_for_a_legacy_client() {
    let mut peer = peer("financial-data");
    peer.initialize().await.unwrap();
    let params = json!({"name": "query_financials", "arguments": {"ticker": "AMZN"}});
    let legacy = peer.request("tools/call", params).await.unwrap();
    assert!(legacy["result"]["structuredContent"]["result"].is_array());
    let modern = call(&mut peer, "query_financials", json!({"ticker": "AMZN"})).await;
    let text: Value = serde_json::from_str(modern["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(modern["structuredContent"], text);
}

#[tokio::test]
async fn prices_come_in_pages_and_within_dates() {
    let mut peer = peer("financial-data");
    let all = walk(&mut peer, "get_price_history", json!({"ticker": "AMZN", "limit": 99}), "prices").await;
    assert_eq!((all.len(), &all[0]["date"], &all[0]["close"]), (250, &json!("2025-01-02"), &json!(220.22)));
    let dates = json!({"ticker": "AMZN", "from": "2025-03-01", "to": "2025-03-31"});
    let march = walk(&mut peer, "get_price_history", dates, "prices").await;
    assert_eq!((march.len(), &march[0]["date"]), (21, &json!("2025-03-03")));
    assert!(all.iter().all(|price| price["close"].as_f64().unwrap() > 1.0));
}

#[tokio::test]
async fn wrong_questions_are_answered_with_what_to_do() {
    let mut peer = peer("financial-data");
    let unknown = refused(&mut peer, "query_financials", json!({"ticker": "NOPE"})).await;
    assert_eq!(unknown, "no figures for `NOPE`; list_tickers names the tickers that have some");
    let wrong =
        refused(&mut peer, "query_financials", json!({"ticker": "AMZN", "statement": "profit"})).await;
    assert!(wrong.contains("/statement"), "{wrong}");
    let cursor = refused(&mut peer, "get_price_history", json!({"ticker": "AMZN", "cursor": "2"})).await;
    assert_eq!(cursor, "`2` is not a cursor of this list; start without one");
    let tickers = value(&mut peer, "list_tickers", json!({})).await;
    assert_eq!(tickers["tickers"].as_array().unwrap().len(), 8);
}
