//! Places in generated code that later edits change: tables, functions, imports.

use std::ops::Range;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

use super::{Module, bytes};

/// One entry of a table: a dictionary at the top of the module with texts as keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    pub key: String,
    /// The line of the entry, from 1.
    pub line: u32,
    /// Where the value is, in bytes of [`Module::text`].
    pub value: Range<usize>,
    /// Where the parts of the value are, if it is a tuple.
    pub items: Vec<Range<usize>>,
}

/// A function at the top of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopFunction {
    pub name: String,
    /// The line of its first decorator or its `def`, from 1.
    pub line: u32,
    /// All of it, in bytes of [`Module::text`].
    pub range: Range<usize>,
}

/// A piece of text to put in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceEdit {
    /// What is replaced, in bytes of [`Module::text`]; an empty range inserts.
    pub range: Range<usize>,
    pub text: String,
}

impl Module {
    /// The entries of the table that a name at the top is set to; `None` if it is not such a table.
    ///
    /// ```
    /// use mortise_formats::python::{SourceEdit, Module};
    ///
    /// let module = Module::parse("COLUMNS = {\n    \"id\": (int, False),\n}\n")?;
    /// let table = module.table("COLUMNS").unwrap_or_default();
    /// assert_eq!(&module.text()[table[0].items[0].clone()], "int");
    /// let edited = module.edited(vec![SourceEdit { range: table[0].items[0].clone(), text: "float".to_owned() }]);
    /// assert_eq!(edited.as_deref(), Some("COLUMNS = {\n    \"id\": (float, False),\n}\n"));
    /// # Ok::<(), mortise_formats::format::ErrorBody>(())
    /// ```
    pub fn table(&self, name: &str) -> Option<Vec<TableEntry>> {
        let values = self.body().iter().filter_map(|statement| match statement {
            Stmt::Assign(assign) => {
                let named = assign.targets.iter().any(|target| is_name(target, name));
                named.then_some(assign.value.as_ref())
            }
            Stmt::AnnAssign(assign) if is_name(&assign.target, name) => assign.value.as_deref(),
            _ => None,
        });
        let Expr::Dict(table) = values.last()? else { return None };
        let entry = |key: Option<&Expr>, value: &Expr| {
            let key = key?;
            Some(TableEntry {
                key: key.as_string_literal_expr()?.value.to_str().to_owned(),
                line: self.line(key),
                value: bytes(value.range()),
                items: match value {
                    Expr::Tuple(tuple) => tuple.elts.iter().map(|item| bytes(item.range())).collect(),
                    _ => Vec::new(),
                },
            })
        };
        table.items.iter().map(|item| entry(item.key.as_ref(), &item.value)).collect()
    }

    /// The functions at the top, in order.
    pub fn functions(&self) -> Vec<TopFunction> {
        let functions = self.body().iter().filter_map(Stmt::as_function_def_stmt);
        let functions = functions.map(|function| TopFunction {
            name: function.name.to_string(),
            line: self.line(function),
            range: bytes(function.range()),
        });
        functions.collect()
    }

    /// Where a further import line goes, in bytes: after the last import at the top, or after the docstring.
    pub fn imports_end(&self) -> usize {
        let is_import = |statement: &&Stmt| matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_));
        let is_docstring =
            |statement: &&Stmt| matches!(statement, Stmt::Expr(expr) if expr.value.is_string_literal_expr());
        let last = self.body().iter().filter(is_import).last();
        let Some(last) = last.or_else(|| self.body().first().filter(is_docstring)) else { return 0 };
        let end = last.range().end().to_usize();
        self.text()[end..].find('\n').map_or(self.text().len(), |line| end + line + 1)
    }

    /// The text with edits made; `None` if they overlap or lie outside of it.
    pub fn edited(&self, mut edits: Vec<SourceEdit>) -> Option<String> {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut text = String::with_capacity(self.text().len());
        let mut done = 0;
        for edit in edits {
            text.push_str(self.text().get(done..edit.range.start)?);
            text.push_str(&edit.text);
            self.text().get(edit.range.clone())?;
            done = edit.range.end;
        }
        text.push_str(self.text().get(done..)?);
        Some(text)
    }
}

fn is_name(target: &Expr, name: &str) -> bool {
    matches!(target, Expr::Name(target) if target.id.as_str() == name)
}
