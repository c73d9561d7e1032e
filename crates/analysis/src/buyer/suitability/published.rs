//! Which published figures are facts about a drive.

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::published::{Bound, PublishedFigure};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::FactKind;

use super::fact::{Fact, Facts, READ_ALONE, SMALL};
use super::sheet::printed;

/// What these figures of one drive say about it, and its data sheet, if it is known. Doubtful figures are left out,
/// except readings that are doubtful because they contradict each other.
#[must_use]
pub fn of_published(figures: &[&PublishedFigure], sheet: Option<&DataSheet>) -> Facts {
    let of_sheet = |kind| printed(kind, sheet?, None);
    let known = FactKind::ALL.into_iter().filter_map(|kind| fact(kind, figures).or_else(|| of_sheet(kind)));
    let throttles = figures.iter().any(|figure| is_throttled(figure));
    let did_not_happen = throttles.then_some(FactKind::HottestUnchecked);
    Facts { known: known.collect(), did_not_happen: did_not_happen.into_iter().collect() }
}

fn fact(kind: FactKind, figures: &[&PublishedFigure]) -> Option<Fact> {
    let highest = |keep: &dyn Fn(&PublishedFigure) -> bool| extreme(kind, figures, keep, f64::total_cmp);
    let lowest = |keep: &dyn Fn(&PublishedFigure) -> bool| {
        extreme(kind, figures, keep, |one: &f64, other: &f64| other.total_cmp(one))
    };
    let load = |figure: &PublishedFigure, metric: &str, pattern: &str| {
        figure.metric == metric && figure.pattern.as_deref() == Some(pattern) && figure.which.is_none()
    };
    let is_small = |figure: &PublishedFigure| size(figure).is_some_and(|size| size <= SMALL);
    let is_alone = |figure: &PublishedFigure| {
        let (depth, threads) = (figure.queue_depth.unwrap_or(1), figure.threads.unwrap_or(1));
        depth == 1 && threads == 1 && (figure.queue_depth.is_some() || figure.threads.is_some())
    };
    match kind {
        FactKind::SequentialRead => highest(&|figure| load(figure, "read.throughput", "sequential")),
        FactKind::SequentialWrite => highest(&|figure| load(figure, "write.throughput", "sequential")),
        FactKind::RandomRead => highest(&|figure| load(figure, "read.iops", "random") && is_small(figure)),
        FactKind::RandomWrite => highest(&|figure| load(figure, "write.iops", "random") && is_small(figure)),
        FactKind::SequentialReadQd1 => {
            let [least, most] = READ_ALONE;
            let fits = |figure: &PublishedFigure| {
                let size = size(figure).filter(|size| *size >= least && *size <= most);
                size.is_some() && load(figure, "read.throughput", "sequential") && is_alone(figure)
            };
            let fitting = || figures.iter().copied().filter(|figure| fits(figure));
            // A doubtful reading counts if it is doubtful only because of another one, whose block size may be unknown.
            let counts = |one: &PublishedFigure| {
                let contradicts = |other: &&&PublishedFigure| {
                    let same_load = load(other, "read.throughput", "sequential") && is_alone(other);
                    let same_size = size(other).is_none() || size(other) == size(one);
                    same_load && same_size && other.doubtful.is_some() && other.value_in("MB/s") != one.value_in("MB/s")
                };
                one.doubtful.is_none() || figures.iter().any(|other| contradicts(&other))
            };
            let smallest = fitting().filter(|figure| counts(figure)).filter_map(size).min()?;
            // Of such readings the better one: the drive is not worse than that.
            let of_size = fitting().filter(|figure| counts(figure) && size(figure) == Some(smallest));
            best(kind, of_size, f64::total_cmp)
        }
        FactKind::RandomReadLatency => {
            lowest(&|figure| load(figure, "read.latency_mean", "random") && is_small(figure) && is_alone(figure))
        }
        FactKind::RandomReadTail => {
            lowest(&|figure| load(figure, "read.latency_p999", "random") && is_small(figure) && is_alone(figure))
        }
        FactKind::WriteCache => highest(&|figure| figure.metric == "fill.cache_size"),
        FactKind::SustainedWrite => lowest(&|figure| {
            figure.metric == "fill.sustained" || figure.metric == "write.throughput" && figure.is_behind_the_cache()
        }),
        FactKind::Hottest => highest(&is_temperature),
        FactKind::HottestUnchecked if figures.iter().any(|figure| is_throttled(figure)) => None,
        FactKind::HottestUnchecked => highest(&is_temperature),
        FactKind::ThrottledAfter => lowest(&|figure| figure.metric == "heat.time_to_throttle"),
        FactKind::FullWrites | FactKind::DriveWritesPerDay | FactKind::Used | FactKind::PricePerTb => None,
    }
}

/// The temperature of the drive; a single sensor of it may be at its hottest place.
fn is_temperature(figure: &PublishedFigure) -> bool {
    figure.metric == "temperature.max" && !figure.is_of_a_sensor()
}

/// The publication says that heat slows the drive down, or that it reports being too hot.
fn is_throttled(figure: &PublishedFigure) -> bool {
    figure.is_throttled() || figure.metric == "heat.time_to_throttle"
}

fn size(figure: &PublishedFigure) -> Option<Bytes> {
    figure.block_size.as_deref()?.parse().ok()
}

