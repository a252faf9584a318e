//! `inventory`: customers, products and orders that refer to one another.

mod catalog;
mod shop;

use std::sync::Arc;

use mortise_server::{RegistrationError, Tool, ToolError, Tools};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::Pages;
use crate::registry::invented;
use catalog::{CUSTOMERS, Customer};
use shop::{OrderItem, OrderStatus, Product, Shop, ShopOrder};

type SharedShop = Arc<Mutex<Shop>>;

/// Each set of tools has a shop of its own.
pub(crate) fn tools() -> Result<Tools, RegistrationError> {
    let shop = Arc::new(Mutex::new(Shop::with_examples()));
    Tools::new([
        list_customers(),
        list_products(&shop),
        get_product(&shop),
        list_orders(&shop),
        place_order(&shop),
        cancel_order(&shop),
        restock(&shop),
    ])
}

/// All customers.
#[derive(Serialize, JsonSchema)]
struct Customers {
    customers: &'static [Customer],
}

fn list_customers() -> Tool {
    Tool::new("list_customers", || async { Ok::<_, ToolError>(Customers { customers: CUSTOMERS }) })
        .title("List customers")
        .description(invented("Every customer with name, country and segment."))
        .read_only()
        .closed_world()
}

/// Which products.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProductQuery {
    /// Only products of this category, e.g. tools.
    category: Option<String>,
    /// Only products with at most this many pieces in stock.
    stock_at_most: Option<u32>,
}

/// Products.
#[derive(Serialize, JsonSchema)]
struct Products {
    products: Vec<Product>,
}

fn list_products(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("list_products", move |query: ProductQuery| {
        let wanted = |product: &&Product| {
            query.category.as_ref().is_none_or(|category| product.category == category)
                && query.stock_at_most.is_none_or(|most| product.stock <= most)
        };
        let products = shop.lock().products().filter(wanted).cloned().collect();
        async move { Ok::<_, ToolError>(Products { products }) }
    })
    .title("List products")
    .description(invented("Products with price and stock, all or of one category."))
    .read_only()
    .closed_world()
}

/// Which product.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProductId {
    /// E.g. P-03.
    product_id: String,
}

fn get_product(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("get_product", move |input: ProductId| {
        let found = shop.lock().product(&input.product_id).cloned();
        async move { Ok::<_, ToolError>(found?) }
    })
    .title("Get a product")
    .description(invented("One product with its price and stock."))
    .read_only()
    .closed_world()
}

/// Which orders.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OrderQuery {
    /// Only orders of this customer, e.g. C-2.
    customer_id: Option<String>,
    status: Option<OrderStatus>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Orders to a page, at most 100; 10 if absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

/// One page of orders.
#[derive(Serialize, JsonSchema)]
struct OrderPage {
    orders: Vec<ShopOrder>,
    /// Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    next_cursor: Option<String>,
}

fn list_orders(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("list_orders", move |query: OrderQuery| {
            let wanted = |order: &&ShopOrder| {
                query.customer_id.as_ref().is_none_or(|id| order.customer_id == *id)
                    && query.status.is_none_or(|status| order.status == status)
            };
            let pages = Pages { cursor: query.cursor.as_deref(), limit: query.limit };
            let page = pages.of(shop.lock().orders().filter(wanted).cloned());
            async move { page.map(|(orders, next_cursor)| OrderPage { orders, next_cursor }) }
        })
        .title("List orders")
        .description(invented(
            "Orders, oldest first, in pages: pass `next_cursor` as `cursor` until there is none. They name customers \
             and products by id; amounts are in cents.",
        ))
        .read_only()
        .closed_world()
}

/// What is ordered.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewOrder {
    /// E.g. C-2.
    customer_id: String,
    #[schemars(length(min = 1, max = 50))]
    items: Vec<OrderItem>,
}

fn place_order(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("place_order", move |input: NewOrder| {
        let placed = shop.lock().place(&input.customer_id, &input.items);
        async move { Ok::<_, ToolError>(placed?) }
    })
    .title("Place an order")
    .description(invented("Orders products for a customer and takes them from stock: all items or none."))
    .additive()
    .closed_world()
}

/// Which order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OrderId {
    /// E.g. O-1004.
    order_id: String,
}

fn cancel_order(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("cancel_order", move |input: OrderId| {
        let cancelled = shop.lock().cancel(&input.order_id);
        async move { Ok::<_, ToolError>(cancelled?) }
    })
    .title("Cancel an order")
    .description(invented("Cancels an order that has not been shipped and puts its items back into stock."))
    .annotation("destructiveHint", true.into())
    .idempotent()
    .closed_world()
}

fn restock(shop: &SharedShop) -> Tool {
    let shop = shop.clone();
    Tool::new("restock", move |item: OrderItem| {
        let restocked = shop.lock().restock(&item);
        async move { Ok::<_, ToolError>(restocked?) }
    })
    .title("Restock a product")
    .description(invented("Adds to the stock of a product and returns it."))
    .additive()
    .closed_world()
}
