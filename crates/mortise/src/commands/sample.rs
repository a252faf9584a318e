//! `mortise sample`: the built-in sample servers.

use clap::Args;
use mortise_samples::{Sample, sample, samples};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::json_text::{self, JsonObject};
use crate::serving::{self, ServingArgs};
use crate::terminal::Tint;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};

/// Arguments of `mortise sample`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SampleArgs {
    /// The sample
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List the samples
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    serving: ServingArgs,
}

/// Serves one sample, or lists them all.
pub(crate) fn run(app: &App, args: &SampleArgs) -> Result<Exit, Failure> {
    let Some(name) = args.name.as_deref().filter(|_| !args.list) else {
        return list(app);
    };
    let sample = find(name)?;
    let server = sample.server().map_err(|error| Failure::from_error(Exit::Bug, &error))?;
    serving::serve(app, &server, &args.serving)
}

fn find(name: &str) -> Result<&'static Sample, Failure> {
    sample(name).ok_or_else(|| {
        let names: Vec<&str> = samples().iter().map(|sample| sample.name).collect();
        let failure = Failure::new(Exit::Usage, format!("there is no sample `{name}`"));
        match nearest(name, names.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("there are {}", names.join(", "))),
        }
    })
}

fn list(app: &App) -> Result<Exit, Failure> {
    if app.global.json {
        let listed: Vec<String> = samples()
            .iter()
            .map(|sample| {
                JsonObject::default().text("name", sample.name).text("about", sample.about).finish()
            })
            .collect();
        let listed = json_text::array(listed.iter().map(String::as_str));
        app.print_json(&JsonObject::default().raw("samples", &listed).finish())?;
        return Ok(Exit::Ok);
    }
    let columns = [
        TableColumn { title: "Sample", tint: Some(Tint::Name), fit: Fit::Fixed },
        TableColumn { title: "What it has", tint: None, fit: Fit::Wraps },
    ];
    let mut table = TerminalTable::new(&columns, 0);
    for sample in samples() {
        table.row([sample.name.to_owned(), sample.about.to_owned()]);
    }
    app.print(&table.render(&app.terminal))?;
    Ok(Exit::Ok)
}
