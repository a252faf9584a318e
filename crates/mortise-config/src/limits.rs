//! The limits of configuration files and of what they can set.

use std::time::Duration;

use mortise_contract::limits::MIB;

mortise_contract::limits! {
    /// One configuration file of ours.
    CONFIG_BYTES: usize = MIB, "config", "mortise.yaml", "1 MiB", None;
    /// Nodes of one configuration file, aliases expanded.
    CONFIG_NODES: usize = 10_000, "config", "nodes of mortise.yaml", "10,000", None;
    /// One configuration file of another program.
    IMPORT_BYTES: usize = 16 * MIB, "config", "another program's file", "16 MiB", None;

    /// The longest time that can be set.
    WIZARD_LONG_TIME_MAX: Duration = Duration::from_secs(86_400), "wizards", "pipeline, backtest or discovery that can be set", "86,400 s", None, after "one pipeline, backtest or discovery";
}
