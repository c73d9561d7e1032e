//! Which published figures are facts about a drive.

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::published::{Bound, PublishedFigure};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::FactKind;

use super::fact::{Fact, READ_ALONE, SMALL};
use super::sheet::printed;

/// The beginning of the name of a figure of a drive that heat has slowed down.
const THROTTLED: &str = "throttled";
/// The name of a figure that was measured after the end of a write cache.
const BEHIND_CACHE: &str = "SLC cache full";

/// What these figures of one drive say about it, and its data sheet, if it is known. Doubtful figures and bounds that
/// leave room on the good side are left out.
#[must_use]
pub fn of_published(figures: &[&PublishedFigure], sheet: Option<&DataSheet>) -> Vec<Fact> {
    let of_sheet = |kind| printed(kind, sheet?, None);
    FactKind::ALL.into_iter().filter_map(|kind| fact(kind, figures).or_else(|| of_sheet(kind))).collect()
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
            let smallest = figures.iter().filter(|figure| fits(figure)).filter_map(|figure| size(figure)).min()?;
            // Of readings that contradict each other, the better one: the drive is not worse than that.
            let of_size = |figure: &PublishedFigure| fits(figure) && size(figure) == Some(smallest);
            best(kind, figures.iter().copied().filter(|figure| of_size(figure)), f64::total_cmp)
        }
        FactKind::RandomReadLatency => {
            lowest(&|figure| load(figure, "read.latency_mean", "random") && is_small(figure) && is_alone(figure))
        }
        FactKind::RandomReadTail => {
            lowest(&|figure| load(figure, "read.latency_p999", "random") && is_small(figure) && is_alone(figure))
        }
        FactKind::WriteCache => highest(&|figure| figure.metric == "fill.cache_size"),
        FactKind::SustainedWrite => lowest(&|figure| {
            let behind = figure.which.as_deref() == Some(BEHIND_CACHE);
            figure.metric == "fill.sustained" || figure.metric == "write.throughput" && behind
        }),
        FactKind::Hottest => highest(&is_temperature),
        FactKind::HottestUnchecked if figures.iter().any(|figure| is_throttled(figure)) => None,
        FactKind::HottestUnchecked => highest(&is_temperature),
        FactKind::ThrottledAfter => lowest(&|figure| figure.metric == "heat.time_to_throttle"),
        FactKind::FullWrites
        | FactKind::DriveWritesPerDay
        | FactKind::Used
        | FactKind::EncryptionCost
        | FactKind::PricePerTb => None,
    }
}

/// The temperature of the drive; a single sensor of it may be at its hottest place.
fn is_temperature(figure: &PublishedFigure) -> bool {
    figure.metric == "temperature.max" && !figure.which.as_deref().is_some_and(|which| which.starts_with("sensor"))
}

/// The publication says that heat slows the drive down, or that it reports being too hot.
fn is_throttled(figure: &PublishedFigure) -> bool {
    let named = figure.which.as_deref().is_some_and(|which| which.starts_with(THROTTLED));
    named || figure.metric == "heat.time_to_throttle"
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
    let lower_bound = figure.bound == Some(Bound::AtLeast);
    Some(Fact { lower_bound, ..Fact::stated(kind, value, format!("{}, {}", figure.test, figure.place)) })
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
        of_published(&figures.iter().collect::<Vec<_>>(), None).iter().map(|fact| (fact.kind, fact.value)).collect()
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
        let found = facts(vec![doubtful(194), doubtful(220), of("128 KiB", 350, 1)]);
        assert!(found.contains(&(FactKind::SequentialReadQd1, 220.0 * 1.048_576)), "{found:?}");
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
        let found = facts(vec![write(170, "SLC cache not yet full"), write(20, BEHIND_CACHE)]);
        assert_eq!(found, [(FactKind::SustainedWrite, 20.0)]);
    }
}
