//! The wizards that write, mend, test and run parsers.

mod backtest;
mod code;
mod drafts;
mod fix;
mod generate;
mod input;
mod pipeline;
mod query;
mod refine;
mod validation_schema;

use crate::tool::Wizard;

/// All of them.
pub fn all() -> Vec<Wizard> {
    vec![
        generate::wizard(),
        refine::wizard(),
        fix::wizard(),
        backtest::wizard(),
        pipeline::wizard(),
        query::wizard(),
        drafts::commit(),
        drafts::list(),
    ]
}
