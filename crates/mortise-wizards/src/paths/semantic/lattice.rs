//! The positions of paths, aligned at the file, with everything that each may mean.

use std::collections::{BTreeMap, BTreeSet};

use super::primitive::{
    DateForm, DayForm, MonthForm, PartitionKind, Period, Primitive, Separator, VersionForm, YearForm,
};
use super::values;
use crate::paths::path::RulePath;

/// The share of paths that a meaning must fit.
pub(crate) const SHARE: f64 = 0.8;

/// All positions of some paths that are worth a step.
#[derive(Clone, Debug)]
pub(crate) struct Lattice {
    /// The kept folder positions, the leftmost first.
    pub(crate) positions: Vec<FolderPosition>,
    /// The extension that all files have.
    pub(crate) extension: Option<String>,
    pub(crate) paths: usize,
    /// Constant folders left of the first kept one, nearest last.
    pub(crate) constants: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct FolderPosition {
    /// Which, from the end; the file is 1.
    pub(crate) index: usize,
    /// The folder of every path; none where a path is too short.
    pub(crate) values: Vec<Option<String>>,
    /// What it may mean, the best first. Never empty.
    pub(crate) candidates: Vec<Candidate>,
    /// The folder before it, if that is the same everywhere.
    pub(crate) parent: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) primitive: Primitive,
    /// The primitive's own score times the share of paths that fit.
    pub(crate) score: f64,
    /// The paths that do not fit.
    pub(crate) outliers: BTreeSet<usize>,
    /// Its place in the table, which decides between equals.
    rank: usize,
}

impl Lattice {
    /// The positions of paths. `words` are known as categories, beside those that every path may have.
    pub(crate) fn knowing(paths: &[RulePath], words: &BTreeSet<String>) -> Self {
        let deepest = paths.iter().map(RulePath::depth).max().unwrap_or(1);
        let columns: Vec<Vec<Option<String>>> = (2..=deepest)
            .map(|index| paths.iter().map(|path| path.counted_from_end(index).map(str::to_owned)).collect())
            .take_while(|column: &Vec<Option<String>>| share(count(column), paths.len()) >= SHARE)
            .collect();
        let mut positions: Vec<FolderPosition> = columns
            .into_iter()
            .enumerate()
            .map(|(offset, values)| FolderPosition {
                index: offset + 2,
                values,
                candidates: Vec::new(),
                parent: None,
            })
            .collect();
        positions.reverse();
        let first = positions.iter().position(FolderPosition::is_variable).unwrap_or(positions.len());
        let constants: Vec<String> =
            positions.drain(..first).filter_map(|position| position.constant()).collect();
        let mut before = constants.last().cloned();
        for position in &mut positions {
            position.parent = before.take();
            before = position.constant();
        }
        let mut previous: Option<Vec<Candidate>> = None;
        for position in &mut positions {
            position.candidates = candidates(position, previous.as_deref(), words);
            previous = Some(position.candidates.clone());
        }
        Self { positions, extension: extension(paths), paths: paths.len(), constants }
    }
}

impl FolderPosition {
    /// The folder that all paths have there.
    pub(crate) fn constant(&self) -> Option<String> {
        let first = self.values.first()?.as_ref()?;
        self.values.iter().all(|value| value.as_ref() == Some(first)).then(|| first.clone())
    }

    fn is_variable(&self) -> bool {
        match self.constant() {
            None => true,
            Some(value) => fits_value_primitive(&value),
        }
    }

    /// Whether two kinds of entity share the position, as many of one as of the other.
    pub(crate) fn is_split_evenly(&self) -> bool {
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for value in self.values.iter().flatten() {
            match values::entity(value) {
                Some((prefix, _)) => *groups.entry(prefix).or_default() += 1,
                None => return false,
            }
        }
        let counts: BTreeSet<usize> = groups.values().copied().collect();
        groups.len() == 2 && counts.len() == 1
    }

    pub(crate) fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }
}

fn fits_value_primitive(value: &str) -> bool {
    values::is_iso_date(value)
        || values::is_digits(value)
        || values::is_year_month(value)
        || values::day_order(value).is_some()
        || values::fiscal_year(value).is_some()
        || values::month_number(value).is_some()
        || values::is_named_day(value)
        || values::period(value).is_some()
        || values::version(value).is_some()
        || values::partition(value).is_some()
        || values::is_direction(value)
        || values::entity(value).is_some()
}

fn count(values: &[Option<String>]) -> usize {
    values.iter().flatten().count()
}

/// A part of a whole; counts of paths are small enough for it.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    let float = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

