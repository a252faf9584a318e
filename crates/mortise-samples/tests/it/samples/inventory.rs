//! Customers, products and orders.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{peer, refused, value, walk};

#[tokio::test]
async fn orders_join_with_customers_and_products() {
    let mut peer = peer("inventory");
    let ids = |list: &Value| -> HashMap<String, Value> {
        let items = list.as_array().unwrap().iter();
        items.map(|item| (item["id"].as_str().unwrap().to_owned(), item.clone())).collect()
    };
    let customers = ids(&value(&mut peer, "list_customers", json!({})).await["customers"]);
    let products = ids(&value(&mut peer, "list_products", json!({})).await["products"]);
    let orders = walk(&mut peer, "list_orders", json!({}), "orders").await;
    assert_eq!((customers.len(), products.len(), orders.len()), (8, 12, 36));
    for order in &orders {
        assert!(customers.contains_key(order["customer_id"].as_str().unwrap()), "{order}");
        let items = order["items"].as_array().unwrap().iter();
        let total: u64 = items
            .map(|item| {
                let product = &products[item["product_id"].as_str().unwrap()];
                product["price_cents"].as_u64().unwrap() * item["quantity"].as_u64().unwrap()
            })
            .sum();
        assert_eq!(order["total_cents"], total, "{order}");
    }
}

#[tokio::test]
async fn an_order_changes_the_stock() {
    let mut peer = peer("inventory");
    let order = json!({"customer_id": "C-3", "items": [{"product_id": "P-10", "quantity": 8}]});
    let placed = value(&mut peer, "place_order", order.clone()).await;
    assert_eq!((&placed["id"], &placed["status"]), (&json!("O-1037"), &json!("placed")));
    let refusal = refused(&mut peer, "place_order", order).await;
    assert_eq!(refusal, "only 0 of `P-10` are in stock, not 8; nothing was ordered");
    let low = value(&mut peer, "list_products", json!({"stock_at_most": 0})).await;
    assert_eq!(low["products"][0]["id"], "P-10");
    let restocked = value(&mut peer, "restock", json!({"product_id": "P-10", "quantity": 5})).await;
    assert_eq!(restocked["stock"], 5);
    value(&mut peer, "cancel_order", json!({"order_id": "O-1037"})).await;
    assert_eq!(value(&mut peer, "get_product", json!({"product_id": "P-10"})).await["stock"], 13);
}
