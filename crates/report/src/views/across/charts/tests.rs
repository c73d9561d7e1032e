//! Charts of several sides: what is drawn for which test, and that tables have the same figures.

use drivelab_analysis::analyse;
use drivelab_analysis::digest::{Course, Digest, RatePoint, RateSetBy, TemperaturePoint};
use drivelab_core::condition::{Arm, Luks2};
use drivelab_core::drive_facts::Price;
use drivelab_core::ids::StepKey;
use drivelab_core::load::Arrivals;
use drivelab_core::metric::{Better, Metric};
use drivelab_core::plan::AxisValue;
use drivelab_core::relative::{RelativeRate, Rounding};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_samples::{beside_others, sample_run, slowed, under_arm};

use super::*;
use crate::figure::chart::{Chart, PanelKind, Scale};
use crate::figure::{Figure, TestView};
use crate::views::across::compare::contrasts;
use crate::views::across::published::unpaired::Unpaired;
use crate::views::across::sides::{DriveWords, Sides};

/// The charts of these runs, each a side.
fn drawn(digests: &[Digest]) -> Vec<TestView> {
    let digests: Vec<&Digest> = digests.iter().collect();
    let sides = Sides::alone(digests.len());
    let found = contrasts(&digests, &sides);
    views(&found[0], &[], "x")
}

fn digest(records: &RunRecords) -> Digest {
    Digest::of(records, &analyse(records))
}

fn two() -> [Digest; 2] {
    [digest(&sample_run()), digest(&slowed(2.0))]
}

fn figure<'v>(views: &'v [TestView], title: &str) -> &'v Figure {
    let view = views.iter().find(|view| view.title == title);
    view.unwrap_or_else(|| panic!("{title} is not among {:?}", views.iter().map(|one| &one.title).collect::<Vec<_>>()))
        .figures
        .first()
        .expect("a figure")
}

/// Title of the test of this name.
fn title(name: &str) -> String {
    sample_run().plan.tests.iter().find(|test| test.name == name).expect("the sample has it").title.clone()
}

