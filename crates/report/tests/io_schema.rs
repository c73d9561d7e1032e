//! Documents of `drivelab io` keep to their schema.

use drivelab_analysis::analyse;
use drivelab_report::{IoInput, ReportInput, io_json, io_schema, io_table};
use drivelab_samples as testing;

#[test]
fn documents_keep_to_the_schema_whatever_became_of_the_run() {
    let validator = jsonschema::validator_for(&io_schema()).unwrap();
    for records in [testing::sample_run(), testing::sample_unfinished_run(), testing::sample_resumed_run()] {
        let analysis = analyse(&records);
        for saved in [true, false] {
            let input = IoInput { run: ReportInput { records: &records, analysis: &analysis }, saved };
            let document = io_json(&input).unwrap();
            let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).take(3).collect();
            assert_eq!(errors, Vec::<String>::new());
            assert_eq!(document["run"].is_string(), saved, "an unsaved run has no name that means something");
            let mut broken = document;
            broken["operations"]["read"]["iops"] = serde_json::json!("fast");
            assert!(!validator.is_valid(&broken), "the schema lets anything pass");
        }
    }
}

#[test]
fn the_table_and_the_document_are_one() {
    let records = testing::sample_run();
    let analysis = analyse(&records);
    let input = IoInput { run: ReportInput { records: &records, analysis: &analysis }, saved: true };
    let (document, table) = (io_json(&input).unwrap(), io_table(&input, 100).unwrap());
    let step = records.plan.steps().find(|step| step.workload().is_some_and(|load| !load.writes())).unwrap();
    let rounds: Vec<_> = records.steps.iter().filter(|record| record.key.step == step.id).collect();
    let read = &document["operations"]["read"];
    assert_eq!(read["count"], rounds.iter().map(|record| record.read.count).sum::<u64>());
    assert_eq!(document["elapsed_ns"], rounds.iter().map(|record| record.elapsed().get()).sum::<u64>());
    let mut together = drivelab_core::histogram::SparseHistogram::default();
    rounds.iter().for_each(|record| together.merge(&record.read.histogram));
    assert_eq!(read["latency_ns"]["p90"], together.percentile(90.0).unwrap().get(), "percentiles are not averaged");
    for (one, record) in document["rounds"].as_array().unwrap().iter().zip(&rounds) {
        assert_eq!(one["operations"]["read"]["iops"], record.read.iops, "a round for itself is its record");
    }
    let iops = drivelab_report::format::iops(read["iops"].as_f64().unwrap());
    assert!(table.contains(&iops) && table.contains("limited by"), "{iops} in\n{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
}

fn documents(records: &drivelab_core::run::RunRecords) -> (serde_json::Value, String) {
    of_analysis(records, &analyse(records))
}

fn of_analysis(
    records: &drivelab_core::run::RunRecords,
    analysis: &drivelab_analysis::Analysis,
) -> (serde_json::Value, String) {
    let input = IoInput { run: ReportInput { records, analysis }, saved: true };
    (io_json(&input).expect("a document"), io_table(&input, 120).expect("a table"))
}

#[test]
fn a_replayed_trace_has_its_rates_without_pauses_in_the_table_and_both_in_the_document() {
    let mut records = testing::replayed(testing::sample_run(), "corners");
    let mut late = drivelab_core::histogram::Histogram::default();
    late.record_many(2_000, 3);
    for replay in records.steps.iter_mut().filter_map(|record| record.replay.as_mut()) {
        replay.lateness = Some(drivelab_core::replay::Lateness::new(late.sparse()));
    }
    let (document, table) = documents(&records);
    let read = &document["operations"]["read"];
    let of = |name: &str| read[name].as_f64().unwrap();
    for (busy, whole) in [("busy_iops", "iops"), ("busy_throughput", "throughput")] {
        assert!((of(busy) / of(whole) / f64::from(testing::BUSY_ONE_IN) - 1.0).abs() < 1e-6, "{read}");
    }
    let rate = |name: &str| drivelab_report::format::mb_s(of(name) / 1e6);
    let row = table.lines().find(|line| line.starts_with("read")).unwrap();
    assert!(row.contains(&rate("busy_throughput")) && !row.contains(&rate("throughput")), "{table}");
    let flat = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("without the pauses of the trace; with them read") && flat.contains(&rate("throughput")));
    assert!(flat.contains("late by 2.00 µs at most") && !flat.contains("at p50"), "three operations tell no median");
    assert!(document["replay"]["lateness"]["summary"]["p50"].is_null());
    let plain = documents(&testing::sample_run()).0;
    assert!(plain["operations"]["read"]["busy_iops"].is_null());
}

