//! Runs that last: killed and resumed, replayed, approved across a restart, longer than a proxy's patience.

mod gateway;
mod home;
mod kills;
mod patience;
mod questions;

use super::Interop;
use crate::report::Report;

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop runs";
    report.step("runs: killed, resumed, replayed", rerun, || kills::check(interop));
    report.step("runs: 51 writes approved in a shell", rerun, || questions::in_a_shell(interop));
    for (client, mode) in questions::clients() {
        let name = format!("runs: 51 writes approved by {} ({mode})", client.name);
        report.step(&name, rerun, || questions::by_a_client(interop, client, mode));
    }
    report.step("runs: behind a proxy that cuts", rerun, || patience::check(interop));
}