#[test]
fn a_sweep_has_a_line_for_each_side_and_its_table_the_same_figures() {
    let views = drawn(&two());
    let figure = figure(&views, &title("depths"));
    let chart = figure.chart.as_ref().expect("a chart");
    assert_eq!(chart.x.scale, Scale::Log2);
    assert_eq!(chart.x.ticks, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let [rate, latency] = chart.panels.as_slice() else { panic!("rate and latency") };
    assert!(rate.kind == PanelKind::Line && !rate.log && latency.log && latency.title.ends_with("logarithmic"));
    for panel in &chart.panels {
        assert_eq!(panel.series.len(), 2);
        assert_ne!(panel.series[0].colour, panel.series[1].colour);
    }
    let half = |at: usize| rate.series[0].points[at].1.expect("a rate") / rate.series[1].points[at].1.expect("a rate");
    assert!((0..7).all(|at| (half(at) - 2.0).abs() < 0.01));
    assert_eq!(figure.table.rows.len(), 7);
    for (at, row) in figure.table.rows.iter().enumerate() {
        let drawn = chart.panels.iter().flat_map(|panel| &panel.series).map(|series| &series.points[at].2);
        assert!(row[1..].iter().zip(drawn).all(|(cell, text)| text.starts_with(&cell.text)), "{row:?}");
    }
}

#[test]
fn a_second_axis_is_a_dashed_line_or_a_chart_of_its_own() {
    let with = |threads: &[&str]| {
        two().map(|mut digest| {
            let depths = digest.tests.iter_mut().find(|test| test.name == "depths").expect("depths");
            for (at, step) in depths.steps.iter_mut().enumerate() {
                let value = threads[at % threads.len()].to_owned();
                step.facts.axes.insert(0, AxisValue { axis: "threads".to_owned(), value });
            }
            digest
        })
    };
    let views = drawn(&with(&["16", "64"]));
    let chart = figure(&views, &title("depths")).chart.as_ref().expect("a chart");
    let styles: Vec<(u8, bool)> = chart.panels[0].series.iter().map(|series| (series.colour, series.dashed)).collect();
    assert_eq!(styles, [(0, false), (1, false), (0, true), (1, true)]);
    assert!(chart.panels[0].series[2].name.ends_with(", 64 threads"));
    let table = &figure(&views, &title("depths")).table;
    let heads: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
    assert!(heads.contains(&"Rate: A, 16 threads") && heads.contains(&"Read latency p99: B, 64 threads"), "{heads:?}");
    assert_eq!(table.rows[0][0].text, "1");
    let views = drawn(&with(&["16", "32", "64"]));
    let view = views.iter().find(|view| view.title == title("depths")).expect("depths");
    assert_eq!(
        view.figures.iter().map(|one| one.title.as_str()).collect::<Vec<_>>(),
        ["16 threads", "32 threads", "64 threads"]
    );
}

#[test]
fn sides_beyond_eight_are_drawn_on_demand() {
    let many: Vec<Digest> = (0..10).map(|_| digest(&sample_run())).collect();
    let views = drawn(&many);
    let chart = figure(&views, &title("depths")).chart.as_ref().expect("a chart");
    let hidden: Vec<bool> = chart.panels[0].series.iter().map(|series| series.hidden).collect();
    assert_eq!(hidden.iter().filter(|hidden| **hidden).count(), 2);
    assert!(hidden[8] && hidden[9]);
}

#[test]
fn the_rate_of_a_fill_is_what_each_stretch_moved_in_its_time() {
    let mut digests = two();
    let measured = digests[0].steps().find(|step| step.facts.measured);
    let step = measured.expect("a measured step").facts.id.clone();
    for (at, digest) in digests.iter_mut().enumerate() {
        let point = |to_s: f64, moved: u64| RatePoint { to_s, moved, low: None, high: None };
        let seconds = 1.0 + at as f64;
        let moved = [1_000_000_000, 2_000_000_000, 3_000_000_000];
        let rates = vec![point(seconds, moved[0]), point(3.0 * seconds, moved[1]), point(5.0 * seconds, moved[2])];
        let key = StepKey { step: step.clone(), round: 1 };
        digest.courses = vec![Course { key, rates, celsius: Vec::new() }];
    }
    let views = drawn(&digests);
    let chart = views
        .iter()
        .flat_map(|view| &view.figures)
        .filter_map(|figure| figure.chart.as_ref())
        .find(|chart| chart.id.ends_with("-time"))
        .expect("a course");
    let points = |side: usize| -> Vec<(f64, f64)> {
        chart.panels[0].series[side].points.iter().map(|point| (point.0, point.1.expect("a rate"))).collect()
    };
    let table = |views: &[TestView]| {
        let mut figures = views.iter().flat_map(|view| &view.figures);
        let of_time = |figure: &&Figure| figure.chart.as_ref().is_some_and(|chart| chart.id.ends_with("-time"));
        let table = &figures.find(of_time).expect("a course").table;
        table.rows.iter().map(|row| row[0].text.clone()).collect::<Vec<_>>()
    };
    assert!(
        table(&views).contains(&"to 3.0 s".to_owned()),
        "without figures of the fill, the points: {:?}",
        table(&views)
    );
    assert_eq!(points(0), [(1.0, 1000.0), (3.0, 500.0), (5.0, 500.0)]);
    assert_eq!(points(1), [(2.0, 500.0), (6.0, 250.0), (10.0, 250.0)]);
    assert_eq!(chart.panels.len(), 1, "no temperatures, no panel");
    for digest in &mut digests {
        let hot = |to_s: f64, mean: f64| TemperaturePoint { to_s, mean, low: mean, high: mean };
        digest.courses[0].celsius = vec![hot(1.0, 40.0), hot(3.0, 71.5)];
    }
    let views = drawn(&digests);
    let mut charts = views.iter().flat_map(|view| &view.figures).filter_map(|figure| figure.chart.as_ref());
    let heat = charts.find(|chart| chart.id.ends_with("-time")).expect("a course");
    let panel = heat.panels.iter().find(|panel| panel.unit == "°C").expect("temperatures");
    let drawn: Vec<(f64, Option<f64>)> = panel.series[1].points.iter().map(|point| (point.0, point.1)).collect();
    assert_eq!(drawn, [(1.0, Some(40.0)), (3.0, Some(71.5))]);
    // Two moments are no course.
    digests.iter_mut().for_each(|digest| digest.courses[0].rates.truncate(2));
    let views = drawn_charts(&digests);
    assert!(!views.iter().any(|id| id.ends_with("-time")), "{views:?}");
}

/// The ids of all charts.
fn drawn_charts(digests: &[Digest]) -> Vec<String> {
    let views = drawn(digests);
    let figures = views.into_iter().flat_map(|view| view.figures);
    figures.filter_map(|figure| figure.chart.map(|chart| chart.id)).collect()
}

#[test]
fn power_has_bars_of_watts_and_of_throughput_per_watt() {
    let digests = two().map(|mut digest| {
        let step = digest.tests.iter_mut().flat_map(|test| &mut test.steps).find(|step| step.facts.measured);
        let step = step.expect("a measured step");
        step.metrics.retain(|metric| !metric.id.starts_with("power."));
        let like = step.metrics[0].clone();
        for (id, unit, value) in [("power.mean", "W", 4.0), ("power.throughput_per_watt", "MB/s/W", 800.0)] {
            let (id, unit) = (id.to_owned(), unit.to_owned());
            let address = format!("{}:{id}", step.facts.id);
            step.metrics.push(Metric { id, unit, address, value: Some(value), rounds: Vec::new(), ..like.clone() });
        }
        digest
    });
    let views = drawn(&digests);
    let mut charts = views.iter().flat_map(|view| &view.figures).filter_map(|figure| figure.chart.as_ref());
    let chart = charts.find(|chart| chart.id.ends_with("-power")).expect("a chart of power");
    let heights: Vec<Option<f64>> = chart.panels.iter().map(|panel| panel.series[0].points[0].1).collect();
    assert_eq!(heights, [Some(4.0), Some(800.0)]);
}

#[test]
fn bars_are_split_so_that_each_chart_has_room_for_its_values() {
    let digests = [1.0, 1.2, 1.4, 1.6].map(|factor| digest(&slowed(factor)));
    let views = drawn(&digests);
    let charts = views.iter().flat_map(|view| &view.figures).filter_map(|figure| figure.chart.as_ref());
    let bars = charts.filter(|chart| chart.id.contains("-bars-"));
    let counts: Vec<usize> =
        bars.map(|chart| chart.panels[0].series.iter().map(|series| series.points.len()).sum()).collect();
    assert!(counts.len() > 1 && counts.iter().all(|count| *count <= 16), "{counts:?}");
    let judged = views.iter().find(|view| view.title == title("corners")).expect("the corners");
    let rows: usize = judged.figures.iter().map(|figure| figure.table.rows.len()).sum();
    assert_eq!(rows, 8, "each corner is in one of them");
}

#[test]
fn drives_under_arms_have_bars_by_drive_and_by_arm() {
    let run = |model: &str, arm: Arm, factor: f64| {
        let mut records = under_arm(slowed(factor), arm);
        records.environment.target.devices[0].model = Some(model.to_owned());
        digest(&records)
    };
    let luks = || Arm::Luks2(Luks2::default());
    let digests =
        [run("One", Arm::None, 1.0), run("One", luks(), 2.0), run("Two", Arm::None, 1.5), run("Two", luks(), 1.6)];
    let views = drawn(&digests);
    let view = views.iter().find(|view| view.title == "Drives and arms").expect("a view of its own");
    let [by_drive, by_arm] = [0, 1].map(|at| view.figures[at].chart.as_ref().expect("a chart"));
    let names =
        |chart: &Chart| -> Vec<String> { chart.panels[0].series.iter().map(|series| series.name.clone()).collect() };
    assert_eq!((by_drive.x.labels.clone(), names(by_drive)), (vec!["One".into(), "Two".into()], names(by_drive)));
    assert_eq!(names(by_drive), by_arm.x.labels);
    assert_eq!(names(by_arm), by_drive.x.labels);
    let height = |chart: &Chart, series: usize, x: usize| chart.panels[0].series[series].points[x].1.expect("a rate");
    for (drive, arm) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert!((height(by_drive, arm, drive) - height(by_arm, drive, arm)).abs() < f64::EPSILON);
    }
    assert!(height(by_drive, 0, 0) > 1.9 * height(by_drive, 1, 0), "the first drive is half as fast encrypted");
    // Two copies of one model are two drives.
    let copy = |serial: &str, arm: Arm, factor: f64| {
        let mut records = under_arm(slowed(factor), arm);
        let device = &mut records.environment.target.devices[0];
        (device.model, device.serial) = (Some("One".to_owned()), Some(serial.to_owned()));
        digest(&records)
    };
    let copies = [copy("a", Arm::None, 1.0), copy("a", luks(), 2.0), copy("b", Arm::None, 1.5), copy("b", luks(), 1.6)];
    let view = drawn(&copies).into_iter().find(|view| view.title == "Drives and arms").expect("a view of its own");
    let chart = view.figures[0].chart.as_ref().expect("a chart");
    assert_eq!(chart.x.labels, ["One", "One (2)"]);
    assert_eq!(chart.panels[0].series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [2, 2]);
    // One drive, or one arm, has no such charts.
    assert!(!drawn(&digests[..2]).iter().any(|view| view.title == "Drives and arms"));
}

