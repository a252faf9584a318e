//! `mortise remove`: one server less in `mortise.yaml`.

use clap::Args;
use mortise_config::edit::{self, EditError};
use mortise_config::{Config, ConfigOrigin};

use crate::app::App;
use crate::editing::{self, WhichFile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json_text::JsonObject;
use crate::overview::short_path;
use crate::terminal::{Mark, escape};

/// Arguments of `mortise remove`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The server to take out
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    file: WhichFile,
}

/// Removes the server.
pub(crate) fn run(app: &App, args: &RemoveArgs) -> Result<Exit, Failure> {
    let file = args.file.find(app)?;
    let edited = edit::remove_server(&app.environment, &file.path, &args.name)
        .map_err(|error| elsewhere(app, args, &error))?;
    file.save(app, &edited)?;
    if app.global.json {
        let path = file.path.to_string_lossy();
        app.print_json(&JsonObject::default().text("removed", &args.name).text("file", &path).finish())?;
        return Ok(Exit::Ok);
    }
    let text = format!("removed `{}` from {}", args.name, short_path(app, &file.path));
    app.terminal.say_painted(&app.terminal.for_stderr().marked(0, Mark::Good, &escape::text(&text)));
    Ok(Exit::Ok)
}

/// The refusal, with the option that finds the server in the other file.
fn elsewhere(app: &App, args: &RemoveArgs, error: &EditError) -> Failure {
    let failure = editing::refused(error);
    let EditError::NoServer { path, .. } = error else { return failure };
    for (origin, option) in [(ConfigOrigin::User, "--user"), (ConfigOrigin::Project, "--project")] {
        for other in Config::given(&app.environment, origin, &[]) {
            let is_other = app.environment.absolute(&other) != *path;
            if is_other && edit::server_names(&app.environment, &other).contains(&args.name) {
                return failure.hint(format!(
                    "it is in {}: mortise remove {} {option}",
                    short_path(app, &app.environment.absolute(&other)),
                    args.name
                ));
            }
        }
    }
    failure
}
