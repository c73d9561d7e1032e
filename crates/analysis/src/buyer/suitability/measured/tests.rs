//! Facts of the sample, whose drive is a physical one, and of runs that are none of a drive.

use drivelab_core::content::{ContentSample, PlaceSample};
use drivelab_core::data_sheet::{DataSheet, SheetFigure};
use drivelab_core::drive_facts::Certainty;
use drivelab_core::ids::StepId;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_samples::sample_run;

use super::*;
use crate::analyse::analyse;

/// A metric of a step with this value, in place of the one that is there.
fn set(analysis: &mut Analysis, step: &str, id: &str, value: f64) {
    let (test, slug) = step.split_once('/').expect("an id");
    let step = StepId::new(test, slug);
    analysis.metrics.retain(|metric| !(metric.id == id && metric.step.as_ref() == Some(&step)));
    let sample = analysis.metrics.iter().find(|metric| metric.step.is_some()).expect("a metric").clone();
    analysis.metrics.push(Metric {
        address: format!("{step}:{id}"),
        id: id.to_owned(),
        step: Some(step),
        value: Some(value),
        lower_bound: false,
        wrong: None,
        ..sample
    });
}

fn of(records: &RunRecords, analysis: &Analysis, kind: FactKind) -> Option<Fact> {
    facts(records, analysis).known.into_iter().find(|fact| fact.kind == kind)
}

const FILL: &str = "sustained/whole-file-write";

#[test]
fn each_fact_is_of_the_step_that_shows_it() {
    let records = sample_run();
    let mut analysis = analyse(&records);
    set(&mut analysis, "corners/seq-1m-q8t1-read", "read.throughput", 9_000.0);
    set(&mut analysis, "corners/seq-1m-q1t1-read", "read.throughput", 500.0);
    set(&mut analysis, "corners/rnd-4k-q1t1-read", "read.latency_mean", 70.0);
    set(&mut analysis, "corners/rnd-4k-q1t1-read", "read.latency_p999", 400.0);
    for (kind, value, step) in [
        (FactKind::SequentialRead, 9_000.0, "corners/seq-1m-q8t1-read"),
        (FactKind::SequentialReadQd1, 500.0, "corners/seq-1m-q1t1-read"),
        (FactKind::RandomReadLatency, 70.0, "corners/rnd-4k-q1t1-read"),
        (FactKind::RandomReadTail, 400.0, "corners/rnd-4k-q1t1-read"),
    ] {
        let fact = of(&records, &analysis, kind).unwrap_or_else(|| panic!("{kind:?}"));
        assert_eq!((fact.value, fact.step.as_ref().map(StepId::as_str)), (value, Some(step)), "{kind:?}");
        assert!(fact.address.is_some_and(|address| address.starts_with(step)));
    }
    // A mix of reads and writes is neither.
    set(&mut analysis, "mixes/w30", "read.iops", 1e9);
    assert!(of(&records, &analysis, FactKind::RandomRead).is_some_and(|fact| fact.value < 1e9));
    // A void figure is no fact.
    analysis.metrics.iter_mut().for_each(|metric| metric.value = None);
    assert_eq!(facts(&records, &analysis), Facts::default());
}

#[test]
fn reads_of_a_place_without_data_give_no_fact() {
    let mut records = sample_run();
    let analysis = analyse(&records);
    let span = records.plan.steps().find_map(Step::workload).expect("a load").span;
    let place = |empty| PlaceSample { offset: span.offset, length: span.length, blocks: 16, empty, unreadable: 0 };
    let mut read = |empty| {
        records.environment.content =
            Some(Box::new(ContentSample { places: vec![place(empty)], ..Default::default() }));
        of(&records, &analysis, FactKind::SequentialRead).is_some()
    };
    assert_eq!([read(0), read(16)], [true, false]);
    // What was written there, and how warm the drive got, is as true as elsewhere.
    let mut analysis = analyse(&records);
    set(&mut analysis, FILL, "fill.sustained", 2_000.0);
    set(&mut analysis, FILL, "fill.cache_size", 12.0);
    set(&mut analysis, "corners/seq-1m-q8t1-read", "temperature.max", 71.0);
    let facts = |content: Option<Box<ContentSample>>| {
        let mut records = records.clone();
        records.environment.content = content;
        let known = facts(&records, &analysis).known;
        let reads = [FactKind::SequentialRead, FactKind::SequentialReadQd1, FactKind::RandomRead];
        let reads = [&reads[..], &[FactKind::RandomReadLatency, FactKind::RandomReadTail]].concat();
        known.into_iter().filter(|fact| !reads.contains(&fact.kind)).collect::<Vec<_>>()
    };
    let found = facts(records.environment.content.clone());
    assert_eq!(found, facts(None));
    assert!(found.iter().any(|fact| fact.kind == FactKind::Hottest), "{found:?}");
}

