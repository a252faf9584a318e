//! What a parser is written for: a file, a schema, or both.

use std::sync::Arc;

use mortise_formats::format::{ErrorBody, ErrorCode};
use tokio_util::sync::CancellationToken;

use super::GenerateParserInput;
use super::options::{DateOrder, Options, unsupported};
use crate::answer::Common;
use crate::data::data_type::DataType;
use crate::data::dates::DateFormat;
use crate::data::schema::{DiscoveredSchema, InferOptions, infer};
use crate::data::table::{FileFormat, Table};
use crate::parsers::plan::{BadCells, ParserPlan};
use crate::parsers::planning::{self, WantedColumn};
use crate::parsers::reconcile::Reconciler;
use crate::parsers::run::ParserContent;
use crate::parsers::tools::input::{check_names, wanted};
use crate::parsers::validate::{Edges, Trial};
use crate::tool::blocking;
use crate::wizards::Wizards;

/// Rows from which types are inferred at first.
const SAMPLE_ROWS: u64 = 1_000;

pub(super) struct ParserSubject {
    name: String,
    path: Option<String>,
    table: Option<Arc<Table>>,
    wanted: Vec<WantedColumn>,
    /// Where the columns come from, if they were inferred.
    inferred: Option<DiscoveredSchema>,
    looked_at_all: bool,
    order: Option<DateOrder>,
    options: Options,
}

impl ParserSubject {
    /// Opens the file and takes or infers the columns.
    pub(super) async fn find(
        wizards: &Arc<Wizards>,
        input: &GenerateParserInput,
        cancel: &CancellationToken,
    ) -> Result<Self, ErrorBody> {
        let given = match (&input.schema, &input.target_schema) {
            (Some(schema), None) => Some((schema.name.clone(), wanted(schema, "schema")?)),
            (None, Some(target)) => {
                let (shared, target) = (Arc::clone(wizards), target.clone());
                Some(blocking(move |_| shared.contract_columns(&target)).await?)
            }
            (None, None) => None,
            (Some(_), Some(_)) => {
                let reason = "both `schema` and `target_schema` are given";
                return Err(ErrorBody::new(ErrorCode::ParamRange, reason, "give one of them")
                    .at_field("target_schema"));
            }
        };
        let options = input.options.clone();
        let Some(path) = input.file_path.clone() else {
            let (name, mut wanted) = given.unwrap_or_default();
            options.fill_formats(&mut wanted);
            return Ok(Self {
                name,
                path: None,
                table: None,
                wanted,
                inferred: None,
                looked_at_all: true,
                order: options.date_order,
                options,
            });
        };
        let (shared, cancel) = (Arc::clone(wizards), cancel.clone());
        blocking(move |stop| {
            // The table is read again after this.
            let table = Table::open(shared.files()?.until(&cancel).open(&path)?, &options.reading())?;
            if table.format() == FileFormat::Parquet {
                return Err(unsupported());
            }
            let mut subject = Self {
                name: table.stem().to_owned(),
                path: Some(path),
                table: Some(Arc::new(table)),
                wanted: Vec::new(),
                inferred: None,
                looked_at_all: false,
                order: options.date_order,
                options,
            };
            match given {
                Some((name, mut wanted)) => {
                    subject.options.fill_formats(&mut wanted);
                    (subject.name, subject.wanted, subject.looked_at_all) = (name, wanted, true);
                }
                None => subject.infer(SAMPLE_ROWS, stop)?,
            }
            Ok(subject)
        })
        .await
    }

    fn infer(&mut self, max_rows: u64, stop: &CancellationToken) -> Result<(), ErrorBody> {
        let Some(table) = &self.table else { return Ok(()) };
        let options =
            InferOptions { max_rows, nulls: self.options.nulls().unwrap_or_else(|| table.null_tokens()) };
        let schema = infer(table, &options, stop)?;
        if schema.columns.is_empty() {
            return Err(ErrorBody::new(
                ErrorCode::SchemaEmpty,
                format!("`{}` has no columns", table.shown()),
                "look at the file with preview_files",
            )
            .at_field("file_path"));
        }
        self.wanted = schema.parser_columns().into_iter().map(WantedColumn::from).collect();
        for (wanted, column) in self.wanted.iter_mut().zip(&schema.columns) {
            if let (Some(order), true) = (self.order, column.constraint.needs_human_decision) {
                let days: Vec<&str> = column
                    .constraint
                    .human_question
                    .iter()
                    .flat_map(|question| &question.options)
                    .map(|option| option.id.as_str())
                    .collect();
                let fits =
                    |id: &&str| DateFormat::parse(id).is_some_and(|format| format.order() == order.as_str());
                if let (Some(first), Some(day)) = (days.first().copied(), days.iter().copied().find(fits)) {
                    let format = column.format.as_deref().unwrap_or(first);
                    (wanted.column.data_type, wanted.column.format) =
                        (column.data_type, Some(with_day(format, first, day)));
                }
            }
        }
        check_names(&self.wanted, "schema").map_err(|error| {
            let suggestion = format!("{}, in a `schema` besides `file_path`", error.suggestion);
            ErrorBody { suggestion, ..error }.at_field("file_path")
        })?;
        self.looked_at_all = schema.rows_analyzed < max_rows;
        self.inferred = Some(schema);
        Ok(())
    }

