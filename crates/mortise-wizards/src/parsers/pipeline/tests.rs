use super::*;
use crate::data::data_type::{Column, DataType};

struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    pipeline: Pipeline,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let output = root.join("out");
    let pipeline = Pipeline {
        files: DataFiles::new(std::slice::from_ref(&root), Some(&output)).unwrap(),
        method: Method::Reader,
        contract: None,
        sink: SinkKind::Csv,
        folder: output.clone(),
        mode: PipelineMode::Full,
        existing: Existing::Replace,
        record: TableRecord::new(&output.join(".state"), &output),
        budget: Arc::new(OutputBudget::new(u64::MAX)),
        cancel: CancellationToken::new(),
    };
    Place { _folder: folder, root, pipeline }
}

#[test]
fn a_table_that_nobody_waits_for_is_still_recorded() {
    let Place { _folder, root, pipeline } = place();
    let file = root.join("a.tsv");
    let target = TableTarget { file: Some(file.clone()), table: "a.csv".into(), known: false };
    let output = pipeline.files.create_in(&pipeline.folder, &target.table, Existing::Keep).unwrap();
    let column = Column { name: "n".to_owned(), data_type: DataType::Int64, nullable: true, format: None };
    let writing = Writing {
        columns: Columns::of_contract(vec![column]),
        held: Vec::new(),
        held_bytes: 0,
        writer: None,
        output: Some(output),
        sink: pipeline.sink,
        table: "a".to_owned(),
        own: pipeline.own(&target),
        spent: Spent::new(&pipeline.budget),
        loss: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let mut finishing = Box::pin(finished(0, writing));
        // Begun, and dropped as a canceled call is.
        let _ = futures::poll!(&mut finishing);
        drop(finishing);
        // There is one thread: what it does next comes after.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    });
    let table = pipeline.folder.join("a.csv");
    assert!(table.exists());
    assert!(pipeline.record.read().unwrap().is_of(&table, &file));
}

#[test]
fn the_table_of_another_file_is_never_chosen() {
    let Place { _folder, root, pipeline } = place();
    std::fs::write(root.join("a.tsv"), "n\n1\n").unwrap();
    let mut assigned = Assigned::none(pipeline.files.output());
    let targets = |assigned: &mut Assigned| {
        pipeline.targets(&["a.tsv".to_owned()], &pipeline.folder.join(".state"), assigned)
    };
    assigned.reserve(&pipeline.folder.join("a.csv"), &root.join("a.json"));
    let whole = targets(&mut assigned.clone()).unwrap();
    assert_eq!(whole[0].table, Path::new("a.tsv.csv"));
    // The short name of this one is the whole name of the other.
    assigned.reserve(&pipeline.folder.join("a.tsv.csv"), &root.join("a.tsv.json"));
    let refused = targets(&mut assigned).unwrap_err().to_string();
    assert_eq!(refused, "the table of `a.tsv` would be `a.tsv.csv`, which is another file's");
}

#[tokio::test]
async fn tables_that_take_more_than_they_may_are_not_left_behind() {
    for sink in [SinkKind::Csv, SinkKind::Parquet, SinkKind::Sqlite] {
        let Place { _folder, root, mut pipeline } = place();
        pipeline.sink = sink;
        let column =
            Column { name: "n".to_owned(), data_type: DataType::Int64, nullable: true, format: None };
        pipeline.contract = Some(vec![WantedColumn::from(column)]);
        let rows: String = (0..20_000).map(|n| format!("{n}\n")).collect();
        std::fs::write(root.join("a.tsv"), format!("n\n{rows}")).unwrap();
        let target = TableTarget { file: Some(root.join("a.tsv")), table: "a.table".into(), known: false };
        let table = pipeline.folder.join("a.table");
        let outcome = pipeline.process("a.tsv", &target).await;
        assert!(matches!(outcome, FileOutcome::Written { rows: 20_000, .. }), "{outcome:?}");
        let size = table.metadata().unwrap().len();

        pipeline.budget = Arc::new(OutputBudget::new(2 * size));
        for _ in 0..2 {
            let outcome = pipeline.process("a.tsv", &target).await;
            assert!(matches!(outcome, FileOutcome::Written { .. }), "{sink:?} {outcome:?}");
        }
        std::fs::remove_file(&table).unwrap();
        for limit in [0, size - 1] {
            pipeline.budget = Arc::new(OutputBudget::new(limit));
            let outcome = pipeline.process("a.tsv", &target).await;
            let FileOutcome::Failed { reason, .. } = &outcome else { panic!("{sink:?} {outcome:?}") };
            assert!(reason.contains(&format!("more than {limit} bytes")), "{reason}");
            assert_eq!(
                std::fs::read_dir(&pipeline.folder)
                    .unwrap()
                    .flatten()
                    .filter(|it| it.path().is_file())
                    .count(),
                0
            );
        }
    }
}
