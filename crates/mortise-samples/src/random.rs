//! A small generator of numbers that depend on the seed alone.

/// SplitMix64: the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub(crate) struct SeededNumbers {
    state: u64,
}

impl SeededNumbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }
}

#[cfg(test)]
mod tests {
    use super::SeededNumbers;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut random = SeededNumbers::new(42);
        let numbers: Vec<_> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            numbers,
            [13_679_457_532_755_275_413, 2_949_826_092_126_892_291, 5_139_283_748_462_763_858]
        );
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
    }
}
