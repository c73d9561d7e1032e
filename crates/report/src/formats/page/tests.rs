//! The size of pages, and what they state about thinning.

use drivelab_analysis::analyse;
use drivelab_core::finding::Severity;
use drivelab_core::run::RunRecords;
use drivelab_samples as testing;

use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::formats::detail::PAGE_LIMIT;

/// Intervals of a `quick` run on a fast drive, of which 837 were counted.
const QUICK_INTERVALS: u32 = 900;
/// Most bytes of a page of one such run.
const ONE_RUN: usize = 1_200_000;

/// The sample with as many intervals as a real run, spread over its last step.
fn real_sized() -> RunRecords {
    let mut records = testing::sample_run();
    let last = records.intervals.last().unwrap().clone();
    let missing = QUICK_INTERVALS - u32::try_from(records.intervals.len()).unwrap();
    for more in 1..=missing {
        let mut interval = last.clone();
        interval.index += more;
        interval.start_ns += u64::from(more) * 150_000_000;
        interval.end_ns += u64::from(more) * 150_000_000;
        // Texts of real figures are as long as these.
        interval.read.bytes = drivelab_core::units::Bytes::new(interval.read.bytes.get() + u64::from(more) * 4099);
        records.intervals.push(interval);
    }
    records
}

fn page_of(runs: usize) -> String {
    let records = real_sized();
    let analysis = analyse(&records);
    crate::html(&vec![ReportInput { records: &records, analysis: &analysis }; runs]).unwrap()
}

fn embedded(page: &str) -> serde_json::Value {
    let text = page.split("id=\"drivelab-results\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn pages_stay_small_up_to_six_runs_and_keep_every_figure() {
    for (runs, most) in [(1, ONE_RUN), (2, PAGE_LIMIT), (6, PAGE_LIMIT)] {
        let page = page_of(runs);
        assert!(page.len() < most, "{runs} runs: {} bytes", page.len());
        assert!(!page.contains("This page is larger"), "{runs} runs");
        let records = real_sized();
        let results = embedded(&page);
        let about_results = |id: &str| !(id.starts_with("engine.") || id.starts_with("cpu_"));
        let all = results["metrics"].as_array().unwrap();
        let shown = all.iter().filter(|metric| about_results(metric["id"].as_str().unwrap())).count();
        let expected = analyse(&records).metrics.iter().filter(|metric| about_results(&metric.id)).count();
        assert_eq!(shown, runs * expected, "{runs} runs");
        let documents = results["runs"].as_array().cloned().unwrap_or_else(|| vec![results.clone()]);
        for document in documents {
            let left_out = document["left_out"].to_string();
            assert!(
                left_out.contains("the intervals of each step") && left_out.contains("--format json"),
                "{left_out}"
            );
        }
        assert!(page.contains("To keep this page small, "), "{runs} runs: the page does not say what it leaves out");
    }
}

#[test]
fn a_short_run_is_embedded_whole() {
    let records = testing::sample_run();
    let analysis = analyse(&records);
    let page = crate::html(&[ReportInput { records: &records, analysis: &analysis }]).unwrap();
    assert!(!page.contains("To keep this page small, "));
    let full = crate::json(&[ReportInput { records: &records, analysis: &analysis }]).unwrap();
    assert_eq!(embedded(&page), full);
}

#[test]
fn a_page_that_cannot_be_small_says_so() {
    let page = page_of(14);
    assert!(page.len() > PAGE_LIMIT, "choose more runs: {} bytes", page.len());
    assert_eq!(page.matches("This page is larger than 2 MB").count(), 1);
}

#[test]
fn a_resumption_is_told_once_unless_another_drivelab_went_on() {
    let told = |records: &RunRecords| {
        let analysis = analyse(records);
        let inputs = [ReportInput { records, analysis: &analysis }];
        [crate::html(&inputs).unwrap(), crate::markdown(&inputs).unwrap()]
    };
    let mut records = testing::sample_resumed_run();
    for text in told(&records) {
        assert!(text.contains("The run was interrupted at") && !text.contains("Interruptions of the run"));
    }
    records.breaks[0].resumed.as_mut().unwrap().tool.version = "99.0.0".to_owned();
    for text in told(&records) {
        assert!(text.contains("Interruptions of the run") && text.contains("with drivelab 99.0.0"));
    }
}

#[test]
fn figures_come_before_warnings_and_each_warning_is_said_once() {
    let records = testing::sample_limited_run();
    let analysis = analyse(&records);
    let page = crate::html(&[ReportInput { records: &records, analysis: &analysis }]).unwrap();
    let page = page.split("id=\"drivelab-charts\"").next().unwrap();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("the page has no {text}"));
    let warnings: Vec<_> = analysis.findings.iter().filter(|one| one.severity != Severity::Note).collect();
    assert!(!warnings.is_empty());
    assert!(at("class=\"strip\"") < at("class=\"chart\""), "a line says that there are warnings");
    assert!(at("class=\"chart\"") < at("class=\"finding "), "the warnings themselves follow the figures");
    assert_eq!(page.matches("<details class=\"finding ").count(), analysis.findings.len());
    let count = format::counted(warnings.len(), "warning");
    assert!(page[at("class=\"strip\"")..].split("</p>").next().unwrap().contains(&count), "{count}");
    for (at, finding) in warnings.iter().enumerate() {
        let begin: String = finding.statement.chars().take_while(|letter| !"`'<>&\"".contains(*letter)).collect();
        // The line quotes the most serious, which comes first.
        assert_eq!(page.matches(begin.as_str()).count(), 1 + usize::from(at == 0), "{begin}");
    }
    let quiet = testing::sample_run();
    let analysis = analyse(&quiet);
    assert!(analysis.findings.iter().all(|finding| finding.severity == Severity::Note));
    let page = crate::html(&[ReportInput { records: &quiet, analysis: &analysis }]).unwrap();
    assert!(!page.contains("class=\"strip\""), "nothing to warn of");
}
