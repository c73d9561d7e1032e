//! The formats on made-up runs: what each shows, what it escapes, and what it refuses to compare.

use drivelab_analysis::{Analysis, analyse};
use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::plan::Form;
use drivelab_core::run::RunRecords;
use drivelab_samples as testing;

use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::formats::asset;
use crate::views::across::compare;

mod disturbed;

/// Bytes that no page may reach.
const PAGE_LIMIT: usize = 2_000_000;
const ATTACK: &str = "</script><img src=x onerror=alert(1)>";

fn one<T>(records: &RunRecords, of: impl Fn(&[ReportInput<'_>]) -> T) -> T {
    let analysis = analyse(records);
    of(&[ReportInput { records, analysis: &analysis }])
}

fn with_model(model: &str) -> RunRecords {
    let mut records = testing::sample_run();
    records.environment.target.devices[0].model = Some(model.to_owned());
    records
}

/// The sample with its first metric void for a reason.
fn voided(records: &RunRecords) -> Analysis {
    let mut analysis = analyse(records);
    let metric =
        analysis.metrics.iter_mut().find(|metric| metric.address == "corners/seq-1m-q8t1-read:read.throughput");
    let metric = metric.expect("the sample has corners");
    (metric.value, metric.spread) = (None, None);
    metric.voided_by = vec!["direct_io".to_owned()];
    let statement = "Direct I/O was asked for and the file was not open with it.".to_owned();
    let key = records.steps.iter().map(|step| step.key.clone()).find(|key| key.step.slug() == "seq-1m-q8t1-read");
    analysis.findings.insert(
        0,
        Finding {
            code: "direct_io".to_owned(),
            severity: Severity::Void,
            statement,
            answers: false,
            steps: key.into_iter().collect(),
            evidence: vec![Evidence {
                what: "rate".to_owned(),
                value: 9000.0,
                limit: Some(7877.0),
                unit: "MB/s".to_owned(),
            }],
            likely_cause: "A made-up one.".to_owned(),
            next_action: "Nothing.".to_owned(),
        },
    );
    analysis
}

#[test]
fn an_answer_stands_before_all_figures_in_every_format() {
    let records = testing::sample_run();
    let mut analysis = voided(&records);
    let inputs = |analysis: &Analysis| -> [String; 4] {
        let inputs = [ReportInput { records: &records, analysis }];
        [
            crate::html(&inputs).unwrap(),
            crate::markdown(&inputs).unwrap(),
            crate::brief(&inputs[0]),
            crate::terminal_table(&inputs[0], 400),
        ]
    };
    let places = |text: &str| (text.find("was not open with it"), text.find("MB/s"));
    for text in inputs(&analysis) {
        let (finding, figure) = places(&text);
        assert!(finding > figure, "a finding that answers nothing has its place below: {text}");
    }
    analysis.findings[0].answers = true;
    for text in inputs(&analysis) {
        let (answer, figure) = places(&text);
        assert!(answer.is_some() && answer < figure, "{text}");
    }
}

#[test]
fn what_was_watched_is_in_every_format_with_its_cost_and_its_gaps() {
    use drivelab_core::telemetry::{Gap, GapCause};
    let mut records = testing::sample_watched_run();
    let limit = drivelab_core::telemetry::TemperatureLimit { celsius: 80.0, because: "a test".to_owned() };
    (records.telemetry.abort_above, records.telemetry.remarks) = (Some(limit), vec!["no <sensor> here".to_owned()]);
    let at = |seconds: u64| seconds * 1_000_000_000;
    let gap = Gap { from_ns: at(10), to_ns: at(13), cause: GapCause::Quiet };
    records.telemetry.sources[0].gaps.push(gap);
    records.telemetry.sources[0].samples.retain(|sample| !(at(11)..=at(12)).contains(&sample.at_ns));
    let page = one(&records, crate::html).unwrap();
    for said in [
        "Temperature, power and CPU",
        "Watching cost 20 ms of CPU time",
        "was not measured before the run; <code>drivelab watch /dev/",
        "MB/s/W",
        "paused for quiet steps: 3.0 s",
        "does not include the drive",
        "ended above 80 °C (a test)",
        "no &#60;sensor&#62; here",
    ] {
        assert!(page.contains(said), "the page does not say '{said}'");
    }
    // In the curve the gap is a point without a value.
    let charts = page.split("id=\"drivelab-charts\">").nth(1).unwrap().split("</script>").next().unwrap();
    let charts: serde_json::Value = serde_json::from_str(charts).unwrap();
    let chart = charts.as_array().unwrap().iter().find(|chart| chart["id"] == "telemetry").unwrap();
    let temperature = chart["panels"][0]["series"][0]["points"].as_array().unwrap();
    assert!(temperature.iter().any(|point| point[1].is_null()), "a gap is a gap");
    assert_eq!(chart["panels"][1]["series"][0]["points"][0][1], 5.0);
    assert!(!chart["stretches"].as_array().unwrap().is_empty(), "the tests are named");
    let markdown = one(&records, crate::markdown).unwrap();
    assert!(markdown.contains("## Temperature, power and CPU") && markdown.contains("Watching cost"), "{markdown}");
    let csv = one(&records, crate::csv).unwrap();
    assert!(csv.contains(",power.throughput_per_watt,") && csv.contains(",temperature.max,"));
    let json = one(&records, crate::json).unwrap();
    assert_eq!(json["telemetry"]["sources"][1]["samples"][0]["values"][0], 5.0);
    assert_eq!(json["telemetry"]["sources"][0]["gaps"][0]["cause"], "quiet");
    let without = one(&testing::sample_run(), crate::html).unwrap();
    assert!(!without.contains("Temperature, power and CPU"), "a run that watched nothing has no such section");
}

#[test]
fn markdown_csv_json_and_terminal_of_the_sample_are_as_agreed() {
    let records = testing::sample_run();
    insta::assert_snapshot!("markdown", one(&records, crate::markdown).unwrap());
    insta::assert_snapshot!("csv", one(&records, crate::csv).unwrap());
    insta::assert_snapshot!("terminal", one(&records, |inputs| crate::terminal_table(&inputs[0], 80)));
    let mut document = one(&records, crate::json).unwrap();
    for step in document["steps"].as_array_mut().unwrap() {
        // Raw records: their types and tests are core's, and they would bury what this test is about.
        (step["rounds"], step["intervals"]) = (serde_json::json!("…"), serde_json::json!("…"));
    }
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&document).unwrap());
}

