//! What a parser may do in the sandbox, and what comes out of it.

use std::sync::Arc;

use mortise_script::{Engine, EngineOptions};
use mortise_wizards::data::bounds::INFLATED_BYTES;
use mortise_wizards::parsers::batch::Batch;
use mortise_wizards::parsers::run::{
    NotRun, ParserContent, ParserFailure, ParserJob, ParserRun, RowSink, Stage, run,
};
use tokio_util::sync::CancellationToken;

/// Keeps what comes, and refuses after a while.
struct Kept {
    batches: Vec<Batch>,
    most: usize,
}

impl RowSink for Kept {
    type Error = &'static str;

    fn take(&mut self, batch: Batch) -> Result<(), &'static str> {
        if self.batches.len() == self.most {
            return Err("enough");
        }
        self.batches.push(batch);
        Ok(())
    }
}

async fn parse(code: &str, content: &[u8], most: usize) -> ParserRun<Kept> {
    parse_within(code, content, most, INFLATED_BYTES).await.unwrap()
}

async fn parse_within(
    code: &str,
    content: &[u8],
    most: usize,
    inflated: u64,
) -> Result<ParserRun<Kept>, NotRun> {
    let options = EngineOptions {
        cache_directory: Some(env!("CARGO_TARGET_TMPDIR").into()),
        ..EngineOptions::default()
    };
    let engine = Arc::new(Engine::new(options).unwrap());
    let job = ParserJob {
        code: code.to_owned(),
        content: ParserContent::Bytes(content.to_vec()),
        name: "data/my file.csv".to_owned(),
        wall: Some(std::time::Duration::from_secs(60)),
        inflated,
    };
    run(&engine, job, Kept { batches: Vec::new(), most }, &CancellationToken::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_in_batches_and_in_order() {
    let code =
        "def parse(file_path):\n    for n in range(4500):\n        yield {'n': n, 'path': file_path}\n";
    let run = parse(code, b"x", 100).await;
    assert_eq!(run.failure, None);
    let sizes: Vec<(u64, usize)> = run.sink.batches.iter().map(|batch| (batch.first, batch.len())).collect();
    assert_eq!((run.rows, sizes), (4500, vec![(1, 2000), (2001, 2000), (4001, 500)]));
    assert_eq!(format!("{:?}", run.sink.batches[0].columns[1][0]), "Text(\"/my file.csv\")");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_class_of_value_comes_through() {
    let code = "import datetime, decimal, math\n\ndef parse(file_path):\n    return [{'a': 1.5, 'b': math.nan, 'c': datetime.date(2024, 1, 2),\n        'd': datetime.datetime(2024, 1, 2, 3, tzinfo=datetime.timezone.utc), 'e': decimal.Decimal('1.10'), 'f': b'\\xff', 'g': None, 'h': object}]\n";
    let run = parse(code, b"x", 100).await;
    assert_eq!(run.failure, None);
    let batch = &run.sink.batches[0];
    let kinds: Vec<&str> = batch.kinds.iter().map(|kinds| kinds[0].as_str()).collect();
    assert_eq!(kinds, ["float", "float", "date", "datetime", "Decimal", "bytes", "NoneType", "type"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exception_has_its_line_and_its_facts() {
    let code = "def parse(file_path):\n    yield {'a': 1}\n    raise KeyError('x')\n";
    let run = parse(code, b"x", 100).await;
    let Some(ParserFailure::Raised(raised)) = run.failure else { panic!("{:?}", run.failure) };
    assert_eq!((raised.class.as_str(), raised.line, raised.stage), ("KeyError", Some(3), Stage::Parse));
    assert!(raised.is("LookupError"));
    let run = parse("import nothing_like_that\n\ndef parse(file_path):\n    return []\n", b"x", 100).await;
    let Some(ParserFailure::Raised(raised)) = run.failure else { panic!("{:?}", run.failure) };
    assert_eq!((raised.line, raised.stage, raised.is("ImportError")), (Some(1), Stage::Load, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_stops_the_parser() {
    let code = "import itertools\n\ndef parse(file_path):\n    for n in itertools.count():\n        yield {'n': n}\n";
    let run = parse(code, b"x", 2).await;
    assert_eq!((run.failure, run.rows), (Some(ParserFailure::Refused("enough")), 4000));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_file_is_there_and_it_can_only_be_read() {
    let code = "import os\n\ndef parse(file_path):\n    def attempt(*args):\n        try:\n            open(*args)\n            return 'opened'\n        except OSError as error:\n            return type(error).__name__\n    yield {'here': str(sorted(os.listdir('/'))), 'write': attempt(file_path, 'w'), 'etc': attempt('/etc/passwd'), 'text': open(file_path).read()}\n";
    let run = parse(code, b"content", 100).await;
    assert_eq!(run.failure, None);
    let row: Vec<String> =
        run.sink.batches[0].columns.iter().map(|column| format!("{:?}", column[0])).collect();
    assert_eq!(
        row,
        [
            "Text(\"['my file.csv', 'usr']\")",
            "Text(\"OSError\")",
            "Text(\"FileNotFoundError\")",
            "Text(\"content\")"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parser_that_leaves_is_a_failure() {
    let run = parse("import os\n\ndef parse(file_path):\n    os._exit(0)\n", b"x", 100).await;
    assert!(matches!(run.failure, Some(ParserFailure::Stopped { .. })), "{:?}", run.failure);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_too_large_for_one_batch_are_split() {
    let code = "def parse(file_path):\n    for n in range(40):\n        yield {'text': 'x' * 1_000_000}\n";
    let run = parse(code, b"x", 100).await;
    assert_eq!((run.failure, run.rows), (None, 40));
    assert!(run.sink.batches.len() > 1);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;

    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

/// More than a file may become: many members of many zeros each.
fn bomb() -> Vec<u8> {
    gzip(&vec![0; 1 << 20]).repeat(3)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_file_that_grows_and_grows_is_refused_before_a_parser_sees_it() {
    let code =
        "import gzip\n\ndef parse(file_path):\n    return [{'size': len(gzip.open(file_path).read())}]\n";
    let refused = parse_within(code, &bomb(), 100, 2 << 20).await;
    assert!(matches!(refused, Err(NotRun::Inflated)), "{:?}", refused.map(|run| run.rows));
    assert_eq!(parse_within(code, &bomb(), 100, 3 << 20).await.unwrap().rows, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_file_that_grows_within_another_is_ended() {
    let code = "import gzip\n\ndef parse(file_path):\n    with gzip.open(gzip.open(file_path)) as file:\n        while file.read(1 << 20):\n            pass\n    return []\n";
    let run = parse_within(code, &gzip(&bomb()), 100, 2 << 20).await.unwrap();
    let Some(ParserFailure::Raised(raised)) = run.failure else { panic!("{:?}", run.failure) };
    assert_eq!((raised.class.as_str(), raised.line), ("OSError", Some(5)));
    assert!(raised.message.contains("when it is uncompressed"), "{}", raised.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_too_large_is_told_with_its_place() {
    for (rows, place) in [
        ("[{'n': 1}, {'n': 1 << 63}]", "row 2, column 'n'"),
        ("[{'m': 'x', 'n': None}, {'m': 'x', 'n': -10 ** 5000}]", "row 2, column 'n'"),
    ] {
        let code = format!("def parse(file_path):\n    return {rows}\n");
        let run = parse(&code, b"x", 100).await;
        let Some(ParserFailure::Raised(raised)) = run.failure else { panic!("{:?}", run.failure) };
        assert!(raised.message.starts_with(place), "{}", raised.message);
    }
    let most = "def parse(file_path):\n    return [{'n': (1 << 63) - 1}, {'n': -(1 << 63)}, {'n': None}]\n";
    assert_eq!(parse(most, b"x", 100).await.failure, None);
}
