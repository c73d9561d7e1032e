//! Which loads can show which figures, and that every one of them is a figure of the drive facts.

use super::*;
use crate::units::{Percent, QueueDepth, Threads};

fn load(write_percent: u64, pattern: Pattern, depth: u64, threads: u64) -> Workload {
    Workload {
        write_percent: Percent::new(write_percent).expect("a per cent"),
        pattern,
        queue_depth: QueueDepth::new(depth).expect("a depth"),
        threads: Threads::new(threads).expect("threads"),
        ..Workload::default()
    }
}

fn facts(figures: &str) -> Figures {
    serde_json::from_str(figures).expect("figures")
}

#[test]
fn every_figure_is_one_of_the_drive_facts_in_its_base_unit() {
    let all = facts(
        r#"{
        "sequential_read": { "value": "3500 MB/s", "source": "s", "certainty": "stated" },
        "sequential_write": { "value": "3.3 GB/s", "source": "s", "certainty": "stated" },
        "random_read": { "value": "500k IOPS", "source": "s", "certainty": "stated" },
        "random_write": { "value": "480k IOPS", "source": "s", "certainty": "stated" },
        "read_latency": { "value": "65 us", "source": "s", "certainty": "stated" },
        "write_latency": { "value": "8 us", "source": "s", "certainty": "stated" },
        "slc_cache": { "value": "42 GB", "source": "s", "certainty": "measured" },
        "power_active": { "value": "5.7 W", "source": "s", "certainty": "stated" },
        "power_idle": { "value": "30 mW", "source": "s", "certainty": "stated" }
    }"#,
    );
    let printed: Vec<(String, f64)> = all
        .rows()
        .iter()
        .filter_map(|row| {
            let figure = PrintedFigure::named(row.key)?;
            assert_eq!(figure.title(), row.label);
            Some((row.key.to_owned(), row.number? / figure.base_units()))
        })
        .collect();
    let expected = [3500.0, 3300.0, 500e3, 480e3, 65.0, 8.0, 42.0, 5.7, 0.03];
    assert_eq!(printed.len(), PrintedFigure::ALL.len(), "a figure is no key of the drive facts: {printed:?}");
    for ((key, number), expected) in printed.iter().zip(expected) {
        assert!((number - expected).abs() < 1e-9, "{key}: {number}");
    }
}

#[test]
fn a_figure_asks_for_its_kind_order_and_depth() {
    let sequential = load(0, Pattern::Sequential, 32, 1);
    assert_eq!(PrintedFigure::SequentialRead.lacks(&sequential), None);
    assert!(PrintedFigure::SequentialWrite.lacks(&sequential).is_some(), "it reads");
    assert!(PrintedFigure::RandomRead.lacks(&sequential).is_some(), "it is sequential");
    assert!(PrintedFigure::RandomRead.lacks(&load(30, Pattern::Random, 32, 1)).is_some(), "it writes too");
    assert_eq!(PrintedFigure::RandomWrite.lacks(&load(100, Pattern::RandomOnce, 32, 8)), None);
    assert_eq!(PrintedFigure::ReadLatency.lacks(&load(0, Pattern::Random, 1, 1)), None);
    assert!(PrintedFigure::ReadLatency.lacks(&load(0, Pattern::Random, 1, 2)).is_some(), "two at a time");
    assert_eq!(PrintedFigure::PowerActive.lacks(&load(30, Pattern::Random, 32, 1)), None);
    assert!(PrintedFigure::PowerIdle.lacks(&load(0, Pattern::Random, 1, 1)).is_some());
}

#[test]
fn a_sheet_has_the_figures_of_its_capacity_and_their_sources() {
    let facts: DriveFacts = serde_json::from_str(
        r#"{
        "format": 1, "name": "maker-model", "title": "Maker Model", "maker": "Maker",
        "models": [{ "pattern": "MODEL", "source": "sheet", "certainty": "stated" }],
        "sources": [{ "id": "sheet", "citation": "the sheet" }, { "id": "shop", "citation": "the shop" }],
        "figures": { "sequential_read": { "value": "3500 MB/s", "source": "sheet", "certainty": "stated" } },
        "capacities": [
            { "capacity": "500 GB", "figures": { "endurance": { "value": "300 TB", "source": "shop", "certainty": "stated" } } }
        ]
    }"#,
    )
    .expect("facts");
    let sheet = DataSheet::of(&facts, Some(Bytes::new(500_107_862_016)), false);
    assert_eq!(sheet.capacity, Some(Bytes::new(500_000_000_000)));
    assert_eq!((sheet.number("sequential_read"), sheet.number("endurance")), (Some(3.5e9), Some(3e14)));
    assert_eq!((sheet.sources.len(), sheet.citation("shop")), (2, Some("the shop")));
    let other = DataSheet::of(&facts, Some(Bytes::new(1_000_204_886_016)), true);
    assert_eq!((other.capacity, other.number("endurance"), other.sources.len()), (None, None, 1));
    let text = serde_json::to_string(&sheet).expect("JSON");
    assert_eq!(serde_json::from_str::<DataSheet>(&text).expect("a sheet"), sheet, "it is read back as it was");
}
