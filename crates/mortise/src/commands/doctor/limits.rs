//! Every limit in one table.

use mortise_contract::limits::LIMITS;
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Tint;
use crate::terminal::table::{Column, Fit, Table};

/// Prints the table.
pub(super) fn run(app: &App) -> Result<Exit, Failure> {
    if app.global.json {
        let limits: Vec<Value> = LIMITS
            .iter()
            .map(|limit| {
                serde_json::json!({
                    "area": limit.area,
                    "name": limit.name,
                    "value": limit.value,
                    "setting": limit.setting,
                })
            })
            .collect();
        app.print_json(&serde_json::json!({ "limits": limits }).to_string())?;
        return Ok(Exit::Ok);
    }
    let columns = [
        Column { title: "AREA", tint: Some(Tint::Dim), fit: Fit::Fixed },
        Column { title: "LIMIT", tint: Some(Tint::Name), fit: Fit::Wraps },
        Column { title: "VALUE", tint: None, fit: Fit::Fixed },
        Column { title: "SETTING", tint: Some(Tint::Type), fit: Fit::Wraps },
    ];
    let mut table = Table::new(&columns, 0);
    for limit in LIMITS {
        table
            .row([limit.area, limit.name, limit.value, limit.setting.unwrap_or_default()].map(str::to_owned));
    }
    app.print(&table.render(&app.terminal))?;
    Ok(Exit::Ok)
}
