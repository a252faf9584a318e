//! Data wizards: from a folder of files to a rule, a schema, a parser and a table.
