//! JSON case files with one check for all of them.

use std::any::Any;
use std::collections::HashSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;

/// Runs `check` on every case of every `.json` file in `directory`.
///
/// A file holds an array of objects, each with a `name` of its own. `check`
/// fails by panicking, so the usual assertions work. All cases run; then the
/// test fails with one line `file:case: why` for each failure. A directory with
/// no case, an unreadable file and a repeated name are failures too.
#[track_caller]
#[expect(clippy::panic, reason = "a failed case must fail the test that runs it")]
pub fn run_cases(directory: impl AsRef<Path>, check: impl Fn(&Value)) {
    let failures = failures(directory.as_ref(), &check);
    if !failures.is_empty() {
        panic!("{} failed:\n{}", failures.len(), failures.join("\n"));
    }
}

fn failures(directory: &Path, check: &dyn Fn(&Value)) -> Vec<String> {
    let mut files: Vec<_> = match fs::read_dir(directory) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => return vec![format!("{}: {error}", directory.display())],
    };
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut failures = Vec::new();
    let mut ran = 0;
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match read(&path) {
            Err(reason) => failures.push(format!("{file}: {reason}")),
            Ok(cases) => {
                ran += cases.len();
                run_file(&file, &cases, check, &mut failures);
            }
        }
    }
    if ran == 0 && failures.is_empty() {
        failures.push(format!("{}: no cases", directory.display()));
    }
    failures
}

fn read(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("not an array of cases: {error}"))
}

fn run_file(file: &str, cases: &[Value], check: &dyn Fn(&Value), failures: &mut Vec<String>) {
    let mut names = HashSet::new();
    for (position, case) in cases.iter().enumerate() {
        let Some(name) = case["name"].as_str() else {
            failures.push(format!("{file}:#{position}: the case has no name"));
            continue;
        };
        if !names.insert(name) {
            failures.push(format!("{file}:{name}: the name is used twice"));
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(case))) {
            failures.push(format!("{file}:{name}: {}", reason(panic.as_ref())));
        }
    }
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "panicked",
    }
}
