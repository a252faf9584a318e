//! `financial-data`: statements and prices of companies, with an array at the root of one schema.

mod figures;
mod prices;

use mortise_server::{Answer, RegistrationError, Tool, ToolError, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::page::Pages;
use crate::registry::invented;
use figures::{COMPANIES, Company, Period, Statement};

pub(crate) fn tools() -> Result<Tools, RegistrationError> {
    Tools::new([query_financials(), list_tickers(), get_price_history()])
}

#[derive(Deserialize)]
struct StatementQuery {
    ticker: String,
    #[serde(default)]
    statement: Statement,
    #[serde(default)]
    period: Period,
    limit: Option<usize>,
}

/// Declared by hand: its output schema has an array at the root.
fn query_financials() -> Tool {
    let amount = |what: &str| json!({"type": "number", "description": what});
    let tool = Tool::raw("query_financials")
        .title("Query financial statements")
        .description(invented(
            "Fetch income/balance/cashflow statements for a ticker, newest first. Amounts are in whole units of \
             `currency`.",
        ))
        .read_only()
        .closed_world()
        .input_schema(json!({
            "type": "object",
            "properties": {
                "ticker": {"type": "string", "description": "Ticker symbol, e.g. AMZN; see list_tickers."},
                "statement": {"type": "string", "enum": ["income", "balance", "cashflow"], "default": "income"},
                "period": {"type": "string", "enum": ["annual", "quarter"], "default": "annual"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 12, "default": 4},
            },
            "required": ["ticker"],
            "additionalProperties": false,
        }))
        .output_schema(json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ticker": {"type": "string"},
                    "period": {"type": "string", "description": "`Q4 2025` or `FY 2025`."},
                    "date": {"type": "string", "format": "date", "description": "Last day of the period."},
                    "currency": {"type": "string"},
                    "revenue": amount("In every statement."),
                    "netIncome": amount("In every statement."),
                    "grossProfit": amount("Income statement."),
                    "operatingIncome": amount("Income statement."),
                    "eps": amount("Income statement: earnings per share."),
                    "totalAssets": amount("Balance sheet."),
                    "totalLiabilities": amount("Balance sheet."),
                    "totalEquity": amount("Balance sheet."),
                    "operatingCashFlow": amount("Cash-flow statement."),
                    "capitalExpenditure": amount("Cash-flow statement."),
                    "freeCashFlow": amount("Cash-flow statement."),
                },
                "required": ["ticker", "period", "date", "currency", "revenue", "netIncome"],
            },
        }));
    tool.handler(|call, _context| async move {
        let query: StatementQuery = serde_json::from_str(call.arguments.text())?;
        let rows = company(&query.ticker)?.rows(query.statement, query.period);
        Ok(Answer::structured(rows.into_iter().take(query.limit.unwrap_or(4)).collect()))
    })
}

/// The companies with figures.
#[derive(Serialize, JsonSchema)]
struct Tickers {
    tickers: Vec<TickerInfo>,
}

/// A company.
#[derive(Serialize, JsonSchema)]
struct TickerInfo {
    ticker: &'static str,
    name: &'static str,
    sector: &'static str,
}

fn list_tickers() -> Tool {
    Tool::new("list_tickers", || async {
        let info = |company: &Company| TickerInfo {
            ticker: company.ticker,
            name: company.name,
            sector: company.sector,
        };
        Ok::<_, ToolError>(Tickers { tickers: COMPANIES.iter().map(info).collect() })
    })
    .title("List tickers")
    .description(invented("Every ticker that has figures, with name and sector."))
    .read_only()
    .closed_world()
}

/// Which prices.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PriceQuery {
    /// Ticker symbol, e.g. AMZN; see list_tickers.
    ticker: String,
    /// First day, e.g. 2025-03-01.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// Last day.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Days to a page, at most 100; 10 if absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

/// One page of prices, oldest first.
#[derive(Serialize, JsonSchema)]
struct PriceHistory {
    ticker: &'static str,
    currency: &'static str,
    prices: Vec<prices::Price>,
    /// Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    next_cursor: Option<String>,
}

fn get_price_history() -> Tool {
    Tool::new("get_price_history", |query: PriceQuery| async move {
        let company = company(&query.ticker)?;
        let from = query.from.unwrap_or_default();
        let to = query.to.unwrap_or_else(|| "9999".to_owned());
        let wanted = prices::of(company).into_iter().filter(|price| price.date >= from && price.date <= to);
        let pages = Pages { cursor: query.cursor.as_deref(), limit: query.limit };
        let (prices, next_cursor) = pages.of(wanted)?;
        Ok::<_, ToolError>(PriceHistory { ticker: company.ticker, currency: "USD", prices, next_cursor })
    })
    .title("Get price history")
    .description(invented(
        "Daily closing prices of 2025 for a ticker, oldest first, in pages: pass `next_cursor` as `cursor` \
             until there is none.",
    ))
    .read_only()
    .closed_world()
}

fn company(ticker: &str) -> Result<&'static Company, ToolError> {
    let found = COMPANIES.iter().find(|company| company.ticker.eq_ignore_ascii_case(ticker));
    found.ok_or_else(|| {
        ToolError::new(format!("no figures for `{ticker}`; list_tickers names the tickers that have some"))
    })
}
