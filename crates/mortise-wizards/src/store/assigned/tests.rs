use super::*;

struct Place {
    folder: tempfile::TempDir,
    record: TableRecord,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let record = TableRecord::new(&base.join("out/.state"), &base.join("out"));
    Place { folder, record }
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn plan(&self, table: &str, file: &str) {
        let (table, file) = (self.path(table), self.path(file));
        let reserve = |assigned: &mut Assigned| {
            assigned.reserve(&table, &file);
            Ok(())
        };
        self.record.plan(reserve).unwrap();
    }

    fn written(&self, table: &str, file: &str) {
        self.record.written(&self.path(table), &self.path(file)).unwrap();
    }

    fn release(&self, table: &str, file: &str) {
        self.record.release(&[(self.path(table), self.path(file))]).unwrap();
    }

    /// Whether the table was made of the file, and whether it is another's.
    fn says(&self, table: &str, file: &str) -> (bool, bool) {
        let (table, file) = (self.path(table), self.path(file));
        let assigned = self.record.read().unwrap();
        (assigned.is_of(&table, &file), assigned.is_of_another(&table, &file))
    }
}

#[test]
fn a_table_is_a_files_own_only_once_it_is_written() {
    let place = place();
    place.plan("out/a.csv", "a.tsv");
    assert_eq!(place.says("out/a.csv", "a.tsv"), (false, false));
    assert_eq!(place.says("out/a.csv", "a.json"), (false, true), "nobody else gets it meanwhile");
    place.written("out/a.csv", "a.tsv");
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false));
    place.plan("out/a.csv", "a.tsv");
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false), "planned again, it stays written");
    place.plan("out/a.csv", "a.json");
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false), "planned for another, it stays its own");
    place.plan("out/b.csv", "b.tsv");
    place.release("out/b.csv", "b.tsv");
    assert_eq!(place.says("out/b.csv", "b.json"), (false, false));
    // Another run beside has made it meanwhile.
    place.release("out/a.csv", "a.tsv");
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false));
}

#[test]
fn a_line_that_was_never_finished_is_passed_over() {
    let place = place();
    place.plan("out/a.csv", "a.tsv");
    place.written("out/a.csv", "a.tsv");
    let path = place.path("out/.state/tables/assigned.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"table\":\"out/b.c");
    std::fs::write(&path, text).unwrap();
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false));
    place.written("out/c.csv", "c.tsv");
    assert_eq!(place.says("out/c.csv", "c.tsv"), (true, false));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3, "the rest of the line is gone");
}

#[test]
fn what_is_no_record_is_refused_and_left_alone() {
    let place = place();
    place.plan("out/a.csv", "a.tsv");
    let path = place.path("out/.state/tables/assigned.jsonl");
    let line = "{\"table\":\"t\",\"file\":\"f\",\"state\":\"written\"}\n";
    for text in ["{}\n", "{\"version\":2}\n", "x", line, "{\"version\":1}\n{\"table\":1}\n"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(place.record.read().unwrap_err().error_code, ErrorCode::Io, "{text}");
        assert!(place.record.plan(|_| Ok(())).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), &path).unwrap();
    assert!(place.record.written(&path, &path).is_err());
    assert!(!place.path("elsewhere").exists());
}

#[test]
fn a_long_record_is_written_anew() {
    let place = place();
    for _ in 0..1_200 {
        place.written("out/a.csv", "a.tsv");
    }
    place.plan("out/b.csv", "b.tsv");
    let text = std::fs::read_to_string(place.path("out/.state/tables/assigned.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert_eq!(place.says("out/a.csv", "a.tsv"), (true, false));
    assert_eq!(place.says("out/b.csv", "b.json"), (false, true));
}

#[test]
fn a_record_never_grows_beyond_what_is_read() {
    let mut place = place();
    place.record.largest = 2_000;
    let path = place.path("out/.state/tables/assigned.jsonl");
    let tried = |number: usize| {
        let (table, file) = (place.path(&format!("out/{number}.csv")), place.path(&format!("{number}.tsv")));
        place.record.plan(|assigned| {
            assigned.reserve(&table, &file);
            Ok(())
        })?;
        place.record.written(&table, &file)
    };
    let (most, refused) = (0..).find_map(|number| Some((number, tried(number).err()?))).unwrap();
    assert!(refused.reason.ends_with("assigned.jsonl` would be larger than 2000 bytes"), "{refused}");
    assert!(most > 25, "one line of some 57 bytes is kept for each, not two: {most}");
    assert!(std::fs::metadata(&path).unwrap().len() <= 2_000);
    for number in 0..most {
        assert_eq!(place.says(&format!("out/{number}.csv"), &format!("{number}.tsv")), (true, false));
    }
}

#[test]
fn what_a_run_has_reserved_is_given_back_when_it_is_dropped() {
    let place = place();
    place.plan("out/a.csv", "a.tsv");
    place.plan("out/b.csv", "b.tsv");
    place.written("out/b.csv", "b.tsv");
    let tables = ["a", "b"].into_iter().enumerate().map(|(number, name)| {
        (number, place.path(&format!("out/{name}.csv")), place.path(&format!("{name}.tsv")))
    });
    let reservations = Reservations::new(place.record.clone(), tables.collect());
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        drop(reservations);
        // There is one thread: what it does next comes after.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    });
    assert_eq!(place.says("out/a.csv", "a.json"), (false, false));
    assert_eq!(place.says("out/b.csv", "b.tsv"), (true, false), "what is written stays");
}
