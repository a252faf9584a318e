//! Prints the JSON Schema of `mortise.yaml`.

use std::io::{Error, Write, stdout};

use mortise_config::Config;

fn main() -> Result<(), Error> {
    let mut out = stdout().lock();
    serde_json::to_writer_pretty(&mut out, &Config::json_schema())?;
    out.write_all(b"\n")
}