#[test]
fn a_ranking_has_the_best_first_in_both_directions() {
    let bar = |name: &str, value: Option<f64>, published: bool| Ranked {
        name: name.to_owned(),
        value,
        text: value.map_or_else(String::new, |value| format!("{value} s")),
        range: None,
        published,
        mark: if name == "b" { Mark::Reviewed } else { Mark::None },
        drive: String::new(),
    };
    let names = |better: Better| {
        let bars = vec![
            bar("a", Some(2.0), false),
            bar("b", Some(3.0), false),
            bar("none", None, false),
            bar("c", Some(1.0), true),
        ];
        let figure = ranking("Time", "s", better, bars, "x").expect("bars");
        let chart = figure.chart.expect("a chart");
        assert_eq!(figure.table.rows.len(), 3);
        assert!(chart.panels[0].series.iter().any(|one| one.hatched && one.points.len() == 1));
        (chart.x.labels, figure.caption)
    };
    let (higher, says) = names(Better::Higher);
    assert!(higher == ["b", "a", "c"] && says.contains("higher is better"));
    let (lower, says) = names(Better::Lower);
    assert!(lower == ["c", "a", "b"] && says.contains("lower is better"));
}

#[test]
fn bars_of_one_drive_stand_together_by_the_better_of_them() {
    let bar = |name: &str, drive: &str, value: f64| Ranked {
        name: name.to_owned(),
        drive: drive.to_owned(),
        value: Some(value),
        text: String::new(),
        ..Ranked::default()
    };
    let bars =
        vec![bar("a, full", "a", 1.0), bar("b", "b", 2.0), bar("a", "a", 3.0), bar("x", "", 2.5), bar("y", "", 2.4)];
    let figure = ranking("Rate", "MB/s", Better::Higher, bars, "x").expect("bars");
    let chart = figure.chart.expect("a chart");
    assert_eq!(chart.x.labels, ["a", "a, full", "x", "y", "b"]);
    let further = chart.panels[0].series.iter().find(|series| series.name.starts_with("Same drive")).expect("a pair");
    assert_eq!(further.points.iter().map(|point| point.0).collect::<Vec<_>>(), [1.0]);
    assert!(figure.caption.contains("next to each other"));
}

