//! The scope of a run's figures: which bytes of the target its steps covered, and what was not measured.

use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Quantity;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;

use crate::topics::telemetry::values as telemetry;

/// The bytes that executed steps covered, preparation included: the union of their spans, in order and without
/// overlaps. Empty before the first step. A step that ended early need not have touched all of its span.
#[must_use]
pub fn tested(records: &RunRecords) -> Vec<Span> {
    let executed = |id| records.steps.iter().any(|record| record.key.step == id);
    let steps = records.plan.steps().filter(|step| executed(step.id.clone()));
    let mut spans: Vec<Span> = steps
        .filter_map(|step| step.workload())
        .flat_map(|workload| workload.on_target().map(|group| group.span))
        .filter(|span| span.length.get() > 0)
        .collect();
    spans.sort_by_key(|span| span.offset.get());
    let mut apart: Vec<Span> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.offset.get() <= last.end() => {
                last.length = Bytes::new(last.end().max(span.end()) - last.offset.get());
            }
            _ => apart.push(span),
        }
    }
    apart
}

/// What was not measured during the I/O, a sentence each: temperature and power of the drive. Empty if both were
/// measured, and for targets that store nothing.
#[must_use]
pub fn not_measured(records: &RunRecords) -> Vec<&'static str> {
    if records.environment.target.kind.stores_nothing() {
        return Vec::new();
    }
    let without = |quantity| telemetry::of_drive(&records.telemetry, quantity).is_none();
    [
        (Quantity::Temperature, "The temperature of the drive: no thermometer was read."),
        (Quantity::Power, "The power of the drive: no power meter was read."),
    ]
    .into_iter()
    .filter_map(|(quantity, sentence)| without(quantity).then_some(sentence))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_core::plan::Action;
    use drivelab_samples as testing;

    /// The sample with the spans of its first steps set, and those of all others equal to the last.
    fn with_spans(spans: &[(u64, u64)]) -> RunRecords {
        let mut records = testing::sample_run();
        let mut spans = spans.iter().cycle();
        for step in records.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let (Action::Io { workload, .. }, Some((offset, length))) = (&mut step.action, spans.next()) {
                workload.span = Span { offset: Bytes::new(*offset), length: Bytes::new(*length) };
            }
        }
        records
    }

    fn ends(records: &RunRecords) -> Vec<(u64, u64)> {
        tested(records).iter().map(|span| (span.offset.get(), span.end())).collect()
    }

    #[test]
    fn spans_that_touch_are_one_and_others_stay_apart() {
        assert_eq!(ends(&with_spans(&[(0, 100)])), [(0, 100)]);
        assert_eq!(ends(&with_spans(&[(50, 50), (0, 60), (200, 10)])), [(0, 100), (200, 210)]);
        assert_eq!(ends(&with_spans(&[(100, 50), (0, 100)])), [(0, 150)]);
        assert_eq!(ends(&with_spans(&[(0, 100), (20, 10)])), [(0, 100)], "one within the other");
    }

    #[test]
    fn only_what_was_executed_was_tested() {
        let mut records = with_spans(&[(0, 100)]);
        records.steps.clear();
        assert_eq!(ends(&records), []);
    }

    #[test]
    fn what_a_meter_told_is_not_said_to_be_unknown() {
        let nothing = not_measured(&testing::sample_run());
        assert!(
            nothing.len() == 2 && nothing[0].contains("temperature") && nothing[1].contains("power"),
            "{nothing:?}"
        );
        let mut watched = testing::sample_watched_run();
        assert_eq!(not_measured(&watched), [""; 0]);
        watched.telemetry.sources.retain(|source| source.series_of(Quantity::Power).next().is_none());
        assert!(not_measured(&watched).iter().all(|sentence| sentence.contains("power")));
        assert_eq!(not_measured(&watched).len(), 1);
    }
}
