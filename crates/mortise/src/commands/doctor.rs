//! `mortise doctor`: what is configured, what can be reached, what is wrong.

mod approvals;
mod limits;
mod report;
mod view;

use clap::Args;
use mortise_executor::lock_policy::LockPolicy;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::failure::upstream::Unusable;
use crate::locking;
use crate::servers::{self, AdHocArgs, IfNone, SameServers};
use crate::session::{self, StartFirst};
use report::DoctorReport;
use view::DoctorDetail;

/// Arguments of `mortise doctor`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print every limit, its value and the setting that changes it
    #[arg(long)]
    limits: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Looks at everything; the exit code is that of the first server that can't be used.
pub(crate) fn run(app: &App, args: &DoctorArgs) -> Result<Exit, Failure> {
    if args.limits {
        return limits::run(app);
    }
    let servers = servers::choose(app, &args.ad_hoc, None, IfNone::GoOn)?;
    let (lock, policy) = match locking::read(app, None, &servers) {
        Ok(locking) => (locking.shown(), locking.policy),
        Err(failure) => (failure.one_line(), LockPolicy::default()),
    };
    let (policy_of_calls, filter) = (servers.approvals.policy.clone(), servers.tools.clone());
    let setup = report::DoctorSetup::of(app, &servers, lock);
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        let needs = approvals::needs(&policy_of_calls, session.upstreams().to_vec(), filter);
        let report = DoctorReport::of(setup, &connected, session, &policy).with_needs(needs);
        match app.global.json {
            true => app.print_json(&report.json().to_string())?,
            false => {
                let same = SameServers::of(app, &args.ad_hoc, None);
                let detail = if app.global.verbose > 0 { DoctorDetail::All } else { DoctorDetail::Usual };
                app.print(&view::view(&app.terminal, &report, &same, detail))?;
            }
        }
        let failed = connected.iter().find_map(|server| server.error.as_ref());
        Ok(failed.map_or(Exit::Ok, Unusable::exit))
    })
}
