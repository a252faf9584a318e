//! A year of invented closing prices.

use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Company, cents};
use crate::calendar::{is_weekend, start_of};
use crate::random::SeededNumbers;

const TRADING_DAYS: usize = 250;

/// One trading day.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Price {
    #[schemars(extend("format" = "date"))]
    pub(super) date: String,
    close: f64,
    volume: u64,
}

/// The prices of a company, oldest first: a walk of at most two percent a day.
pub(super) fn of(company: &Company) -> Vec<Price> {
    let seed = company.ticker.bytes().fold(0, |seed, byte| seed * 256 + u64::from(byte));
    let mut random = SeededNumbers::new(seed);
    let mut close = company.first_close;
    let days = start_of(2025).iter_days().skip(1).filter(|day| !is_weekend(*day));
    days.take(TRADING_DAYS)
        .map(|day| {
            let price = Price {
                date: day.to_string(),
                close: cents(close),
                volume: 10_000_000 + random.below(40_000_000),
            };
            // A little more up than down: between -2.0 and +2.1 percent.
            let permille = i64::try_from(random.below(42)).unwrap_or(0) - 20;
            close += close * permille / 1000;
            price
        })
        .collect()
}