/// The figure with the most extreme value in this order.
fn extreme(
    kind: FactKind,
    figures: &[&PublishedFigure],
    keep: &dyn Fn(&PublishedFigure) -> bool,
    order: impl Fn(&f64, &f64) -> std::cmp::Ordering,
) -> Option<Fact> {
    let kept = figures.iter().copied().filter(|figure| figure.doubtful.is_none() && keep(figure));
    best(kind, kept, order)
}

/// The greatest of these figures in this order.
fn best<'f>(
    kind: FactKind,
    figures: impl Iterator<Item = &'f PublishedFigure>,
    order: impl Fn(&f64, &f64) -> std::cmp::Ordering,
) -> Option<Fact> {
    let valued = figures.filter_map(|figure| Some((figure, figure.value_in(kind.unit())?)));
    let (figure, value) = valued.max_by(|(_, one), (_, other)| order(one, other))?;
    let (lower_bound, upper_bound) = (figure.bound == Some(Bound::AtLeast), figure.bound == Some(Bound::AtMost));
    Some(Fact { lower_bound, upper_bound, ..Fact::stated(kind, value, format!("{}, {}", figure.test, figure.place)) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A figure with these keys, as a file has them.
    fn figure(mut keys: serde_json::Value) -> PublishedFigure {
        for key in ["drive", "test", "place"] {
            keys[key] = "X".into();
        }
        serde_json::from_value(keys).expect("a figure")
    }

    fn facts(figures: Vec<serde_json::Value>) -> Vec<(FactKind, f64)> {
        let figures: Vec<PublishedFigure> = figures.into_iter().map(figure).collect();
        let facts = of_published(&figures.iter().collect::<Vec<_>>(), None);
        facts.known.iter().map(|fact| (fact.kind, fact.value)).collect()
    }

    #[test]
    fn reads_one_at_a_time_are_those_of_the_smallest_blocks_in_mb_s() {
        let of = |size: &str, value: u32, threads: u32| {
            json!({ "metric": "read.throughput", "op": "read", "pattern": "sequential", "threads": threads,
                "block_size": size, "value": value, "unit": "MiB/s" })
        };
        let found = facts(vec![of("128 KiB", 350, 1), of("64 KiB", 220, 1), of("32 KiB", 100, 1)]);
        assert!(found.contains(&(FactKind::SequentialReadQd1, 220.0 * 1.048_576)), "{found:?}");
        let doubtful = |value: u32| {
            let mut figure = of("64 KiB", value, 1);
            figure["doubtful"] = "the other one".into();
            figure
        };
        let mut unsized_one = doubtful(194);
        unsized_one.as_object_mut().expect("an object").remove("block_size");
        let found = facts(vec![unsized_one, doubtful(220), of("128 KiB", 350, 1)]);
        assert!(found.contains(&(FactKind::SequentialReadQd1, 220.0 * 1.048_576)), "{found:?}");
        let found = facts(vec![doubtful(194), doubtful(220), of("128 KiB", 350, 1)]);
        assert!(found.contains(&(FactKind::SequentialReadQd1, 220.0 * 1.048_576)), "{found:?}");
        let found = facts(vec![doubtful(100), of("128 KiB", 350, 1)]);
        assert!(found.contains(&(FactKind::SequentialReadQd1, 350.0 * 1.048_576)), "one doubtful reading: {found:?}");
        assert!(facts(vec![of("64 KiB", 220, 4)]).iter().all(|(kind, _)| *kind != FactKind::SequentialReadQd1));
    }

    #[test]
    fn a_hot_drive_is_unchecked_only_if_nothing_says_that_it_throttles() {
        let heat = || json!({ "metric": "temperature.max", "value": 81, "unit": "°C" });
        let unchecked = (FactKind::HottestUnchecked, 81.0);
        assert!(facts(vec![heat()]).contains(&unchecked));
        let which = "throttled, first level";
        let slowed = json!({ "metric": "read.throughput", "value": 1400, "unit": "MB/s", "which": which });
        let sensor = json!({ "metric": "temperature.max", "value": 88, "unit": "°C", "which": "sensor 2" });
        assert!(facts(vec![heat(), sensor]).contains(&unchecked), "a sensor is not the drive");
        let found = facts(vec![heat(), slowed]);
        assert!(!found.contains(&unchecked) && found.contains(&(FactKind::Hottest, 81.0)), "{found:?}");
        let time = json!({ "metric": "heat.time_to_throttle", "value": 40, "unit": "s", "bound": "at_most" });
        let found = facts(vec![heat(), time]);
        assert!(!found.contains(&unchecked) && found.contains(&(FactKind::ThrottledAfter, 40.0)), "{found:?}");
    }

    #[test]
    fn doubtful_figures_are_no_facts_and_a_rate_behind_the_cache_is_the_sustained_one() {
        let doubtful = json!({ "metric": "temperature.max", "value": 105, "unit": "°C", "doubtful": "stuck" });
        assert!(facts(vec![doubtful]).is_empty());
        let write = |value: u32, which: &str| json!({ "metric": "write.throughput", "op": "write", "value": value, "unit": "MB/s", "which": which });
        let found = facts(vec![write(170, "SLC cache not yet full"), write(20, "SLC cache full")]);
        assert_eq!(found, [(FactKind::SustainedWrite, 20.0)]);
    }
}