fn extension(paths: &[RulePath]) -> Option<String> {
    let of = |path: &RulePath| {
        let name = path.filename();
        let (stem, last) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
        let compressed = ["gz", "zst", "bz2", "xz"].contains(&last);
        let inner = stem.rsplit_once('.').filter(|(stem, _)| !stem.is_empty() && compressed);
        let extension = match inner {
            Some((_, inner)) if super::primitive::is_extension(inner) => format!("{inner}.{last}"),
            _ => last.to_owned(),
        };
        super::primitive::is_extension(&extension).then_some(extension)
    };
    let first = of(paths.first()?)?;
    paths.iter().all(|path| of(path).as_ref() == Some(&first)).then_some(first)
}

/// Everything that a position may mean, given what the one before it may.
fn candidates(
    position: &FolderPosition,
    previous: Option<&[Candidate]>,
    words: &BTreeSet<String>,
) -> Vec<Candidate> {
    let mut found = FoundFolder { values: &position.values, candidates: Vec::new() };
    let after = |wanted: fn(&Primitive) -> bool| {
        previous.is_some_and(|previous| previous.iter().any(|candidate| wanted(&candidate.primitive)))
    };
    let after_year = after(|primitive| matches!(primitive, Primitive::Year { .. }));
    let after_month = after(|primitive| matches!(primitive, Primitive::Month { .. }));

    found.add(Primitive::Date { form: DateForm::Iso }, 0.95, values::is_iso_date);
    found.add(Primitive::Date { form: DateForm::Compact }, 0.85, values::is_compact_date);
    found.add(Primitive::YearMonth, 0.90, values::is_year_month);
    day_orders(&mut found);
    for period in Period::ALL {
        let fits = |value: &str| values::period(value) == Some(*period);
        found.add(Primitive::Period { period: *period }, 0.85, fits);
    }
    found.add(Primitive::Year { form: YearForm::Plain }, 0.90, values::is_year);
    let fiscal = |length: usize| {
        move |value: &str| values::fiscal_year(value).is_some_and(|year| year.len() == length)
    };
    found.add(Primitive::Year { form: YearForm::Fiscal }, 0.90, fiscal(4));
    found.add(Primitive::Year { form: YearForm::FiscalShort }, 0.90, fiscal(2));
    if !after_month {
        found.add(Primitive::Month { form: MonthForm::Number }, 0.85, values::is_month);
    }
    found
        .add(Primitive::Month { form: MonthForm::Word }, 0.85, |value| values::month_number(value).is_some());
    if !after_year {
        found.add(Primitive::Day { form: DayForm::Number }, 0.80, values::is_day);
    }
    found.add(Primitive::Day { form: DayForm::Named }, 0.80, values::is_named_day);
    versions(&mut found);
    partitions(&mut found);
    entities(&mut found);
    found.add(Primitive::Direction, 0.90, values::is_direction);
    found.observed(0.90, values::is_environment, |names| Primitive::Environment { names });
    let is_category = |value: &str| values::is_category(value) || words.contains(value);
    found.observed(0.95, is_category, |words| Primitive::Category { words });
    let is_day =
        found.candidates.iter().any(|candidate| matches!(candidate.primitive, Primitive::Day { .. }));
    // Two digits after a month are its day and no number.
    if !(after_month && is_day) {
        numbers(&mut found, position);
    }
    if let Some(text) = position.constant() {
        let is_above = found.candidates.iter().any(|candidate| candidate.score > 0.0);
        if !is_above {
            found.add(Primitive::Literal { text }, 1.0, |_| true);
        }
    }
    let name =
        position.parent.as_deref().filter(|parent| !values::is_category(parent)).and_then(values::singular);
    found.add(Primitive::Any { name }, 0.0, |_| true);

    let mut candidates = found.candidates;
    candidates.sort_by(|one, two| two.score.total_cmp(&one.score).then(one.rank.cmp(&two.rank)));
    candidates
}

/// Collects the meanings that enough paths fit.
struct FoundFolder<'a> {
    values: &'a [Option<String>],
    candidates: Vec<Candidate>,
}

