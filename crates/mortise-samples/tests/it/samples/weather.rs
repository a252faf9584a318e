//! The tools of the output-schema examples.

use serde_json::json;

use super::{call, peer, refused, value};

#[tokio::test]
async fn weather_is_structured_and_readable() {
    let mut peer = peer("weather");
    let oslo = call(&mut peer, "get_weather", json!({"city": "oslo"})).await;
    assert_eq!(
        oslo["structuredContent"],
        json!({
            "city": "Oslo", "country": "Norway", "temperature": {"celsius": -3.4, "fahrenheit": 25.9},
            "conditions": "snow", "humidity": 83, "wind": {"speed_kmh": 7, "direction": "NE"},
        })
    );
    assert_eq!(oslo["content"], json!([{"type": "text", "text": "-3.4 °C and snow in Oslo"}]));
    let unknown = refused(&mut peer, "get_weather", json!({"city": "Atlantis"})).await;
    assert!(unknown.starts_with("no weather for `Atlantis`; there is some for Berlin, Cairo"), "{unknown}");
}

#[tokio::test]
async fn a_table_is_summarised() {
    let mut peer = peer("weather");
    let summary = value(&mut peer, "process_csv", json!({"csv_data": "name,age\nAnn,31\nBob,29\n"})).await;
    assert_eq!(
        summary,
        json!({"row_count": 2, "columns": [
            {"name": "name", "kind": "text", "count": 2, "distinct": 2},
            {"name": "age", "kind": "number", "count": 2, "distinct": 2,
             "numbers": {"min": 29.0, "max": 31.0, "mean": 30.0, "sum": 60.0}},
        ]})
    );
    let ragged = refused(&mut peer, "process_csv", json!({"csv_data": "a;b\n1", "delimiter": ";"})).await;
    assert_eq!(ragged, "row 1 has 1 values where there are 2 columns");
}

#[tokio::test]
async fn bmi_has_a_category() {
    let mut peer = peer("weather");
    for (weight, bmi, category) in [
        (50.0, 15.4, "underweight"),
        (70.0, 21.6, "normal"),
        (90.0, 27.8, "overweight"),
        (120.0, 37.0, "obese"),
    ] {
        let value = value(&mut peer, "calculate_bmi", json!({"height_cm": 180, "weight_kg": weight})).await;
        assert_eq!(value, json!({"bmi": bmi, "category": category}));
    }
    let refused = refused(&mut peer, "calculate_bmi", json!({"height_cm": 1.8, "weight_kg": 70})).await;
    assert!(refused.contains("/height_cm"), "{refused}");
}

#[tokio::test]
async fn the_plain_tool_returns_text() {
    let result = call(&mut peer("weather"), "describe_climate", json!({"city": "Lima"})).await;
    assert!(result.get("structuredContent").is_none());
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("Lima is mild"));
}
