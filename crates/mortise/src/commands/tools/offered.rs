//! Resources and prompts: `mortise tools --resources`, `mortise tools --prompts`.

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::RawJson;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::json_text::{self, JsonObject};
use crate::servers::ChosenServers;
use crate::session::{self, Connected, StartFirst};
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Tint, escape};

/// What a server offers beside tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Resources and their templates.
    Resources,
    /// Prompts.
    Prompts,
}

/// What one server lists, each element as the server wrote it.
pub(crate) struct OfferedList {
    /// The server.
    pub(crate) upstream: Upstream,
    /// Resources or prompts.
    pub(crate) elements: Vec<RawJson>,
    /// Templates of resources.
    pub(crate) templates: Vec<RawJson>,
}

impl Offered {
    /// The word for it in the protocol.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    /// Lists what a server has; `None` if it says that it has none.
    pub(crate) async fn of(self, upstream: &Upstream) -> Result<Option<OfferedList>, CallError> {
        let has = upstream.facts().is_some_and(|facts| facts.capabilities.contains_key(self.word()));
        if !has {
            return Ok(None);
        }
        let options = CallOptions::default;
        let (elements, templates) = match self {
            Self::Resources => {
                // Many servers with resources do not know templates.
                let templates = upstream.resource_templates(options()).await.unwrap_or_default();
                (upstream.resources(options()).await?, templates)
            }
            Self::Prompts => (upstream.prompts(options()).await?, Vec::new()),
        };
        Ok(Some(OfferedList { upstream: upstream.clone(), elements, templates }))
    }
}

/// Lists the resources or prompts of these servers.
pub(super) fn list(app: &App, servers: ChosenServers, offered: Offered) -> Result<Exit, Failure> {
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        let lists = lists(app, &connected, offered).await?;
        match app.global.json {
            true => app.print_json(&json(&lists, offered))?,
            false => app.print_paged(&view(app, &lists, offered))?,
        }
        if lists.iter().all(|list| list.elements.is_empty() && list.templates.is_empty()) {
            app.terminal.note(&format!("no server has {}", offered.word()));
        }
        Ok(Exit::Ok)
    })
}

/// What all servers list. One that fails does not hide the others; all of them do.
pub(crate) async fn lists(
    app: &App,
    connected: &[Connected],
    offered: Offered,
) -> Result<Vec<OfferedList>, Failure> {
    let (mut lists, mut failures) = (Vec::new(), Vec::new());
    for server in connected {
        match server.failure() {
            Some(failure) => failures.push((failure, server.warning())),
            None => match offered.of(&server.upstream).await {
                Ok(list) => lists.extend(list),
                Err(error) => {
                    let failure = failure::upstream::call(&error);
                    let warning = failure.one_line();
                    failures.push((failure, warning));
                }
            },
        }
    }
    if failures.len() == connected.len()
        && let Some((first, _)) = failures.pop()
    {
        return Err(first);
    }
    for (_, warning) in failures {
        app.terminal.warn(&warning);
    }
    Ok(lists)
}

/// `{"resources": […], "resourceTemplates": […]}`, every element as its server wrote it, with its server.
fn json(lists: &[OfferedList], offered: Offered) -> String {
    let elements = |of: fn(&OfferedList) -> &[RawJson]| {
        let all: Vec<String> = lists
            .iter()
            .flat_map(|list| {
                of(list).iter().map(|element| {
                    let mut added = JsonObject::default();
                    added.text("server", list.upstream.name().as_str());
                    json_text::extend(element.text(), &mut added)
                })
            })
            .collect();
        json_text::array(all.iter().map(String::as_str))
    };
    let mut object = JsonObject::default();
    object.raw(offered.word(), &elements(|list| &list.elements));
    if offered == Offered::Resources {
        object.raw("resourceTemplates", &elements(|list| &list.templates));
    }
    object.finish()
}

fn view(app: &App, lists: &[OfferedList], offered: Offered) -> String {
    let terminal = &app.terminal;
    let mut out = String::new();
    for list in lists.iter().filter(|list| !(list.elements.is_empty() && list.templates.is_empty())) {
        if !out.is_empty() {
            out.push('\n');
        }
        let name = escape::line(list.upstream.name().as_str());
        out.push_str(&format!("{}\n", terminal.paint(Tint::Heading, &name)));
        let (first, second) = match offered {
            Offered::Resources => ("RESOURCE", "TYPE"),
            Offered::Prompts => ("PROMPT", "TAKES"),
        };
        let columns = [
            TableColumn { title: first, tint: Some(Tint::Name), fit: Fit::Fixed },
            TableColumn { title: second, tint: Some(Tint::Type), fit: Fit::Wraps },
            TableColumn { title: "DESCRIPTION", tint: None, fit: Fit::Wraps },
        ];
        let mut table = TerminalTable::new(&columns, 2);
        for element in list.elements.iter().chain(&list.templates) {
            table.row(row(&element.value().unwrap_or_default(), offered));
        }
        out.push_str(&table.render(terminal));
    }
    out
}

fn row(element: &Value, offered: Offered) -> [String; 3] {
    let text = |key: &str| element.get(key).and_then(Value::as_str).map(escape::line);
    let about = text("description").or_else(|| text("title")).unwrap_or_default();
    match offered {
        Offered::Resources => {
            let address = text("uri").or_else(|| text("uriTemplate")).unwrap_or_default();
            let about = if about.is_empty() { text("name").unwrap_or_default() } else { about };
            [address, text("mimeType").unwrap_or_default(), about]
        }
        Offered::Prompts => [text("name").unwrap_or_default(), escape::line(&takes(element)), about],
    }
}

/// `name, tone?`.
fn takes(prompt: &Value) -> String {
    let arguments = prompt.get("arguments").and_then(Value::as_array);
    let names = arguments.into_iter().flatten().filter_map(|argument| {
        let is_required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
        let name = argument.get("name")?.as_str()?;
        Some(if is_required { name.to_owned() } else { format!("{name}?") })
    });
    names.collect::<Vec<_>>().join(", ")
}
