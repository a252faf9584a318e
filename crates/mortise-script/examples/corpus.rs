//! Runs one program of the corpus and prints what came of it, in the form of `tests/oracle/oracle.py`.
//!
//! `cargo run -p mortise-script --example corpus -- crates/mortise-script/tests/corpus/text_diff.py`
#![allow(clippy::expect_used, clippy::print_stdout, reason = "an example prints and fails by panicking")]

#[path = "../tests/oracle/host.rs"]
mod host;

use std::sync::Arc;

use mortise_script::{Engine, EngineOptions, Program};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() {
    let engine = Engine::new(EngineOptions::default()).expect("the interpreter loads");
    for path in std::env::args().skip(1) {
        let tools = host::CorpusTools::new();
        let mut program = Program::new(std::fs::read_to_string(&path).expect("a program"));
        program.tools = tools.names();
        let report = engine
            .run_program(program, Arc::new(tools), (), &CancellationToken::new())
            .await
            .expect("there is room");
        print!("{}", host::shown(&report));
    }
}
