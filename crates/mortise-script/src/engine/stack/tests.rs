use super::*;

fn touch(stack: &dyn StackMemory, depth: usize) {
    for byte in (1..=depth).step_by(page_size()) {
        // SAFETY: the address lies within the stack, and nothing else uses it.
        unsafe { stack.top().byte_sub(byte).write(1) };
    }
}

#[test]
fn a_stack_counts_as_deep_as_it_was_ever_used() {
    let gauge = Arc::new(StackGauge::default());
    assert_eq!(gauge.grown(), 0, "there is none yet");
    let stack = gauge.during(|| MeasuredStacks.new_stack(8 * STEP, false)).unwrap();
    assert_eq!(gauge.grown(), 0);
    touch(&*stack, STEP);
    assert_eq!(gauge.grown(), 0, "the first step is paid for");
    touch(&*stack, 3 * STEP + 1);
    assert_eq!(gauge.grown(), 3 * STEP as u64);
    assert_eq!(gauge.grown(), 0, "once");
    touch(&*stack, 8 * STEP);
    assert_eq!(gauge.grown(), 4 * STEP as u64, "to its very end");
    drop(stack);
    assert_eq!(gauge.grown(), 0);
}

#[test]
fn a_stack_without_a_guest_is_not_measured() {
    let gauge = Arc::new(StackGauge::default());
    gauge.during(|| ());
    let stack = MeasuredStacks.new_stack(STEP, false).unwrap();
    assert!(stack.range().len() >= STEP);
    assert!(gauge.range.lock().is_none());
}
