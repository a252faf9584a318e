//! Scopes and contracts, as parsers and pipelines use them.

use mortise_formats::format::{ErrorBody, ErrorCode};

use crate::data::contracts::ApprovedSchema;
use crate::data::data_type::Column;
use crate::parsers::backtest::{FileResult, History};
use crate::parsers::planning::WantedColumn;
use crate::wizards::Wizards;

impl Wizards {
    /// The name and the columns of an approved schema, by the contract's id or the schema's name.
    pub(crate) fn contract_columns(&self, target: &str) -> Result<(String, Vec<WantedColumn>), ErrorBody> {
        let contract = self.contracts().contract(target)?;
        let schema = contract.schema(Some(target)).or_else(|| contract.schema(None));
        let Some(schema) = schema else {
            let names: Vec<&str> = contract.schemas.iter().map(|schema| schema.name.as_str()).collect();
            return Err(ErrorBody::new(
                ErrorCode::ParamRange,
                format!("the contract `{target}` has {} schemas", names.len()),
                format!("name one of them: {}", names.join(", ")),
            ));
        };
        Ok((schema.name.clone(), wanted(schema)))
    }

    /// The files of a call: named, or those of a scope.
    pub(crate) fn files_of(&self, files: &[String], scope: Option<&str>) -> Result<Vec<String>, ErrorBody> {
        match scope {
            Some(scope) if files.is_empty() => Ok(self.contracts().scope(scope)?.files),
            Some(scope) => {
                self.contracts().scope(scope)?;
                Ok(files.to_vec())
            }
            None => Ok(files.to_vec()),
        }
    }

    /// How files did in earlier backtests.
    pub(crate) fn history(&self) -> History {
        self.history.lock().clone()
    }

    pub(crate) fn note_history(&self, results: &[FileResult]) {
        self.history.lock().note(results);
    }
}

fn wanted(schema: &ApprovedSchema) -> Vec<WantedColumn> {
    let column = |column: &crate::data::contracts::ApprovedColumn| WantedColumn {
        column: Column {
            name: column.name.clone(),
            data_type: column.data_type,
            nullable: column.nullable,
            format: column.format.clone(),
        },
        rename_to: column.rename_to.clone(),
    };
    schema.columns.iter().map(column).collect()
}
