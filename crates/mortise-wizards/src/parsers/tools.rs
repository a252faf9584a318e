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

use crate::tool::Wizard;

pub use self::backtest::{BacktestFile, BacktestOutput, CategoryCount};
pub use self::generate::{GenerateParserOutput, SpecialColumn};
pub use self::pipeline::{PipelineFile, PipelineOutput};
pub use crate::parsers::backtest::Termination;
pub use crate::parsers::category::Category;
pub use crate::parsers::pipeline::PipelineMode;

/// The wizards of this module, in the order of the chain.
pub fn wizards() -> Vec<Wizard> {
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
