//! Medians and intervals of known samples.

use super::*;

#[test]
fn the_median_of_even_and_odd_counts() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    assert!(median(&[]).is_nan());
}

#[test]
fn equal_pairs_have_a_certain_ratio() {
    assert_eq!(ratio(&[2.0; 30], &[4.0; 30]), Ratio { median: 0.5, low: 0.5, high: 0.5 });
}

#[test]
fn the_interval_holds_the_median_and_is_repeatable() {
    let numerators: Vec<f64> = (0..40).map(|index| 10.0 + f64::from(index % 7)).collect();
    let denominators: Vec<f64> = (0..40).map(|index| 10.0 + f64::from(index % 5)).collect();
    let first = ratio(&numerators, &denominators);
    assert!(first.low <= first.median && first.median <= first.high && first.low < first.high, "{first:?}");
    assert_eq!(first, ratio(&numerators, &denominators));
}

#[test]
fn the_dice_reach_every_side() {
    let mut dice = Dice(1);
    let mut seen = [false; 6];
    for _ in 0..200 {
        seen[dice.below(6)] = true;
    }
    assert_eq!(seen, [true; 6]);
}