    /// Infers the types again, from all rows; false if that was done, or the caller said the types.
    pub(super) async fn look_at_all(
        &mut self,
        _wizards: &Arc<Wizards>,
        _cancel: &CancellationToken,
    ) -> Result<bool, ErrorBody> {
        if self.looked_at_all || self.inferred.is_none() {
            return Ok(false);
        }
        let mut again = Self { table: self.table.clone(), options: self.options.clone(), ..self.blank() };
        again.order = self.order;
        let again = blocking(move |stop| {
            again.infer(u64::MAX, stop)?;
            Ok(again)
        })
        .await?;
        self.wanted = again.wanted;
        self.inferred = again.inferred;
        self.looked_at_all = true;
        Ok(true)
    }

    fn blank(&self) -> Self {
        Self {
            name: self.name.clone(),
            path: self.path.clone(),
            table: None,
            wanted: Vec::new(),
            inferred: None,
            looked_at_all: true,
            order: None,
            options: Options::default(),
        }
    }

    pub(super) fn plan(&self, options: &Options) -> ParserPlan {
        let choices = options.choices(&self.name);
        match &self.table {
            Some(table) => planning::for_table(table, &self.wanted, &choices),
            None => planning::for_schema(options.source_format(), &self.wanted, &choices),
        }
    }

    /// The file to try the parser on, with its independent reading; or why there is none.
    pub(super) async fn trial(
        &self,
        wizards: &Arc<Wizards>,
        options: &Options,
        cancel: &CancellationToken,
    ) -> Result<Result<Trial, ErrorBody>, ErrorBody> {
        let (Some(table), Some(path)) = (self.table.clone(), self.path.clone()) else {
            let reason = "no file was given to run it on";
            return Ok(Err(ErrorBody::new(ErrorCode::ParamMissing, reason, "give `file_path`")));
        };
        let (shared, wanted, nulls) = (Arc::clone(wizards), self.wanted.clone(), options.nulls());
        let collects = options.choices("").bad_cells == BadCells::Collect;
        let cancel = cancel.clone();
        blocking(move |_| {
            let columns: Vec<_> = wanted.iter().map(WantedColumn::output).collect();
            let reading = planning::expected(&table, &wanted, nulls.as_ref(), &cancel)?;
            let reconciler = Reconciler::new(reading, &columns);
            let reconciler = if collects { reconciler.without_bad_rows() } else { reconciler };
            Ok(Ok(Trial {
                content: ParserContent::File(shared.files()?.open(&path)?.into_file()),
                name: path,
                columns: Some(columns),
                reconciler: Some(reconciler),
            }))
        })
        .await
    }

    pub(super) fn edges(&self, plan: &ParserPlan) -> Edges {
        Edges {
            header_only: planning::header_only(self.table.as_deref(), plan),
            empty: planning::empty(plan),
            name: self.path.clone().unwrap_or_else(|| "data".to_owned()),
        }
    }

    /// What the reader noticed, and the questions that are still open.
    pub(super) fn common(&self) -> Common {
        let mut common = Common::default();
        if let Some(schema) = &self.inferred {
            common.warnings.extend(schema.warnings.iter().cloned());
            // The columns were made from the schema's, one for each, in the same order.
            let columns = schema.columns.iter().zip(&self.wanted);
            let open = columns.filter_map(|(column, wanted)| {
                let is_answered = matches!(wanted.column.data_type, DataType::Date | DataType::Timestamp);
                column.constraint.human_question.as_ref().filter(|_| !is_answered)
            });
            common.questions.extend(open.cloned());
        }
        common
    }
}

/// The formats of a column with another way to write the day: each of them begins with `first`, whatever follows.
fn with_day(formats: &str, first: &str, day: &str) -> String {
    let one = |format: &str| format!("{day}{}", format.strip_prefix(first).unwrap_or_default());
    formats.split('|').map(one).collect::<Vec<_>>().join("|")
}