/// The facts of the sample with another load in each step.
fn changed(change: impl Fn(&mut Workload)) -> Facts {
    let mut records = sample_run();
    let mut analysis = analyse(&records);
    set(&mut analysis, FILL, "fill.sustained", 2_000.0);
    set(&mut analysis, FILL, "fill.cache_size", 12.0);
    for step in records.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
            change(workload);
        }
    }
    facts(&records, &analysis)
}

const SPEEDS: [FactKind; 5] = [
    FactKind::SequentialRead,
    FactKind::RandomRead,
    FactKind::RandomReadLatency,
    FactKind::WriteCache,
    FactKind::SustainedWrite,
];

#[test]
fn loads_with_pauses_through_the_page_cache_or_beside_others_are_no_facts_of_speed() {
    let speeds = |facts: Facts| facts.known.iter().filter(|fact| SPEEDS.contains(&fact.kind)).count();
    assert_eq!(speeds(changed(|_| {})), SPEEDS.len());
    let other = Workload { name: "other".to_owned(), ..Workload::default() };
    type Change<'c> = (&'c str, &'c dyn Fn(&mut Workload));
    let changes: [Change<'_>; 7] = [
        ("page cache", &|load| load.direct = false),
        ("paced", &|load| load.pace.think_time = Nanos::from_secs(1)),
        ("zeros", &|load| load.data = DataPattern::Zero),
        ("compressible", &|load| load.content.compress_percent = Percent::new(99).expect("a share")),
        ("repeated", &|load| load.content.dedup_percent = Percent::new(50).expect("a share")),
        ("headers", &|load| load.verify = drivelab_core::load::Verify::Headers),
        ("beside others", &|load| load.beside.push(other.clone())),
    ];
    for (what, change) in changes {
        assert_eq!(speeds(changed(change)), 0, "{what}");
    }
    let backwards = changed(|load| load.pattern = drivelab_core::workload::Pattern::Reverse);
    let kinds: Vec<FactKind> = backwards.known.iter().map(|fact| fact.kind).collect();
    assert!(!kinds.contains(&FactKind::SequentialRead) && !kinds.contains(&FactKind::SequentialReadQd1), "{kinds:?}");
}

#[test]
fn a_rate_that_never_fell_is_the_sustained_one_only_if_the_fill_covers_the_drive() {
    let mut records = sample_run();
    let mut analysis = analyse(&records);
    set(&mut analysis, FILL, "fill.sustained", 2_000.0);
    analysis.metrics.retain(|metric| metric.id != "fill.cache_size");
    assert_eq!(of(&records, &analysis, FactKind::SustainedWrite), None, "32 GiB of 1 TB");
    set(&mut analysis, FILL, "fill.cache_size", 12.0);
    assert_eq!(of(&records, &analysis, FactKind::SustainedWrite).map(|fact| fact.value), Some(2_000.0));
    assert_eq!(of(&records, &analysis, FactKind::WriteCache).map(|fact| fact.value), Some(12.0));
    analysis.metrics.retain(|metric| metric.id != "fill.cache_size");
    records.environment.target.devices[0].capacity = Bytes::new(32 << 30);
    assert!(of(&records, &analysis, FactKind::SustainedWrite).is_some(), "all of it");
}