#[test]
fn a_mix_beside_pairs_of_read_and_write_is_not_lost_on_a_terminal() {
    use drivelab_core::plan::Action;
    let mut records = testing::sample_run();
    let corners = records.plan.tests.iter_mut().find(|test| test.name == "corners").unwrap();
    let step = corners.steps.last_mut().unwrap();
    step.label = "RND 4 KiB Q1T1 30 % write".to_owned();
    let Action::Io { workload, .. } = &mut step.action else { unreachable!("a load") };
    workload.write_percent = drivelab_core::units::Percent::new(30).unwrap();
    let terminal = one(&records, |inputs| crate::terminal_table(&inputs[0], 100));
    for label in ["SEQ 1 MiB Q8T1 read", "RND 4 KiB Q1T1 30 % write"] {
        assert!(terminal.contains(label), "{terminal}");
    }
}

#[test]
fn markdown_and_terminal_of_the_richer_loads_are_as_agreed() {
    let records = testing::sample_loads_run();
    insta::assert_snapshot!("loads_markdown", one(&records, crate::markdown).unwrap());
    insta::assert_snapshot!("loads_terminal", one(&records, |inputs| crate::terminal_table(&inputs[0], 100)));
}

#[test]
fn code_in_findings_is_code_on_the_page_and_in_markdown_and_bare_on_a_terminal() {
    let records = testing::sample_run();
    let mut analysis = voided(&records);
    let finding = &mut analysis.findings[0];
    finding.statement = "It is not in `cpu_share` <b>.".to_owned();
    finding.next_action = "Say `--data DIR`.".to_owned();
    let input = [ReportInput { records: &records, analysis: &analysis }];
    let page = crate::html(&input).unwrap();
    assert!(page.contains("It is not in <code>cpu_share</code> &#60;b&#62;."));
    assert!(page.contains("Say <code>--data DIR</code>."));
    let outside_scripts: String =
        page.split("<script").map(|part| part.split_once("</script>").map_or(part, |(_, rest)| rest)).collect();
    assert!(!outside_scripts.contains('`'), "a backtick is left on the page");
    assert!(crate::markdown(&input).unwrap().contains("It is not in `cpu_share` &lt;b&gt;."));
    let terminal = crate::terminal_table(&input[0], 100);
    assert!(terminal.contains("It is not in cpu_share <b>.") && !terminal.contains('`'), "{terminal}");
}

