//! Customers and products to begin with.

use schemars::JsonSchema;
use serde::Serialize;

/// A customer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Customer {
    /// E.g. C-2.
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) country: &'static str,
    /// `business` or `private`.
    pub(super) segment: &'static str,
}

#[rustfmt::skip]
pub(super) const CUSTOMERS: &[Customer] = &[
    Customer { id: "C-1", name: "Birch & Sons", country: "GB", segment: "business" },
    Customer { id: "C-2", name: "Maria Okafor", country: "NG", segment: "private" },
    Customer { id: "C-3", name: "Nordlys AS", country: "NO", segment: "business" },
    Customer { id: "C-4", name: "Jun Tanaka", country: "JP", segment: "private" },
    Customer { id: "C-5", name: "Talleres Vega", country: "ES", segment: "business" },
    Customer { id: "C-6", name: "Lena Fischer", country: "DE", segment: "private" },
    Customer { id: "C-7", name: "Atlas Joinery", country: "US", segment: "business" },
    Customer { id: "C-8", name: "Paul Dubois", country: "FR", segment: "private" },
];

/// Id, name, category, price in cents, stock.
#[rustfmt::skip]
pub(super) const PRODUCTS: [(&str, &str, &str, u32, u32); 12] = [
    ("P-01", "Bevel-edge chisel 12 mm", "tools", 2_450, 40),
    ("P-02", "Mortise chisel 8 mm", "tools", 3_190, 25),
    ("P-03", "Tenon saw", "tools", 5_900, 14),
    ("P-04", "Marking gauge", "measuring", 1_850, 60),
    ("P-05", "Try square", "measuring", 2_200, 33),
    ("P-06", "Wooden mallet", "tools", 2_750, 18),
    ("P-07", "Bar clamp 60 cm", "clamps", 1_990, 75),
    ("P-08", "Bar clamp 120 cm", "clamps", 2_990, 42),
    ("P-09", "Wood glue 500 ml", "supplies", 890, 120),
    ("P-10", "Oak board 1 m", "wood", 3_450, 8),
    ("P-11", "Ash board 1 m", "wood", 2_950, 11),
    ("P-12", "Sharpening stone", "tools", 4_400, 21),
];
