use super::*;

#[test]
fn a26_an_import_outside_the_shim_does_not_link() {
    let engine = bashkit_cpython_wasm::engine().unwrap();
    let module = bashkit_cpython_wasm::load_module(&engine).unwrap();
    let mut linker = Linker::<Guest>::new(&engine);
    wasi::link(&mut linker).unwrap();
    assert!(linker.instantiate_pre(&module).is_err(), "the door is missing");
    operations::link(&mut linker).unwrap();
    assert!(linker.instantiate_pre(&module).is_ok());
}

#[test]
fn a27_a_cache_that_can_not_be_used_means_the_embedded_copy() {
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
    assert_eq!(std::fs::metadata(&path).unwrap().len(), engine.module().bytes as u64);
}