#[test]
fn the_tested_size_is_that_of_the_spans_and_the_whole_stands_beside_it() {
    use drivelab_core::units::Bytes;
    let mut records = testing::sample_run();
    assert!(one(&records, crate::markdown).unwrap().contains("| Tested size | 32 GiB (34.36 GB) |"), "all of it");
    records.environment.target.length = Bytes::new(1 << 40);
    let part = one(&records, crate::markdown).unwrap();
    assert!(part.contains("| Tested size | 32 GiB (34.36 GB) at the start of 1 TiB (1.1 TB) |"), "{part}");
    records.steps.clear();
    assert!(one(&records, crate::markdown).unwrap().contains("| Tested size | nothing yet of 1 TiB (1.1 TB) |"));
}

#[test]
fn a_folder_on_a_loop_device_is_named_and_not_the_disk_below() {
    let mut records = testing::sample_run();
    let target = &mut records.environment.target;
    target.path = "/mnt/test/.drivelab-scratch-1".into();
    let disk = target.devices.last().unwrap().clone();
    let mut file = disk.clone();
    (file.name, file.transport, file.model) = ("loop7".to_owned(), "loop".to_owned(), None);
    file.virtual_because = Some("a loop device".to_owned());
    target.devices = vec![file, disk.clone()];
    let title = |records: &RunRecords| {
        let page = one(records, crate::html).unwrap();
        page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned()
    };
    assert_eq!(title(&records), "/mnt/test (virtual disk loop7)");
    assert!(
        one(&records, |inputs| crate::terminal_table(&inputs[0], 100)).contains("on /mnt/test (virtual disk loop7)")
    );
    // Without folder names (--redact), and with a drive that reports its model.
    records.environment.target.path = ".drivelab-scratch-1".into();
    assert_eq!(title(&records), "Virtual disk loop7");
    records.environment.target.devices = vec![disk.clone()];
    assert_eq!(title(&records), disk.model.unwrap());
}

#[test]
fn every_format_refuses_to_report_on_nothing() {
    assert!(matches!(crate::html(&[]), Err(ReportError::NoRun)));
    assert!(matches!(crate::json(&[]), Err(ReportError::NoRun)));
}

#[test]
fn pages_are_one_small_file_without_addresses() {
    for records in [testing::sample_run(), testing::sample_resumed_run(), testing::sample_steady_run()] {
        let page = one(&records, crate::html).unwrap();
        assert!(page.len() < PAGE_LIMIT, "{} bytes", page.len());
        let own = page.replace(asset::SCRIPT, "");
        assert!(
            !own.contains("http:") && !own.contains("https:") && !own.contains(" src="),
            "the page names an address"
        );
    }
    assert!(asset::SCRIPT.len() + asset::STYLE.len() < 900_000, "{} bytes of script and style", asset::SCRIPT.len());
    assert!(!asset::SCRIPT.contains("</script"));
}

