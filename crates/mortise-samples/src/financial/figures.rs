//! Invented figures, and the statements made of them.

use serde::Deserialize;
use serde_json::{Value, json};

/// What the statements of a company are computed from.
#[derive(Debug)]
pub(super) struct Company {
    pub(super) ticker: &'static str,
    pub(super) name: &'static str,
    pub(super) sector: &'static str,
    /// Revenue by quarter in hundreds of millions, from Q4 2025 back to Q1 2023.
    revenue: [i64; 12],
    /// Of each thousand of revenue: gross profit, operating income, net income.
    gross: i64,
    operating: i64,
    net: i64,
    /// Shares in millions.
    shares: i64,
    /// Close of the first trading day of 2025, in cents.
    pub(super) first_close: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Statement {
    #[default]
    Income,
    Balance,
    Cashflow,
}

/// Over which time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Period {
    #[default]
    Annual,
    Quarter,
}

const UNIT: i64 = 100_000_000;
const FIRST_YEAR: usize = 2023;
const QUARTER_ENDS: [&str; 4] = ["03-31", "06-30", "09-30", "12-31"];

#[rustfmt::skip]
pub(super) const COMPANIES: &[Company] = &[
    Company { ticker: "AAPL", name: "Apple", sector: "technology", revenue: [1196, 949, 858, 908, 1187, 931, 845, 889, 1172, 895, 818, 948], gross: 462, operating: 305, net: 251, shares: 15_300, first_close: 24_385 },
    Company { ticker: "AMZN", name: "Amazon", sector: "retail", revenue: [1700, 1653, 1618, 1584, 1551, 1526, 1489, 1462, 1437, 1408, 1383, 1361], gross: 489, operating: 108, net: 94, shares: 10_400, first_close: 22_022 },
    Company { ticker: "GOOG", name: "Alphabet", sector: "technology", revenue: [965, 942, 902, 883, 847, 805, 863, 767, 746, 698, 760, 690], gross: 581, operating: 323, net: 281, shares: 12_200, first_close: 19_067 },
    Company { ticker: "META", name: "Meta Platforms", sector: "technology", revenue: [484, 475, 423, 406, 391, 365, 401, 341, 320, 286, 322, 277], gross: 817, operating: 421, net: 352, shares: 2_530, first_close: 59_924 },
    Company { ticker: "MSFT", name: "Microsoft", sector: "technology", revenue: [724, 701, 686, 656, 647, 619, 620, 565, 562, 529, 527, 501], gross: 694, operating: 446, net: 361, shares: 7_430, first_close: 41_858 },
    Company { ticker: "NFLX", name: "Netflix", sector: "media", revenue: [118, 115, 111, 105, 102, 98, 96, 94, 88, 85, 82, 82], gross: 461, operating: 271, net: 224, shares: 428, first_close: 88_673 },
    Company { ticker: "NVDA", name: "Nvidia", sector: "semiconductors", revenue: [570, 467, 441, 393, 351, 300, 260, 221, 181, 135, 72, 61], gross: 741, operating: 620, net: 553, shares: 24_400, first_close: 13_831 },
    Company { ticker: "TSLA", name: "Tesla", sector: "automobiles", revenue: [281, 225, 193, 257, 252, 255, 213, 252, 234, 249, 233, 243], gross: 179, operating: 62, net: 71, shares: 3_210, first_close: 37_928 },
];

impl Company {
    /// The statements, newest first.
    pub(super) fn rows(&self, statement: Statement, period: Period) -> Vec<Value> {
        match period {
            Period::Quarter => (0..self.revenue.len()).map(|ago| self.quarter(statement, ago)).collect(),
            Period::Annual => (0..self.revenue.len() / 4).map(|ago| self.year(statement, ago)).collect(),
        }
    }

    fn quarter(&self, statement: Statement, ago: usize) -> Value {
        let number = self.revenue.len() - 1 - ago;
        let (year, quarter) = (FIRST_YEAR + number / 4, number % 4);
        let date = format!("{year}-{}", QUARTER_ENDS[quarter]);
        self.row(statement, &format!("Q{} {year}", quarter + 1), &date, self.revenue[ago])
    }

    fn year(&self, statement: Statement, ago: usize) -> Value {
        let year = FIRST_YEAR + self.revenue.len() / 4 - 1 - ago;
        let revenue = self.revenue[4 * ago..4 * ago + 4].iter().sum();
        self.row(statement, &format!("FY {year}"), &format!("{year}-12-31"), revenue)
    }

    fn row(&self, statement: Statement, period: &str, date: &str, hundred_millions: i64) -> Value {
        let revenue = hundred_millions * UNIT;
        let share = |permille: i64| revenue / 1000 * permille;
        let mut row = json!({
            "ticker": self.ticker,
            "period": period,
            "date": date,
            "currency": "USD",
            "revenue": revenue,
            "netIncome": share(self.net),
        });
        match statement {
            Statement::Income => {
                row["grossProfit"] = json!(share(self.gross));
                row["operatingIncome"] = json!(share(self.operating));
                row["eps"] = json!(cents(share(self.net) / 10_000 / self.shares));
            }
            Statement::Balance => {
                let (assets, liabilities) = (share(3_400), share(1_900));
                row["totalAssets"] = json!(assets);
                row["totalLiabilities"] = json!(liabilities);
                row["totalEquity"] = json!(assets - liabilities);
            }
            Statement::Cashflow => {
                let (operating, capital) = (share(self.operating + 60), share(90));
                row["operatingCashFlow"] = json!(operating);
                row["capitalExpenditure"] = json!(capital);
                row["freeCashFlow"] = json!(operating - capital);
            }
        }
        row
    }
}

/// An amount in cents as a number with two digits after the point.
pub(super) fn cents(amount: i64) -> f64 {
    amount as f64 / 100.0
}
