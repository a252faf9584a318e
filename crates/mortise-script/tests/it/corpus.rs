//! Programs of the kind that models write, each with what CPython prints for it.
//!
//! The expected outputs were made by `tests/oracle/oracle.py`, never by us; `cargo xtask interop` makes them anew and
//! compares.

#[path = "../oracle/host.rs"]
pub(crate) mod host;

use std::path::Path;
use std::time::Duration;

use mortise_script::Program;

use crate::hosts::{block_on, run_on};

#[test]
fn every_program_prints_what_cpython_prints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    assert!(paths.len() >= 120, "{}", paths.len());
    let mut different = Vec::new();
    for path in paths {
        let tools = host::CorpusTools::new();
        let mut program = Program::new(std::fs::read_to_string(&path).unwrap());
        program.tools = tools.names();
        program.limits.wall = Duration::from_secs(100);
        let shown = host::shown(&block_on(run_on(program, tools)));
        let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        if shown != expected {
            different.push(format!("{}\n--- expected\n{expected}\n--- printed\n{shown}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