#[test]
fn long_runs_are_thinned_and_say_so() {
    let mut records = testing::sample_run();
    let last = records.intervals.last().unwrap().clone();
    for more in 1..20_000u32 {
        let mut interval = last.clone();
        interval.index += more;
        interval.start_ns += u64::from(more) * 1_000_000_000;
        interval.end_ns += u64::from(more) * 1_000_000_000;
        records.intervals.push(interval);
    }
    let page = one(&records, crate::html).unwrap();
    assert!(page.len() < PAGE_LIMIT, "{} bytes", page.len());
    assert!(page.contains("recorded intervals: mean rate") && page.contains("left_out"));
    let full = one(&records, crate::json).unwrap();
    let intervals: usize =
        full["steps"].as_array().unwrap().iter().map(|step| step["intervals"].as_array().unwrap().len()).sum();
    assert_eq!(intervals, records.intervals.len(), "the full document keeps every interval");
}

#[test]
fn names_from_outside_stay_words() {
    let page = one(&with_model(ATTACK), crate::html).unwrap();
    assert!(!page.contains("<img"), "the model name became an element");
    let shown = one(&with_model("a|b\n# c <x>"), crate::markdown).unwrap();
    assert!(shown.contains(r"a\|b \# c &lt;x&gt;") && !shown.contains("a|b"));
    let lines = one(&with_model("=HYPERLINK(\"x\"),y"), crate::csv).unwrap();
    assert!(lines.contains("\"'=HYPERLINK(\"\"x\"\"),y\""));
    let columns: Vec<usize> = lines.lines().map(|line| line.matches(',').count()).collect();
    assert_eq!(columns[1], columns[0] + 1, "only the quoted comma of the name is added");
    let terminal = one(&with_model("evil\u{1b}[2J"), |inputs| crate::terminal_table(&inputs[0], 80));
    assert!(!terminal.contains('\u{1b}'));
}

#[test]
fn a_void_figure_is_never_a_number() {
    let records = testing::sample_run();
    let whole = analyse(&records);
    let value = whole.metric("corners/seq-1m-q8t1-read:read.throughput").unwrap().value.unwrap();
    let analysis = voided(&records);
    let inputs = [ReportInput { records: &records, analysis: &analysis }];
    let text = crate::format::mb_s(value);
    let page = crate::html(&inputs).unwrap();
    assert!(page.contains("void\"><abbr title=\"Direct I/O was asked for"));
    let markdown = crate::markdown(&inputs).unwrap();
    let row = markdown.lines().find(|line| line.starts_with("| SEQ 1 MiB Q8T1 |")).unwrap();
    assert!(row.contains("| void |") && !row.contains(&text), "{row}");
    let terminal = crate::terminal_table(&inputs[0], 100);
    let row = terminal.lines().find(|line| line.starts_with("SEQ 1 MiB Q8T1")).unwrap();
    assert!(row.contains("void") && !row.contains(&text), "{row}");
    let csv = crate::csv(&inputs).unwrap();
    let line = csv.lines().find(|line| line.contains("seq-1m-q8t1-read") && line.contains("read.throughput")).unwrap();
    assert!(line.contains("read.throughput,,MB/s,direct_io,"), "{line}");
}

#[test]
fn a_step_that_was_stopped_says_so_in_its_row() {
    let mut records = testing::sample_run();
    let stopped = records.plan.tests.iter().find(|test| test.name == "mixes").unwrap().steps[0].clone();
    let record = records.steps.iter_mut().find(|record| record.key.step == stopped.id).unwrap();
    record.stop_reason = drivelab_core::record::StopReason::Stopped;
    let analysis = analyse(&records);
    let inputs = [ReportInput { records: &records, analysis: &analysis }];
    let says = |text: &str| text.lines().any(|line| line.contains(&stopped.label) && line.contains("(stopped early)"));
    assert!(says(&crate::markdown(&inputs).unwrap()) && says(&crate::terminal_table(&inputs[0], 200)));
    assert!(crate::html(&inputs).unwrap().contains("stopped early"));
}

