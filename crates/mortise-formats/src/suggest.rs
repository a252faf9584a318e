//! The word that someone may have meant.

/// The word of `known` that is at most two edits away, the nearest first and then the first listed.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |candidate: &'a str| {
        let distance = strsim::osa_distance(word, candidate);
        // Two edits make any short word out of any other.
        (distance <= 2 && distance < candidate.chars().count().max(1)).then_some((distance, candidate))
    };
    let mut best: Option<(usize, &str)> = None;
    for (distance, candidate) in known.into_iter().filter_map(near) {
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests;
