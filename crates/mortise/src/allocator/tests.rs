use super::*;

/// What the test harness may take or free meanwhile.
const NOISE: usize = 64 << 20;

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// Set in the process that measures itself.
const ALONE: &str = "MORTISE_TEST_ALLOCATOR_ALONE";

/// Memory is measured for a whole process, so the measuring happens in one where no other test runs.
#[test]
fn freed_memory_is_given_back() {
    if std::env::var_os(ALONE).is_some() {
        large_blocks_are_given_back_when_they_are_freed();
        what_is_free_between_small_blocks_is_given_back();
        return;
    }
    let alone = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "allocator::tests::freed_memory_is_given_back"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stdout));
}

fn what_is_free_between_small_blocks_is_given_back() {
    let mut blocks: Vec<Option<Box<[u8]>>> =
        (0..1 << 18).map(|_| Some(vec![1; 1 << 10].into_boxed_slice())).collect();
    // One of sixty-four stays, and with it the end of every stretch of free memory.
    blocks.iter_mut().enumerate().filter(|(number, _)| number % 64 != 0).for_each(|(_, block)| *block = None);
    let before = resident();
    give_back();
    let after = resident();
    assert!(after + 3 * NOISE < before, "{before} bytes before, {after} after");
}

fn large_blocks_are_given_back_when_they_are_freed() {
    keep_little();
    // Freeing a large block makes glibc take smaller ones from its heaps, unless it was set up.
    drop(vec![1_u8; 16 << 20]);
    let before = resident();
    let mut blocks = Vec::new();
    for _ in 0..64 {
        blocks.push((vec![1_u8; 8 << 20], Box::new([1_u8; 64])));
    }
    let _small: Vec<Box<[u8; 64]>> = blocks.into_iter().map(|(_, small)| small).collect();
    let after = resident();
    assert!(after < before + 2 * NOISE, "{before} bytes before, {after} after");
}