#[test]
fn a_faithful_run_on_a_smaller_target_is_not_said_to_be_as_stated() {
    let mut records = testing::sample_run();
    records.plan.form = drivelab_core::plan::Form::Faithful;
    let note = |records: &drivelab_core::run::RunRecords| {
        let analysis = analyse(records);
        crate::words::run_facts::form_note(&ReportInput { records, analysis: &analysis })
    };
    assert_eq!(note(&records), "parameters and durations as stated, nothing shortened");
    let (stated, tested) = (drivelab_core::units::Bytes::new(64 << 30), drivelab_core::units::Bytes::GIB);
    records.findings.push(drivelab_analysis::findings::target_smaller(stated, tested));
    assert_eq!(note(&records), "parameters and durations as stated, on a smaller area than stated");
}

#[test]
fn a_lower_bound_is_marked_as_one_in_every_format() {
    let records = testing::sample_limited_run();
    let analysis = analyse(&records);
    let metric = analysis.metric("limited/q64:read.throughput").unwrap();
    let text = crate::format::mb_s(metric.value.unwrap());
    let inputs = [ReportInput { records: &records, analysis: &analysis }];
    let page = crate::html(&inputs).unwrap();
    assert!(page.contains(&format!(">≥</abbr> {text}")), "the table of the page");
    let operations = analysis.metric("limited/q64:read.iops").unwrap();
    let headline = format!("≥ {} IOPS", crate::format::iops(operations.value.unwrap()));
    assert!(page.contains(&headline), "the headline");
    assert!(page.contains("marks a lower bound"), "what the sign means");
    let markdown = crate::markdown(&inputs).unwrap();
    assert!(markdown.contains(&format!("| ≥ {text} |")) && markdown.contains("marks a lower bound"));
    let terminal = crate::terminal_table(&inputs[0], 100);
    assert!(terminal.contains(&format!("≥ {text}")) && terminal.contains("the target can do at least this much"));
    let csv = crate::csv(&inputs).unwrap();
    let line = csv.lines().find(|line| line.contains(",read.throughput,")).unwrap();
    assert!(line.ends_with(",yes,,"), "{line}");
    assert!(csv.lines().find(|line| line.contains(",read.latency_p99,")).unwrap().ends_with(",,,"));
    let json = crate::json(&inputs).unwrap();
    assert_eq!(json["limits"][0]["lower_bound"], true);
    assert_eq!(json["limits"][0]["limited_by"], "generator");
    let in_json = json["metrics"].as_array().unwrap().iter().find(|one| one["id"] == "read.throughput").unwrap();
    assert_eq!(in_json["lower_bound"], true);
    let plain = one(&testing::sample_run(), crate::markdown).unwrap();
    assert!(!plain.contains('≥'));
}

