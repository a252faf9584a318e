use super::*;
use crate::capacity::BASE_MEMORY;

#[test]
fn a26_an_import_outside_the_shim_does_not_link() {
    let engine = wasmtime::Engine::new(&interpreter::engine_config()).unwrap();
    let (module, _) = module::load_module(&engine, None).unwrap();
    let mut linker = Linker::<Guest>::new(&engine);
    wasi::link(&mut linker).unwrap();
    assert!(linker.instantiate_pre(&module).is_err(), "the door is missing");
    operations::link(&mut linker).unwrap();
    assert!(linker.instantiate_pre(&module).is_ok());
}

#[test]
fn a27_a_cache_that_can_not_be_used_means_a_copy_in_memory() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = EngineOptions { cache_directory: Some(file.path().to_owned()), ..EngineOptions::default() };
    let engine = Engine::new(options).unwrap();
    assert_eq!(engine.module().mapped_from, None);
    assert!(engine.module().problem.as_deref().is_some_and(|problem| problem.starts_with("cannot create `")));
}

#[test]
fn a27_a_module_is_mapped_from_its_cache_and_a_broken_one_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        EngineOptions { cache_directory: Some(directory.path().to_owned()), ..EngineOptions::default() };
    let path = Engine::new(options.clone()).unwrap().module().mapped_from.clone().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(1 << 20);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let engine = Engine::new(options).unwrap();
    assert_eq!(engine.module().mapped_from.as_deref(), Some(path.as_path()));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), engine.module().bytes);
}

/// An engine with room for this many programs' memory that keeps a spare guest.
fn sparing(programs: u64, spare: Spare) -> Engine {
    let capacity = Capacity { memory: programs * BASE_MEMORY, ..Capacity::default() };
    Engine::new(EngineOptions { capacity, spare, ..EngineOptions::default() }).unwrap()
}

async fn run_within(engine: &Engine, program: Program, memory: u64) -> RunReport {
    let mut program = program;
    program.limits = Limits { memory, wall: Duration::from_secs(60), ..Limits::default() };
    let cancel = CancellationToken::new();
    let run = engine.run_program(program, Arc::new(NoTools), (), &cancel);
    // Far beyond what it takes: a program that waits for ever must not hang the tests.
    tokio::time::timeout(Duration::from_secs(120), run).await.unwrap().unwrap()
}

#[track_caller]
fn printed(report: &RunReport) -> &str {
    assert_eq!(report.error.as_ref().map(|error| error.traceback.as_str()), None);
    &report.output
}

struct NoTools;

impl ToolHost for NoTools {
    async fn call(&self, request: crate::CallRequest) -> Result<crate::CallValue, crate::HostError> {
        Err(crate::HostError::unavailable(&request.name))
    }
    async fn inspect_tool(&self, name: String) -> Result<mortise_contract::RawJson, crate::HostError> {
        Err(crate::HostError::unavailable(&name))
    }
    async fn list_callable_tools(&self) -> Result<mortise_contract::RawJson, crate::HostError> {
        Err(crate::HostError::unavailable("list"))
    }
    async fn server_status(&self) -> Result<mortise_contract::RawJson, crate::HostError> {
        Err(crate::HostError::unavailable("status"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spare_guest_serves_one_program_and_the_next_gets_another() {
    for (spare, refilled) in [(Spare::First, false), (Spare::Always, true)] {
        let engine = sparing(8, spare);
        assert!(engine.shelf.is_full());
        let leave = Program::new("import builtins\nbuiltins.left = 1\nopen('kept.py')");
        assert!(run_within(&engine, leave, 256 << 20).await.error.is_some());
        assert_eq!(engine.shelf.is_full(), refilled);
        let mut look = Program::new(
            "import builtins, kept\nprint(hasattr(builtins, 'left'), kept.x, open('kept.py').read())",
        );
        look.files = vec![MountedFile::bytes("kept.py", *b"x = 1").unwrap()];
        assert_eq!(printed(&run_within(&engine, look, 256 << 20).await), "False 1 x = 1\n");
    }
    assert!(!sparing(8, Spare::Never).shelf.is_full());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_on_a_spare_guest_has_its_own_limits() {
    let engine = sparing(100, Spare::Always);
    let greedy = || Program::new("x = bytearray(90 << 20)\nprint('had')");
    let denied = run_within(&engine, greedy(), 80 << 20).await;
    assert_eq!(denied.error.unwrap().kind, FailureKind::Memory);
    assert!(engine.shelf.is_full());
    let report = run_within(&engine, greedy(), 256 << 20).await;
    assert_eq!(printed(&report), "had\n");
    assert!(report.stats.memory > 90 << 20, "{}", report.stats.memory);
    // Less than a spare guest may have: it is left where it is.
    let number = |engine: &Engine| engine.shelf.number();
    let waiting = number(&engine);
    assert!(waiting.is_some());
    assert_eq!(printed(&run_within(&engine, Program::new("print(1)"), SPARE_MEMORY - 1).await), "1\n");
    assert_eq!(number(&engine), waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spare_guest_that_comes_to_grief_harms_no_program() {
    let engine = sparing(8, Spare::First);
    drop(engine.shelf.take());
    engine.shelf.fill(|| {
        let place = Arc::new(Mutex::new(engine.places.spare()?));
        let inbox = Arc::new(GuestInbox::default());
        let mut guest = engine.empty_guest(Arc::clone(&place), BootPath::Source);
        guest.start = Start::Waits(Arc::clone(&inbox));
        // Too little to be born with.
        guest.limiter.limit = 1;
        let (deadline, _) = oneshot::channel();
        Some(Waiting { guest: engine.spawn(guest, place, std::future::pending(), Some(inbox)), deadline })
    });
    assert_eq!(printed(&run_within(&engine, Program::new("print('ran')"), 256 << 20).await), "ran\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spare_guest_makes_room_for_a_program() {
    let engine = sparing(2, Spare::First);
    assert!(engine.shelf.is_full());
    let _other = engine.places.enter("another program", 0).await.unwrap();
    assert_eq!(printed(&run_within(&engine, Program::new("print('ran')"), SPARE_MEMORY - 1).await), "ran\n");
    assert!(!engine.shelf.is_full());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_one_program_runs_at_a_time_the_next_guest_starts_after_it() {
    let capacity = Capacity { running: 1, ..Capacity::default() };
    let options = EngineOptions { capacity, spare: Spare::Always, ..EngineOptions::default() };
    let engine = Engine::new(options).unwrap();
    let mut seen = vec![engine.shelf.number()];
    for _ in 0..3 {
        assert_eq!(printed(&run_within(&engine, Program::new("print(1)"), 256 << 20).await), "1\n");
        seen.push(engine.shelf.number());
    }
    assert!(seen.iter().all(Option::is_some), "{seen:?}");
    seen.dedup();
    assert_eq!(seen.len(), 4, "each program had one of its own");
}
