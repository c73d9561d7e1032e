//! The words of each finding.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_samples::sample_environment;

use super::*;
use crate::check::testing::in_words;
use crate::topics::data_sheet::{Cause, CauseKind};

/// A row in which a figure fell short of the printed one, with a note beside it and these causes.
fn row(figure: PrintedFigure, verdict: Verdict, values: (f64, f64, &str), causes: &[(CauseKind, &str)]) -> SheetRow {
    let (measured, printed, unit) = values;
    let cause = |(kind, why): &(CauseKind, &str)| Cause { kind: *kind, why: (*why).to_owned(), evidence: Vec::new() };
    SheetRow {
        figure,
        unit: unit.to_owned(),
        test: Some("depths".to_owned()),
        step: None,
        step_label: None,
        metric: None,
        printed: Some(printed),
        printed_text: Some(format!("{printed} {unit}").replace("us", "µs")),
        printed_note: Some("up to, at queue depth 256".to_owned()),
        printed_in: None,
        measured: Some(measured),
        limited_here: verdict == Verdict::Undecided,
        wrong: None,
        ratio: Some(measured / printed),
        verdict,
        causes: causes.iter().map(cause).collect(),
    }
}

#[test]
fn each_finding_in_its_words() {
    let known = sample_environment();
    let mut unnamed = known.clone();
    unnamed.target.devices.iter_mut().for_each(|device| device.model = None);
    let link = (CauseKind::Link, "the link of nvme0n1 runs at PCIe 3.0 x4, which carries less than the printed rate");
    let heat = (CauseKind::Heat, "the rate fell while the drive did not become cooler (finding `throttled_by_heat`)");
    let host = (CauseKind::Host, "the host's CPU was the limit: user 20 %, kernel 60 % of the issuing threads' time");
    let read = (3500.0, 7000.0, "MB/s");
    let missed = row(PrintedFigure::SequentialRead, Verdict::Missed, read, &[link]);
    let short = [
        missed.clone(),
        row(PrintedFigure::SequentialRead, Verdict::Missed, read, &[link, heat]),
        SheetRow { printed_note: None, causes: Vec::new(), ..missed.clone() },
        row(PrintedFigure::RandomRead, Verdict::Undecided, (6e5, 1e6, "IOPS"), &[host]),
        row(PrintedFigure::ReadLatency, Verdict::Undecided, (90.0, 60.0, "us"), &[host]),
    ];
    assert_eq!(fell_short(&SheetRow { verdict: Verdict::Met, ..missed }), None);
    let short = short.iter().map(|row| fell_short(row).expect("it fell short"));
    let all: Vec<Finding> = [no_facts(&known), no_facts(&unnamed)].into_iter().chain(short).collect();
    insta::assert_snapshot!(in_words(&all));
}