#[test]
fn two_headline_figures_of_a_step_are_two_bars() {
    let digests = two().map(|mut digest| {
        let step = digest.tests.iter_mut().flat_map(|test| &mut test.steps).find(|step| step.facts.measured);
        let step = step.expect("a measured step");
        step.facts.rate_set_by = RateSetBy::Schedule;
        let like = step.metrics.iter().find(|metric| metric.unit == "us").expect("a latency").clone();
        for (kind, value) in [("read", 100.0), ("write", 900.0)] {
            let id = format!("{kind}.response_p99");
            let address = format!("{}:{id}", step.facts.id);
            step.metrics.push(Metric { id, address, value: Some(value), rounds: Vec::new(), ..like.clone() });
        }
        digest
    });
    let views = drawn(&digests);
    let charts = views.iter().flat_map(|view| &view.figures).filter_map(|figure| figure.chart.as_ref());
    let bars = charts
        .flat_map(|chart| &chart.panels)
        .find(|panel| panel.kind == PanelKind::Bar && panel.unit == "µs" && panel.series[0].points.len() == 2);
    let heights = |side: usize| -> Vec<Option<f64>> {
        bars.expect("bars of response times").series[side].points.iter().map(|point| point.1).collect()
    };
    assert_eq!([heights(0), heights(1)], [[Some(100.0), Some(900.0)], [Some(100.0), Some(900.0)]]);
}

