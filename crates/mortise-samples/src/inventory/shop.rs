//! Stock and orders, and what can happen to them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalog::{CUSTOMERS, PRODUCTS};
use crate::calendar::hour_of_2026;
use crate::random::SeededNumbers;

/// Orders that there can be.
const ORDERS: usize = 10_000;
/// Pieces of a product that there can be.
const STOCK: u32 = 1_000_000;
/// The number of the first order.
const FIRST: u32 = 1_001;
/// Orders to begin with.
const EXAMPLES: usize = 36;

/// A product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Product {
    /// E.g. P-03.
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) category: &'static str,
    pub(super) price_cents: u32,
    /// Pieces there are.
    pub(super) stock: u32,
}

/// A quantity of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Item")]
#[serde(deny_unknown_fields)]
pub(super) struct OrderItem {
    /// E.g. P-03.
    pub(super) product_id: String,
    #[schemars(range(min = 1, max = 1_000))]
    pub(super) quantity: u32,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Order")]
pub(super) struct ShopOrder {
    /// E.g. O-1004.
    pub(super) id: String,
    pub(super) customer_id: String,
    pub(super) items: Vec<OrderItem>,
    pub(super) total_cents: u64,
    pub(super) status: OrderStatus,
    #[schemars(extend("format" = "date-time"))]
    pub(super) placed_at: String,
}

/// How far an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OrderStatus {
    Placed,
    Shipped,
    Cancelled,
}

/// Why something can't be done in the shop.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ShopError {
    #[error("there is no customer `{id}`; list_customers shows those there are")]
    NoCustomer { id: String },
    #[error("there is no product `{id}`; list_products shows those there are")]
    NoProduct { id: String },
    #[error("there is no order `{id}`; list_orders shows those there are")]
    NoOrder { id: String },
    #[error("only {stock} of `{id}` are in stock, not {wanted}; nothing was ordered")]
    OutOfStock { id: String, stock: u32, wanted: u64 },
    #[error("order `{id}` has been shipped and can't be cancelled")]
    Shipped { id: String },
    #[error("there are {limit} {what} already, which is the most")]
    Full { what: &'static str, limit: usize },
}

/// The shop. Time passes by an hour with each order.
#[derive(Debug)]
pub(super) struct Shop {
    products: BTreeMap<&'static str, Product>,
    orders: BTreeMap<u32, ShopOrder>,
    next: u32,
}

impl Shop {
    pub(super) fn with_examples() -> Self {
        let product = |(id, name, category, price_cents, stock)| {
            (id, Product { id, name, category, price_cents, stock })
        };
        let products = PRODUCTS.into_iter().map(product).collect();
        let mut shop = Self { products, orders: BTreeMap::new(), next: FIRST };
        let mut random = SeededNumbers::new(9);
        for _ in 0..EXAMPLES {
            shop.example(&mut random);
        }
        shop
    }

    pub(super) fn products(&self) -> impl Iterator<Item = &Product> {
        self.products.values()
    }

    pub(super) fn orders(&self) -> impl Iterator<Item = &ShopOrder> {
        self.orders.values()
    }

    pub(super) fn product(&self, id: &str) -> Result<&Product, ShopError> {
        self.products.get(id).ok_or_else(|| ShopError::NoProduct { id: id.to_owned() })
    }

    /// Places an order, or changes nothing.
    pub(super) fn place(&mut self, customer_id: &str, items: &[OrderItem]) -> Result<ShopOrder, ShopError> {
        if !CUSTOMERS.iter().any(|customer| customer.id == customer_id) {
            return Err(ShopError::NoCustomer { id: customer_id.to_owned() });
        }
        if self.orders.len() >= ORDERS {
            return Err(ShopError::Full { what: "orders", limit: ORDERS });
        }
        let mut wanted: BTreeMap<&str, u64> = BTreeMap::new();
        for item in items {
            *wanted.entry(&item.product_id).or_default() += u64::from(item.quantity);
        }
        for (id, wanted) in &wanted {
            let stock = self.product(id)?.stock;
            if u64::from(stock) < *wanted {
                return Err(ShopError::OutOfStock { id: (*id).to_owned(), stock, wanted: *wanted });
            }
        }
        for item in items {
            if let Some(product) = self.products.get_mut(item.product_id.as_str()) {
                product.stock -= item.quantity;
            }
        }
        Ok(self.record(customer_id, items.to_vec(), OrderStatus::Placed))
    }

    /// Cancels an order; one that is cancelled stays so.
    pub(super) fn cancel(&mut self, id: &str) -> Result<ShopOrder, ShopError> {
        let number = id.strip_prefix("O-").and_then(|number| number.parse::<u32>().ok());
        let order = number.and_then(|number| self.orders.get_mut(&number));
        let order = order.ok_or_else(|| ShopError::NoOrder { id: id.to_owned() })?;
        match order.status {
            OrderStatus::Shipped => return Err(ShopError::Shipped { id: id.to_owned() }),
            OrderStatus::Cancelled => return Ok(order.clone()),
            OrderStatus::Placed => order.status = OrderStatus::Cancelled,
        }
        let order = order.clone();
        for item in &order.items {
            if let Some(product) = self.products.get_mut(item.product_id.as_str()) {
                product.stock = product.stock.saturating_add(item.quantity).min(STOCK);
            }
        }
        Ok(order)
    }

    pub(super) fn restock(&mut self, item: &OrderItem) -> Result<Product, ShopError> {
        let product = self.products.get_mut(item.product_id.as_str());
        let product = product.ok_or_else(|| ShopError::NoProduct { id: item.product_id.clone() })?;
        match product.stock.checked_add(item.quantity) {
            Some(stock) if stock <= STOCK => product.stock = stock,
            _ => return Err(ShopError::Full { what: "pieces", limit: STOCK as usize }),
        }
        Ok(product.clone())
    }

    fn record(&mut self, customer_id: &str, items: Vec<OrderItem>, status: OrderStatus) -> ShopOrder {
        let price =
            |item: &OrderItem| self.product(&item.product_id).map_or(0, |product| product.price_cents);
        let total_cents = items.iter().map(|item| u64::from(price(item)) * u64::from(item.quantity)).sum();
        let order = ShopOrder {
            id: format!("O-{}", self.next),
            customer_id: customer_id.to_owned(),
            items,
            total_cents,
            status,
            placed_at: hour_of_2026(i64::from(self.next - FIRST) * 7),
        };
        self.orders.insert(self.next, order.clone());
        self.next += 1;
        order
    }

    /// An order of the past; its items have left the stock long ago.
    fn example(&mut self, random: &mut SeededNumbers) {
        let mut pick = |count: usize| usize::try_from(random.below(count as u64)).unwrap_or(0);
        let customer = CUSTOMERS[pick(CUSTOMERS.len())].id;
        let mut items = Vec::new();
        for _ in 0..=pick(3) {
            let (product_id, ..) = PRODUCTS[pick(PRODUCTS.len())];
            let quantity = u32::try_from(pick(5)).unwrap_or(0) + 1;
            items.push(OrderItem { product_id: product_id.to_owned(), quantity });
        }
        let status =
            [OrderStatus::Shipped, OrderStatus::Shipped, OrderStatus::Placed, OrderStatus::Cancelled]
                [pick(4)];
        self.record(customer, items, status);
    }
}

#[cfg(test)]
mod tests;
