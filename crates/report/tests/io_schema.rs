//! docs/formats/io.schema.json is what the types of the document of `drivelab io` say, and documents keep to it.

use drivelab_analysis::{analyse, testing};
use drivelab_report::{IoInput, ReportInput, io_json, io_schema, io_table};

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/io.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&io_schema()).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap();
    assert!(published == text, "docs/formats/io.schema.json is not what the types say; UPDATE_SCHEMA=1 writes it");
}

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