#[test]
fn a_load_curve_has_the_rate_of_its_own_side_at_each_point() {
    let digests = two().map(|mut digest| {
        let depths = digest.tests.iter_mut().find(|test| test.name == "depths").expect("depths");
        let base = depths.steps[6].facts.id.clone();
        for (step, percent) in depths.steps.iter_mut().take(6).zip([10, 20, 40, 60, 80, 90]) {
            let of = base.clone();
            let (rounding, arrivals) = (Rounding::None, Arrivals::Constant);
            step.facts.relative = Some(RelativeRate { of, percent, rounding, arrivals, stop_above: None });
            for kind in ["iops", "latency_mean", "latency_p99"] {
                let own = step.metrics.iter().find(|metric| metric.id == format!("read.{kind}")).expect("reads");
                let id = format!("total.{kind}");
                step.metrics.push(Metric { address: format!("{}:{id}", step.facts.id), id, ..own.clone() });
            }
        }
        digest
    });
    let sides = Sides::alone(digests.len());
    let found = contrasts(&digests.iter().collect::<Vec<_>>(), &sides);
    // Reviews print the rate and the latency of reads, not of all operations; a rate alone is no point.
    let full_speed = ["depths/q64"];
    let published = published_figures(&[
        ("Peer", "read.iops", "IOPS", 500_000.0, &full_speed),
        ("Peer", "read.latency_mean", "us", 128.0, &full_speed),
        ("Peer", "read.iops", "IOPS", 1_000.0, &["depths/q1"]),
    ]);
    let views = views(&found[0], &published, "x");
    let chart = figure(&views, &title("depths")).chart.as_ref().expect("a curve");
    let points = |panel: usize| -> Vec<(f64, Option<f64>)> {
        let series = chart.panels[panel].series.iter().find(|series| series.name.contains("Peer"));
        series.map_or_else(Vec::new, |series| series.points.iter().map(|point| (point.0, point.1)).collect())
    };
    assert_eq!((points(0), points(1)), (vec![(500_000.0, Some(128.0))], Vec::new()));
    assert!(chart.id.ends_with("-curve-0") && chart.panels.iter().all(|panel| panel.log));
    for (side, digest) in digests.iter().enumerate() {
        let depths = digest.tests.iter().find(|test| test.name == "depths").expect("depths");
        let mut rates: Vec<f64> = depths.steps[..6]
            .iter()
            .filter_map(|step| step.metrics.iter().find(|metric| metric.id == "total.iops")?.value)
            .collect();
        rates.sort_by(f64::total_cmp);
        let drawn: Vec<f64> = chart.panels[0].series[side].points.iter().map(|point| point.0).collect();
        assert_eq!(drawn[..6], rates, "side {side}");
    }
}

/// A drive, a metric, its unit, a value, and the steps that it is of.
type PublishedRow<'r> = (&'r str, &'r str, &'r str, f64, &'r [&'r str]);

/// Figures of a publication; the last word of a drive is its capacity, if it has two.
fn published_figures(rows: &[PublishedRow<'_>]) -> Vec<PublishedSide> {
    let figure = |(drive, metric, unit, value, steps): &PublishedRow<'_>| {
        let (drive, capacity) = drive.split_once(", ").map_or((*drive, None), |(drive, size)| (drive, Some(size)));
        serde_json::json!({
            "drive": drive, "capacity": capacity, "metric": metric, "unit": unit, "value": value, "steps": steps,
            "test": metric, "place": "made up",
        })
    };
    let all = serde_json::json!({
        "name": "made-up", "title": "A review", "author": "Nobody", "method": "By hand.",
        "figures": rows.iter().map(figure).collect::<Vec<_>>(),
        "setup": { "system": "Windows", "target": "partition", "span": "16 GB", "rounds": "one run of each" },
    });
    PublishedSide::of(&serde_json::from_value(all).expect("published figures"), "", 1)
}

#[test]
fn published_rates_of_a_family_have_their_ratio_for_each_doubling_of_the_capacity() {
    let sizes = [("Evo, 250 GB", 1.0), ("Evo, 500 GB", 1.5), ("Evo, 1 TB", 2.25)];
    let of =
        |metric, unit, least: f64| sizes.map(|(drive, scale)| (drive, metric, unit, least * scale, &[] as &[&str]));
    let rows = [of("write.throughput", "MB/s", 400.0), of("write.latency_mean", "us", 20.0)].concat();
    let sides = Sides { published: published_figures(&rows), ..Sides::alone(0) };
    let unpaired = Unpaired::of(&sides, &[]).expect("published figures");
    let views = published::views(&unpaired);
    let found = figures(&views, "Capacity");
    let captions: Vec<&str> = found.iter().map(|figure| figure.caption.as_str()).collect();
    assert_eq!(captions.len(), 2, "{captions:?}");
    assert!(captions[0].starts_with("Evo: ×1.50 for each doubling of the capacity (sub-linear"), "{captions:?}");
    assert!(!captions[1].contains("doubling"), "a latency does not scale with the capacity: {captions:?}");
}