impl FoundFolder<'_> {
    fn add(&mut self, primitive: Primitive, score: f64, fits: impl Fn(&str) -> bool) {
        let outliers: BTreeSet<usize> = (0..self.values.len())
            .filter(|&index| !self.values[index].as_deref().is_some_and(&fits))
            .collect();
        let share = share(self.values.len() - outliers.len(), self.values.len());
        if share >= SHARE {
            let rank = self.candidates.len();
            self.candidates.push(Candidate { primitive, score: score * share, outliers, rank });
        }
    }

    /// A primitive whose arguments are the values that were seen.
    fn observed(&mut self, score: f64, fits: impl Fn(&str) -> bool, primitive: fn(Vec<String>) -> Primitive) {
        let seen: BTreeSet<&String> = self.values.iter().flatten().filter(|value| fits(value)).collect();
        if !seen.is_empty() {
            self.add(primitive(seen.into_iter().cloned().collect()), score, fits);
        }
    }

    /// The values grouped by a key, the largest group first.
    fn groups<'a, K: Ord>(&'a self, key: impl Fn(&'a str) -> Option<K>) -> Option<(K, Vec<&'a str>)> {
        let mut groups: BTreeMap<K, Vec<&str>> = BTreeMap::new();
        for value in self.values.iter().flatten() {
            if let Some(key) = key(value) {
                groups.entry(key).or_default().push(value);
            }
        }
        groups.into_iter().max_by_key(|(_, values)| values.len())
    }
}

fn day_orders(found: &mut FoundFolder<'_>) {
    let orders: Vec<values::DayOrder> =
        found.values.iter().flatten().filter_map(|value| values::day_order(value)).collect();
    // One value that reads only one way decides for all.
    let day_first = orders.iter().filter(|order| !order.month_first).count();
    let month_first = orders.iter().filter(|order| !order.day_first).count();
    let score = |decided: usize, against: usize| match (decided, against) {
        (0, 0) => 0.70,
        (decided, against) if decided >= against => 0.85,
        _ => 0.70,
    };
    let fits = |day_first: bool| {
        move |value: &str| {
            values::day_order(value)
                .is_some_and(|order| if day_first { order.day_first } else { order.month_first })
        }
    };
    found.add(Primitive::Date { form: DateForm::European }, score(day_first, month_first), fits(true));
    found.add(Primitive::Date { form: DateForm::Us }, score(month_first, day_first), fits(false));
}

fn versions(found: &mut FoundFolder<'_>) {
    let forms: BTreeSet<VersionForm> =
        found.values.iter().flatten().filter_map(|value| values::version(value)).collect();
    let form = match forms.iter().collect::<Vec<_>>().as_slice() {
        [only] => **only,
        _ => VersionForm::Bare,
    };
    if !forms.is_empty() {
        found.add(Primitive::Version { form }, 0.90, |value| values::version(value).is_some());
    }
}

fn partitions(found: &mut FoundFolder<'_>) {
    let Some((key, values)) = found.groups(|value| values::partition(value).map(|(key, _)| key.to_owned()))
    else {
        return;
    };
    // A leading zero carries information, so only plain numbers are integers.
    let is_integer = |value: &str| {
        values::is_digits(value) && value.len() <= 18 && (value.len() == 1 || !value.starts_with('0'))
    };
    let rests: Vec<&str> =
        values.iter().filter_map(|value| values::partition(value)).map(|(_, rest)| rest).collect();
    let kind = match () {
        () if rests.iter().all(|rest| is_integer(rest)) => PartitionKind::Integer,
        () if rests.iter().all(|rest| values::is_iso_date(rest)) => PartitionKind::Date,
        () => PartitionKind::Text,
    };
    let fits = {
        let key = key.clone();
        move |value: &str| values::partition(value).is_some_and(|(found, _)| found == key)
    };
    found.add(Primitive::Partition { key, kind }, 1.0, fits);
}

fn entities(found: &mut FoundFolder<'_>) {
    let Some((prefix, values)) =
        found.groups(|value| values::entity(value).map(|(prefix, _)| prefix.to_owned()))
    else {
        return;
    };
    let separators: BTreeSet<char> =
        values.iter().filter_map(|value| values::entity(value)).map(|(_, separator)| separator).collect();
    let separator = match (separators.contains(&'_'), separators.contains(&'-')) {
        (true, true) => Separator::Mixed,
        (false, true) => Separator::Dash,
        _ => Separator::Underscore,
    };
    let fits = {
        let prefix = prefix.clone();
        move |value: &str| values::entity(value).is_some_and(|(found, _)| found == prefix)
    };
    found.add(Primitive::Entity { prefix, separator }, 0.80, fits);
}

fn numbers(found: &mut FoundFolder<'_>, position: &FolderPosition) {
    let digits: Vec<&String> =
        found.values.iter().flatten().filter(|value| values::is_digits(value)).collect();
    let is_padded =
        digits.iter().any(|value| value.len() > 18 || (value.len() > 1 && value.starts_with('0')));
    let name =
        position.parent.as_deref().filter(|parent| !values::is_category(parent)).and_then(values::singular);
    found.add(Primitive::Numeric { name, is_padded }, 0.85, values::is_digits);
}
