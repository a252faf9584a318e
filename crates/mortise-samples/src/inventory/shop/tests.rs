//! What can happen to stock and orders.

use super::{OrderItem, OrderStatus, Shop, ShopError};

fn items(items: &[(&str, u32)]) -> Vec<OrderItem> {
    items
        .iter()
        .map(|(id, quantity)| OrderItem { product_id: (*id).to_owned(), quantity: *quantity })
        .collect()
}

fn stock(shop: &Shop, id: &str) -> u32 {
    shop.product(id).unwrap().stock
}

#[test]
fn two_shops_begin_alike() {
    let orders = |shop: Shop| shop.orders().cloned().collect::<Vec<_>>();
    assert_eq!(orders(Shop::with_examples()), orders(Shop::with_examples()));
    assert_eq!(Shop::with_examples().orders().count(), 36);
}

#[test]
fn an_order_takes_from_stock_and_its_cancellation_gives_back() {
    let mut shop = Shop::with_examples();
    let order = shop.place("C-1", &items(&[("P-03", 2), ("P-09", 1)])).unwrap();
    assert_eq!((order.id.as_str(), order.total_cents), ("O-1037", 2 * 5_900 + 890));
    assert_eq!(stock(&shop, "P-03"), 12);
    assert_eq!(shop.cancel(&order.id).unwrap().status, OrderStatus::Cancelled);
    assert_eq!(shop.cancel(&order.id).unwrap().status, OrderStatus::Cancelled);
    assert_eq!(stock(&shop, "P-03"), 14);
}

#[test]
fn an_order_that_can_not_be_filled_changes_nothing() {
    let mut shop = Shop::with_examples();
    let refused = shop.place("C-1", &items(&[("P-09", 1), ("P-10", 5), ("P-10", 4)]));
    assert_eq!(refused, Err(ShopError::OutOfStock { id: "P-10".to_owned(), stock: 8, wanted: 9 }));
    assert_eq!((stock(&shop, "P-09"), stock(&shop, "P-10")), (120, 8));
    assert_eq!(
        shop.place("C-9", &items(&[("P-09", 1)])),
        Err(ShopError::NoCustomer { id: "C-9".to_owned() })
    );
    assert_eq!(
        shop.place("C-1", &items(&[("P-99", 1)])),
        Err(ShopError::NoProduct { id: "P-99".to_owned() })
    );
    assert_eq!(shop.orders().count(), 36);
}

#[test]
fn shipped_orders_stay() {
    let mut shop = Shop::with_examples();
    let shipped = shop.orders().find(|order| order.status == OrderStatus::Shipped).unwrap().id.clone();
    assert_eq!(shop.cancel(&shipped), Err(ShopError::Shipped { id: shipped }));
    assert_eq!(shop.cancel("O-1"), Err(ShopError::NoOrder { id: "O-1".to_owned() }));
}

#[test]
fn stock_ends_at_its_limit() {
    let mut shop = Shop::with_examples();
    for _ in 0..999 {
        shop.restock(&items(&[("P-01", 1_000)])[0]).unwrap();
    }
    assert_eq!(shop.restock(&items(&[("P-01", 960)])[0]).unwrap().stock, 1_000_000);
    let past = shop.restock(&items(&[("P-01", 1)])[0]);
    assert_eq!(past, Err(ShopError::Full { what: "pieces", limit: 1_000_000 }));
}

#[test]
fn orders_end_at_their_limit() {
    let mut shop = Shop::with_examples();
    shop.restock(&items(&[("P-09", 20_000)])[0]).unwrap();
    for _ in 36..10_000 {
        shop.place("C-1", &items(&[("P-09", 1)])).unwrap();
    }
    let past = shop.place("C-1", &items(&[("P-09", 1)]));
    assert_eq!(past, Err(ShopError::Full { what: "orders", limit: 10_000 }));
}