/// Drives of these names and capacities in GB, the sample run of each slowed by its factor.
fn drives(all: &[(&str, u64, f64)]) -> (Vec<Digest>, Sides) {
    let digest = |(_, gigabytes, factor): &(&str, u64, f64)| {
        let mut records = slowed(*factor);
        for device in &mut records.environment.target.devices {
            device.capacity = Bytes::new(gigabytes * 1_000_000_000);
        }
        digest(&records)
    };
    let words = |(name, ..): &(&str, u64, f64)| DriveWords { name: (*name).to_owned(), price: None };
    let sides = Sides { drives: all.iter().map(words).collect(), ..Sides::alone(all.len()) };
    (all.iter().map(digest).collect(), sides)
}

fn drawn_by(digests: &[Digest], sides: &Sides) -> Vec<TestView> {
    views(&contrasts(&digests.iter().collect::<Vec<_>>(), sides)[0], &[], "x")
}

/// All figures of the view of this title.
fn figures<'v>(views: &'v [TestView], title: &str) -> &'v [Figure] {
    views.iter().find(|view| view.title == title).map_or(&[], |view| &view.figures)
}

#[test]
fn capacities_have_a_group_of_bars_for_each_family_and_a_colour_for_each_capacity() {
    let (digests, sides) = drives(&[
        ("Evo 500GB", 500, 2.0),
        ("Evo 1TB", 1000, 1.0),
        ("Evo 1TB", 1000, 1.25),
        ("Pro 500GB", 500, 1.6),
        ("Pro 1TB", 1000, 1.0),
        ("Other", 1000, 1.0),
    ]);
    let views = drawn_by(&digests, &sides);
    let found = figures(&views, "Capacity");
    let chart = found[0].chart.as_ref().expect("a chart");
    assert_eq!(chart.x.labels, ["Evo", "Evo (2)", "Pro"]);
    let series = &chart.panels[0].series;
    assert_eq!(series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["500 GB", "1 TB"]);
    let rate = |series: usize, x: f64| -> Option<f64> {
        let at = chart.panels[0].series[series].points.iter().find(|point| (point.0 - x).abs() < 0.1);
        at.and_then(|point| point.1)
    };
    let ratio = |x: f64| rate(1, x).expect("1 TB") / rate(0, x).expect("500 GB");
    assert!((ratio(0.0) - 2.0).abs() < 0.01 && (ratio(2.0) - 1.6).abs() < 0.01);
    assert!(rate(0, 1.0).is_none() && rate(1, 1.0).is_some(), "the second drive of 1 TB stands alone");
    let table = &found.last().expect("a table").table;
    assert!(table.rows.iter().any(|row| row[0].text.ends_with(": Pro")), "{:?}", table.rows[0]);
    assert!(table.rows.iter().all(|row| !row[0].text.contains("Other")));
}

#[test]
fn prices_are_ranked_per_gb_and_figures_per_unit_of_currency_with_their_marks() {
    let (mut digests, mut sides) = drives(&[("a", 500, 2.0), ("b", 1000, 1.0), ("c", 1000, 1.0)]);
    let price = |amount: f64, currency: &str| {
        Some(Price { amount, currency: currency.to_owned(), date: "2026-11-20".to_owned() })
    };
    sides.drives[0].price = price(50.0, "EUR");
    sides.drives[1].price = price(80.0, "EUR");
    digests[1].tests = digest(&beside_others(sample_run(), |_| true)).tests;
    let views = drawn_by(&digests, &sides);
    let found = figures(&views, "Price");
    let table = &found.last().expect("a table").table;
    let row = |title: &str| {
        let row = table.rows.iter().find(|row| row[0].text == title).unwrap_or_else(|| panic!("no row {title}"));
        row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(table.columns.len(), 4, "a drive without a price has no column");
    assert_eq!(row("Price per GB"), ["Price per GB", "EUR/GB", "0.100", "0.080"]);
    let marked = |at: usize| table.rows.iter().any(|row| row[at].wrong.is_some());
    assert!(marked(3) && !marked(2), "the marks of a figure are those of the figure per euro");
    let bars = found[0].chart.as_ref().expect("a chart");
    let names = &bars.x.labels;
    assert!(names[0].starts_with("B") && names[1].starts_with("A"), "the cheaper first: {names:?}");
    sides.drives[1].price = price(80.0, "USD");
    assert!(figures(&drawn_by(&digests, &sides), "Price").is_empty(), "two currencies are not compared");
}