#[test]
fn a_hot_drive_is_unchecked_only_after_minutes_without_throttling_and_without_a_warning() {
    let records = sample_run();
    let mut analysis = analyse(&records);
    set(&mut analysis, "mixes/w30", "temperature.max", 85.0);
    assert_eq!(of(&records, &analysis, FactKind::Hottest).map(|fact| fact.value), Some(85.0));
    assert_eq!(of(&records, &analysis, FactKind::HottestUnchecked), None, "no step lasted for minutes");
    assert_eq!(facts(&records, &analysis).did_not_happen, []);
    set(&mut analysis, "mixes/w30", "heat.throttle_steps", 0.0);
    assert_eq!(of(&records, &analysis, FactKind::HottestUnchecked).map(|fact| fact.value), Some(85.0));
    assert_eq!(facts(&records, &analysis).did_not_happen, [FactKind::ThrottledAfter]);
    // A step that is too short to show what heat does says nothing about it, however hot.
    set(&mut analysis, FILL, "temperature.max", 95.0);
    assert_eq!(of(&records, &analysis, FactKind::Hottest).map(|fact| fact.value), Some(95.0));
    assert_eq!(of(&records, &analysis, FactKind::HottestUnchecked).map(|fact| fact.value), Some(85.0));
    set(&mut analysis, "mixes/w30", "heat.warning_minutes", 0.5);
    assert_eq!(of(&records, &analysis, FactKind::HottestUnchecked), None, "it warned");
    set(&mut analysis, "mixes/w30", "heat.warning_minutes", 0.0);
    set(&mut analysis, "mixes/w30", "heat.throttle_steps", 2.0);
    assert_eq!(of(&records, &analysis, FactKind::HottestUnchecked), None, "it slowed down");
    assert_eq!(facts(&records, &analysis).did_not_happen, [FactKind::HottestUnchecked]);
}

#[test]
fn endurance_and_price_follow_from_the_data_sheet() {
    let mut records = sample_run();
    let figure = |key: &str, text: &str, number: Option<f64>| SheetFigure {
        key: key.to_owned(),
        text: text.to_owned(),
        number,
        unit: String::new(),
        source: "sheet".to_owned(),
        certainty: Certainty::Stated,
        note: None,
    };
    records.environment.data_sheet = Some(Box::new(DataSheet {
        title: "Example".to_owned(),
        capacity: Some(Bytes::new(256_000_000_000)),
        figures: vec![
            figure("endurance", "80 TB", Some(80e12)),
            figure("warranty", "5 years", Some(5.0)),
            figure("price", "51.20 EUR on 2026-11-20", None),
        ],
        ..DataSheet::default()
    }));
    let analysis = analyse(&records);
    let value = |kind| of(&records, &analysis, kind).map(|fact| fact.value).expect("known");
    assert!((value(FactKind::FullWrites) - 312.5).abs() < 1e-9);
    assert!((value(FactKind::DriveWritesPerDay) - 312.5 / 1825.0).abs() < 1e-9);
    assert!((value(FactKind::PricePerTb) - 200.0).abs() < 1e-9);
    let price = of(&records, &analysis, FactKind::PricePerTb).and_then(|fact| fact.currency);
    assert_eq!(price.as_deref(), Some("EUR"));
}

#[test]
fn what_is_not_a_whole_run_on_one_drive_is_not_judged() {
    assert_eq!(unjudged(&sample_run()), None);
    let said = |change: fn(&mut RunRecords)| {
        let mut records = sample_run();
        change(&mut records);
        unjudged(&records).unwrap_or_default()
    };
    let device = |records: &mut RunRecords| records.environment.target.devices[0].clone();
    assert!(said(|run| run.environment.target.devices.clear()).contains("not on a drive"));
    assert!(said(|run| run.environment.target.devices[0].virtual_because = Some("x".to_owned())).contains("virtual"));
    assert!(said(|run| run.environment.target.devices[0].transport = "loop".to_owned()).contains("loop device"));
    assert!(said(|run| run.plan.form = Form::Smoke).contains("smoke"));
    assert!(said(|run| run.state = RunState::Interrupted).contains("not complete"));
    assert!(said(|run| run.environment.target.devices[0].encrypts = true).contains("encrypted by the host"));
    let mut two = sample_run();
    let other = device(&mut two);
    two.environment.target.devices.push(other);
    assert_eq!(unjudged(&two).as_deref(), Some("the target is spread over 2 drives"));
}
