use tokio_util::sync::CancellationToken;

use super::*;
use crate::data::files::DataFiles;
use crate::data::schema::{InferOptions, infer};
use crate::data::table::{ReadOptions, Table};

fn schemas(files: &[(&str, &str)]) -> Vec<DiscoveredSchema> {
    let folder = tempfile::tempdir().unwrap();
    let access = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    files
        .iter()
        .map(|(name, text)| {
            std::fs::write(folder.path().join(name), text).unwrap();
            let table = Table::open(access.open(name).unwrap(), &ReadOptions::default()).unwrap();
            infer(&table, &InferOptions::default(), &CancellationToken::new()).unwrap()
        })
        .collect()
}

fn told(drift: &[Drift]) -> Vec<String> {
    drift
        .iter()
        .map(|it| format!("{} {:?} {} ({})", it.column, it.kind, it.files.join(" "), it.detail))
        .collect()
}

#[test]
fn same_columns_make_a_group_and_differences_are_drift() {
    let schemas = schemas(&[
        ("orders_1.csv", "id,total\n1,2.5\n"),
        ("orders_2.csv", "id,total\n3,4.5\n"),
        ("orders_3.csv", "id,total,note\n5,x,hi\n"),
        ("orders_4.csv", "total,id\n6.5,6\n"),
        ("users.csv", "name,email\nAnn,a@b.c\n"),
    ]);
    let groups = groups(&schemas);
    assert_eq!(groups.len(), 4);
    assert_eq!(groups[0].schema_ids.len(), 2);
    assert_eq!((groups[0].name.as_str(), groups[0].sample_file.as_str()), ("orders_1", "orders_1.csv"));
    insta::assert_snapshot!(told(&drift(&schemas)).join("\n"), @r"
    id Reordered orders_4.csv (place 2 instead of 1)
    note Added orders_3.csv (string)
    total Reordered orders_4.csv (place 1 instead of 2)
    total Retyped orders_3.csv (string instead of float64)
    ");
}

#[test]
fn a_missing_column_is_drift_in_the_fewer_files() {
    let schemas = schemas(&[("a1.csv", "id,n\n1,2\n"), ("a2.csv", "id\n1\n"), ("a3.csv", "id,n\n1,2\n")]);
    assert_eq!(told(&drift(&schemas)), ["n Removed a2.csv (not there)"]);
}

#[test]
fn one_question_for_a_column_of_a_group_with_what_others_settle() {
    let schemas = schemas(&[
        ("a1.csv", "id,day\n1,05/06/2024\n2,07/08/2024\n"),
        ("a2.csv", "id,day\n1,01/02/2024\n2,03/04/2024\n"),
        ("a3.csv", "id,day\n1,31/05/2024\n2,07/08/2024\n"),
    ]);
    let groups = groups(&schemas);
    let questions = questions(&schemas, &groups);
    assert_eq!(questions.len(), 1);
    let question = &questions[0];
    assert!(question.blocking);
    let options: Vec<&str> = question.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(options, ["%d/%m/%Y", "%m/%d/%Y"]);
    assert_eq!(question.options[0].description, "`05/06/2024` is 2024-06-05, `07/08/2024` is 2024-08-07");
    assert_eq!(question.default_option.as_deref(), Some("%d/%m/%Y"));
    assert_eq!(
        question.context.as_deref(),
        Some("values: 05/06/2024, 07/08/2024; in `a3.csv` only `%d/%m/%Y` fits")
    );
}