#[test]
fn a_discard_has_no_rate_in_bytes() {
    let (document, _) = documents(&testing::sample_mixed_run());
    let operations = &document["operations"];
    for kind in ["trim", "flush"] {
        assert!(
            operations[kind]["throughput"].is_null() && operations[kind]["iops"].is_number(),
            "{}",
            operations[kind]
        );
        let sizes = operations[kind]["sizes"].as_array().unwrap();
        assert!(sizes.iter().all(|size| size["throughput"].is_null()));
    }
    assert!(operations["read"]["throughput"].is_number() && operations["read"]["sizes"][0]["throughput"].is_number());
}

#[test]
fn figures_that_others_disturbed_say_in_which_direction_and_rates_that_kept_their_schedule_do_not() {
    let records = testing::sample_open_loop_run();
    let with_marks = |rates: bool| {
        let mut analysis = analyse(&records);
        for metric in &mut analysis.metrics {
            let better = drivelab_analysis::metric_def(&metric.id).unwrap().better;
            if metric.value.is_some() && (rates || better == drivelab_core::metric::Better::Lower) {
                metric.spoiled_by = vec!["others_used_disk".to_owned()];
                metric.wrong = Some(better.when_spoiled());
            }
        }
        of_analysis(&records, &analysis)
    };
    let rows = |table: &str| table.lines().take_while(|line| !line.starts_with("disturbed")).collect::<String>();
    let (document, table) = with_marks(true);
    assert_eq!(document["wrong"], serde_json::json!({ "rates": "too_low", "times": "too_high" }));
    assert!(rows(&table).contains('▲') && rows(&table).contains('▼'), "{table}");
    let (document, table) = with_marks(false);
    assert_eq!(document["wrong"], serde_json::json!({ "rates": null, "times": "too_high" }));
    assert!(!rows(&table).contains('▲') && rows(&table).contains('▼'), "{table}");
    let (document, table) = documents(&records);
    assert_eq!(document["wrong"], serde_json::json!({ "rates": null, "times": null }));
    assert!(!table.contains('▼'), "{table}");
}

#[test]
fn void_figures_stand_in_no_table_and_the_document_says_which_they_are() {
    let records = testing::sample_run();
    let mut analysis = analyse(&records);
    let (document, before) = of_analysis(&records, &analysis);
    assert_eq!((&document["voided_by"], &document["void"]["rates"]), (&serde_json::json!([]), &false.into()));
    for metric in analysis.metrics.iter_mut().filter(|metric| metric.id.ends_with(".iops")) {
        metric.voided_by = vec!["mass_errors".to_owned()];
    }
    let (document, table) = of_analysis(&records, &analysis);
    assert_eq!(document["voided_by"], serde_json::json!(["mass_errors"]));
    assert_eq!(document["void"], serde_json::json!({ "rates": true, "times": false }));
    let row = |table: &str| -> Vec<String> {
        let row = table.lines().find(|line| line.starts_with("read")).expect("a row");
        row.split_whitespace().map(str::to_owned).collect()
    };
    let (before, after) = (row(&before), row(&table));
    assert_eq!((&after[1..3], &after[3..]), (&["void".to_owned(), "void".to_owned()][..], &before[3..]), "{table}");
}

#[test]
fn the_line_about_other_programs_explains_the_marks_that_stand_there() {
    use drivelab_core::metric::Wrong;
    let said = |records: &drivelab_core::run::RunRecords, code: &str, rates: Option<Wrong>, times: Wrong| {
        let mut analysis = analyse(records);
        for metric in analysis.metrics.iter_mut().filter(|metric| metric.value.is_some()) {
            metric.spoiled_by = vec![code.to_owned()];
            metric.wrong = if metric.id.ends_with(".iops") { rates } else { Some(times) };
        }
        let table = of_analysis(records, &analysis).1;
        let from = table.find("disturbed").expect("the line");
        table[from..].split_whitespace().take(30).collect::<Vec<_>>().join(" ")
    };
    let (closed, open) = (testing::sample_run(), testing::sample_open_loop_run());
    let either = said(&closed, "others_perhaps", Some(Wrong::EitherWay), Wrong::EitherWay);
    assert!(
        either.contains("perhaps by other programs") && either.contains("(◆)") && !either.contains('▲'),
        "{either}"
    );
    let slower = said(&closed, "others_used_disk", Some(Wrong::TooLow), Wrong::TooHigh);
    assert!(slower.contains("higher (▲) and times shorter (▼)") && !slower.contains("perhaps"), "{slower}");
    let asked = |records| said(records, "others_used_disk", None, Wrong::TooHigh).contains("those requested");
    assert_eq!((asked(&open), asked(&closed)), (true, false), "a closed loop asks for no rate");
}