#[test]
fn places_that_are_names_are_bars_and_sizes_keep_their_names() {
    let page = |labels: [&str; 2]| {
        let mut records = testing::sample_run();
        let depths = records.plan.tests.iter_mut().find(|test| test.name == "depths").unwrap();
        for (at, step) in depths.steps.iter_mut().enumerate() {
            step.axes[0] = drivelab_core::plan::AxisValue {
                axis: "span".into(),
                value: labels[at % 2].replace('1', &(at + 1).to_string()),
            };
        }
        one(&records, crate::html).unwrap()
    };
    let names = page(["written", "deallocated"]);
    assert_eq!((names.contains("depths-bars"), names.contains("depths-sweep")), (true, false));
    let sizes = page(["1 GiB", "1 GiB"]);
    assert!(sizes.contains("depths-sweep") && sizes.contains(r#""scale":"category","labels":["1 GiB","2 GiB""#));
}

#[test]
fn what_reads_and_writes_at_once_has_a_bar_too() {
    let mut records = testing::sample_run();
    let mixes = records.plan.tests.iter_mut().find(|test| test.name == "mixes").unwrap();
    for (at, step) in mixes.steps.iter_mut().enumerate() {
        step.axes[0].value = format!("case-{at}");
    }
    let steps = mixes.steps.len();
    let page = one(&records, crate::html).unwrap();
    let charts = page.split("id=\"drivelab-charts\">").nth(1).unwrap().split("</script>").next().unwrap();
    let charts: serde_json::Value = serde_json::from_str(charts).unwrap();
    let chart = charts.as_array().unwrap().iter().find(|chart| chart["id"] == "mixes-bars").unwrap();
    assert_eq!(chart["x"]["labels"].as_array().unwrap().len(), steps - 1, "only reads and only writes share a place");
    let drawn = |panel: usize, name: &str| {
        let series = chart["panels"][panel]["series"].as_array().unwrap().iter().find(|one| one["name"] == name);
        series.map_or(0, |series| series["points"].as_array().unwrap().len())
    };
    let mixed = drawn(0, "Read and write");
    assert_eq!(mixed + drawn(0, "Read") + drawn(0, "Write"), steps);
    assert!(mixed > 2 && drawn(1, "Read") >= mixed && drawn(1, "Write") >= mixed && drawn(1, "Read and write") == 0);
}

#[test]
fn a_lower_bound_is_marked_in_bars_and_sweeps_too() {
    // One step of the corners and one of the depths took all of its time in drivelab's own code.
    let mut records = testing::sample_run();
    for record in &mut records.steps {
        if ["corners/seq-1m-q8t1-read", "depths/q8"].contains(&record.key.step.as_str()) {
            record.engine.cpu_user = record.elapsed();
        }
    }
    let page = one(&records, crate::html).unwrap();
    let analysis = drivelab_analysis::analyse(&records);
    let views = crate::views::test::tests(&ReportInput { records: &records, analysis: &analysis }, "", usize::MAX);
    let charts = views.iter().flat_map(|test| &test.figures).filter_map(|figure| figure.chart.as_ref());
    let marked = |id: &str| {
        let chart = charts.clone().find(|chart| chart.id == id).unwrap();
        let points = chart.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
        points.filter(|point| point.2.starts_with("≥ ")).count()
    };
    assert_eq!((marked("corners-bars"), marked("depths-sweep"), marked("mixes-sweep")), (1, 1, 0));
    let ids = page.split("id=\"drivelab-charts\">").nth(1).unwrap();
    assert!(ids.contains("depths-sweep") && !ids.contains("corners-bars"), "the table of pairs has bars already");
    assert!(page.contains("data-value=\"≥ 4,"), "the table of pairs");
    let look =
        |page: &str| page.split("At a glance</h2>").nth(1).unwrap().split("</section>").next().unwrap().to_owned();
    assert!(look(&page).contains("<p>≥ marks a lower bound"), "the sign is explained where it occurs first");
    assert!(!look(&one(&testing::sample_run(), crate::html).unwrap()).contains("≥ marks"), "no sign, no words");
}

#[test]
fn response_times_never_stand_in_a_column_of_latencies() {
    let records = testing::sample_open_loop_run();
    let analysis = analyse(&records);
    let text = |id: &str| {
        let value = analysis.metric(&format!("paced/r20000:{id}")).unwrap().value.unwrap();
        crate::format::latency_us(value)
    };
    let markdown = one(&records, crate::markdown).unwrap();
    let head = markdown.lines().find(|line| line.contains("Latency p99 (µs)") && line.contains("Response p99 (µs)"));
    let columns: Vec<&str> = head.unwrap().split('|').map(str::trim).collect();
    let row =
        markdown.lines().find(|line| line.contains("20000 IOPS: reads") && line.contains(&text("read.response_p99")));
    let cells: Vec<&str> = row.unwrap().split('|').map(str::trim).collect();
    let at = |title: &str| cells[columns.iter().position(|column| *column == title).unwrap()];
    assert_eq!(at("Latency p99 (µs)"), text("read.latency_p99"));
    assert_eq!(at("Response p99 (µs)"), text("read.response_p99"));
    assert_ne!(text("read.latency_p99"), text("read.response_p99"));
}

#[test]
fn intervals_of_the_document_hold_every_kind_sizes_response_times_and_backlog() {
    let document = one(&testing::sample_loads_run(), crate::json).unwrap();
    let first = |step: &str| {
        let steps = document["steps"].as_array().unwrap();
        steps.iter().find(|doc| doc["step"]["id"] == step).unwrap()["intervals"][0].clone()
    };
    let paced = first("paced/r20000");
    assert_eq!(paced["backlog"], 2);
    assert!(paced["read"]["response"]["p99"].as_u64() > paced["read"]["latency"]["p99"].as_u64());
    let mixed = first("mixed/r60w30t10");
    let kinds: Vec<&str> = mixed["others"].as_array().unwrap().iter().map(|one| one["op"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["trim", "flush"]);
    assert_eq!(mixed["read"]["sizes"].as_array().unwrap().len(), 2);
    assert!(mixed["read"]["response"].is_null() && mixed["backlog"].is_null());
}

#[test]
fn approximations_breaks_and_forms_are_seen_everywhere() {
    let records = testing::sample_resumed_run();
    let page = one(&records, crate::html).unwrap();
    let markdown = one(&records, crate::markdown).unwrap();
    for text in [&page, &markdown] {
        assert!(text.contains('≈') && text.contains("the source states one minute"));
        assert!(text.contains("killed, crash or power cut") && text.contains("preparation was repeated"));
        assert!(text.contains("quick form"));
    }
    let terminal = one(&records, |inputs| crate::terminal_table(&inputs[0], 80));
    assert!(terminal.starts_with("quick form") && terminal.contains('≈'));
}

#[test]
fn long_tables_of_steps_stay_in_the_text_and_long_lines_are_said_to_be_left_out() {
    let mut records = testing::sample_run();
    let depths = records.plan.tests.iter_mut().find(|test| test.name == "depths").unwrap();
    let (step, title) = (depths.steps[0].clone(), depths.title.clone());
    let executed = records.steps.iter().find(|record| record.key.step == step.id).unwrap().clone();
    for depth in 1..=61 {
        let (mut one, mut done) = (step.clone(), executed.clone());
        one.id = drivelab_core::ids::StepId::new("depths", &format!("again-{depth}"));
        (one.label, done.key.step) = (format!("again {depth}"), one.id.clone());
        depths.steps.push(one);
        records.steps.push(done);
    }
    let text = one(&records, crate::markdown).unwrap();
    let of_test = text.split(&format!("\n## {title}\n")).nth(1).unwrap();
    let rows = of_test.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    assert_eq!(rows.count(), 2 + 7 + 61, "every step has its row");
    let run_line = text.split("\n## The whole run\n\n").nth(1).unwrap();
    assert!(run_line.starts_with("Left out here: "), "{run_line}");
}

#[test]
fn a_row_of_several_groups_says_so_in_the_terminal() {
    let text = one(&testing::sample_mixed_run(), |inputs| crate::terminal_table(&inputs[0], 120));
    assert_eq!(text.matches(" (all groups)").count(), 1, "{text}");
}

#[test]
fn the_terminal_table_keeps_its_width() {
    for width in [0, 60, 80, 120] {
        let text = one(&testing::sample_run(), |inputs| crate::terminal_table(&inputs[0], width));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width.max(60), "{longest} columns at {width}:\n{text}");
    }
}

#[test]
fn the_terminal_table_leaves_nothing_out_at_80_columns_and_says_what_it_leaves_out_below() {
    let mut records = testing::sample_run();
    let at = |records: &RunRecords, width| one(records, |inputs| crate::terminal_table(&inputs[0], width));
    assert!(!at(&records, 80).contains("wider terminals"));
    // A hard disk: latencies of six digits with their comma.
    for record in &mut records.steps {
        for op in [&mut record.read, &mut record.write] {
            if let Some(latency) = &mut op.latency {
                latency.p50 = Some(drivelab_core::units::Nanos::new(123_456_000));
                latency.p99 = Some(drivelab_core::units::Nanos::new(234_567_000));
            }
        }
    }
    let text = at(&records, 80);
    assert!(!text.contains("wider terminals"), "{text}");
    let narrow = at(&records, 60);
    assert!(narrow.contains("wider terminals show: "), "{narrow}");
    assert!(narrow.contains("write p99 µs"), "{narrow}");
}

#[test]
fn the_terminal_explains_the_signs_that_it_shows_and_no_others() {
    let records = testing::sample_run();
    let text = |change: &dyn Fn(&mut drivelab_core::metric::Metric)| {
        let mut analysis = analyse(&records);
        analysis.metrics.iter_mut().for_each(change);
        crate::terminal_table(&ReportInput { records: &records, analysis: &analysis }, 160)
    };
    let legend = "≥ drivelab or the host's CPU was the limit";
    let prepared = |metric: &drivelab_core::metric::Metric| {
        let step = metric.step.as_ref().and_then(|step| records.plan.step(step));
        step.is_some_and(|step| step.role == drivelab_core::plan::StepRole::Prepare)
    };
    assert!(analyse(&records).metrics.iter().any(prepared), "the sample prepares its target");
    let only_prepared = text(&|metric| metric.lower_bound = prepared(metric));
    assert!(!only_prepared.contains('≥'), "{only_prepared}");
    assert!(text(&|metric| metric.lower_bound = !prepared(metric)).contains(legend));
}

#[test]
fn unlike_runs_are_never_in_one_table() {
    let (a, b) = (testing::sample_run(), with_model("Another"));
    let (mut other_method, mut other_form, mut smoke) = (a.clone(), a.clone(), a.clone());
    other_method.plan.methodology.hash = "77".repeat(32);
    other_form.plan.form = Form::Faithful;
    smoke.plan.form = Form::Smoke;
    let analysis = analyse(&a);
    let input = |records| ReportInput { records, analysis: &analysis };
    let alike = compare::compare(&[input(&a), input(&b)]);
    assert!(alike.is_whole() && alike.groups.len() == 1);
    assert_eq!(alike.groups[0].tables[0].columns.len(), 3);
    for (unlike, why) in
        [(&other_method, "other tests or other values"), (&other_form, "faithful form"), (&smoke, "smoke form")]
    {
        let inputs = [input(&a), input(unlike)];
        let comparison = compare::compare(&inputs);
        assert!(comparison.groups.is_empty(), "{why}");
        assert!(comparison.refused.iter().any(|reason| reason.contains(why)), "{:?}", comparison.refused);
        assert!(crate::html(&inputs).unwrap().contains("Not comparable"));
        assert_eq!(crate::json(&inputs).unwrap()["comparable"], false);
    }
}

#[test]
fn outputs_are_known_again_and_foreign_files_are_not() {
    let records = testing::sample_run();
    let page = one(&records, crate::html).unwrap();
    let json = one(&records, crate::json).unwrap();
    assert!(crate::is_drivelab_page(page.as_bytes()));
    for own in [page, one(&records, crate::markdown).unwrap(), one(&records, crate::csv).unwrap(), json.to_string()] {
        assert!(crate::is_drivelab_output(own.as_bytes()));
    }
    for foreign in [
        "",
        "<!DOCTYPE html><title>drivelab report</title>",
        "# drivelab",
        "a,b\n1,2\n",
        "{\"schema\":\"x\"}",
        "\u{feff}",
    ] {
        assert!(!crate::is_drivelab_output(foreign.as_bytes()), "{foreign}");
    }
    assert!(!crate::is_drivelab_output(&[0xff, 0xfe, 0x00]));
}

#[test]
fn json_keeps_to_its_published_schema() {
    let schema = crate::documents::results::results_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let records = [
        testing::sample_run(),
        testing::sample_loads_run(),
        testing::sample_unfinished_run(),
        testing::sample_resumed_run(),
    ];
    let analyses: Vec<Analysis> = records.iter().map(analyse).collect();
    let inputs: Vec<_> =
        records.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    for document in [crate::json(&inputs[..1]), crate::json(&inputs[1..2]), crate::json(&inputs)] {
        let document = document.unwrap();
        assert!(document["metrics"].is_array() && document["findings"].is_array());
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).take(3).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    let mut broken = crate::json(&inputs[..1]).unwrap();
    broken["metrics"][0]["value"] = serde_json::json!("fast");
    assert!(!validator.is_valid(&broken), "the schema lets anything pass");
}
