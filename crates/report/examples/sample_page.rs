//! Writes the page of the made-up sample run to the file given as the first argument. A second argument chooses
//! another page: a run with a short answer (`answered`), a resumed run (`resumed`), several runs side by side
//! (`several`), a run with telemetry (`watched`), special loads (`loads`), many tests (`long`), several drives at once
//! (`together`), ten drives side by side (`many`) or ranked (`rank`), arms of a drive (`arms`), two runs with the
//! document of their comparison (`two`), a run beside published figures (`beside`), published figures alone
//! (`published`), or a drive whose model name is an attack (`hostile`). The browser tests in web/test open these pages.

use drivelab_analysis::digest::Digest;
use drivelab_analysis::ratios::Limits;
use drivelab_analysis::side_by_side::align;
use drivelab_analysis::suitability;
use drivelab_core::drive_facts::Price;
use drivelab_core::plan::{Step, TestPlan};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::VerdictRules;
use drivelab_report::{Compared, ComparedRun, DriveWords, PublishedSide, RankInput, ReportInput, Sides};
use drivelab_samples as testing;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("name the file to write")?;
    let kind = arguments.next().and_then(|kind| kind.into_string().ok()).unwrap_or_default();
    let records = match kind.as_str() {
        "resumed" => vec![testing::sample_resumed_run()],
        "watched" => vec![testing::sample_watched_run()],
        "loads" => vec![testing::sample_loads_run()],
        "long" => vec![of_many_tests()],
        "several" => vec![testing::sample_run(), testing::sample_resumed_run(), testing::sample_steady_run()],
        "together" => drivelab_samples::sample_group(),
        "hostile" => vec![hostile()],
        "arms" => testing::sample_arms(),
        "two" => vec![testing::sample_run(), testing::slowed(1.5)],
        "published" => Vec::new(),
        "many" | "rank" => (0..10).map(|drive| sized(drive, testing::slowed(1.0 + f64::from(drive) / 10.0))).collect(),
        _ => vec![testing::sample_run()],
    };
    let mut analyses: Vec<_> = records.iter().map(drivelab_analysis::analyse).collect();
    if kind == "answered" {
        let rules: VerdictRules = toml::from_str(include_str!("../../../reference/verdicts.toml"))?;
        for (records, analysis) in records.iter().zip(&mut analyses) {
            analysis.suitability = Some(suitability::of_run(records, analysis, Ok(&rules)));
        }
    }
    let inputs: Vec<_> =
        records.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let page = match kind.as_str() {
        "together" => drivelab_report::together_html(&drivelab_report::GroupInput::new(&inputs)?)?,
        "rank" => ranking(&inputs)?,
        "many" => {
            let digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
            drivelab_report::html_of_sides(&inputs, &digests.iter().collect::<Vec<_>>(), &priced(inputs.len()))?
        }
        // With its document beside it, as JSON.
        "two" => {
            let digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
            let (digests, sides) = (digests.iter().collect::<Vec<_>>(), Sides::alone(inputs.len()));
            let runs: Vec<ComparedRun<'_>> =
                digests.iter().map(|digest| ComparedRun { digest, live: false, title: "" }).collect();
            let document = Compared { runs: &runs, sides: &sides }.document();
            std::fs::write(format!("{}.json", path.display()), serde_json::to_string(&document)?)?;
            drivelab_report::html_of_sides(&inputs, &digests, &sides)?
        }
        "beside" | "published" => {
            let digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
            let sides = Sides { published: published()?, ..Sides::alone(inputs.len()) };
            drivelab_report::html_of_sides(&inputs, &digests.iter().collect::<Vec<_>>(), &sides)?
        }
        _ => drivelab_report::html(&inputs)?,
    };
    std::fs::write(&path, page)?;
    Ok(())
}

/// A run in which each step is a test of its own.
fn of_many_tests() -> RunRecords {
    let mut run = testing::sample_run();
    let tests = std::mem::take(&mut run.plan.tests);
    let steps = tests.iter().flat_map(|test| test.steps.iter().map(move |step| (test, step)));
    let alone = |(at, (test, step)): (usize, (&TestPlan, &Step))| TestPlan {
        name: format!("test-{at}"),
        title: step.label.clone(),
        steps: vec![step.clone()],
        ..test.clone()
    };
    run.plan.tests = steps.enumerate().map(alone).collect();
    run
}

/// The run on a drive of 250 GB to 4 TB, the same for two neighbours.
fn sized(drive: u32, mut run: RunRecords) -> RunRecords {
    run.environment.target.devices[0].capacity = Bytes::new(250_000_000_000 << (drive / 2));
    run
}

/// Every run a side: drives of two families, which differ in capacity and price.
fn priced(count: usize) -> Sides {
    let drive = |at: usize| {
        let (family, capacity) = (["Alpha <b>", "Beta"][at % 2], 250 << (at / 2));
        let price =
            Price { amount: 30.0 + 25.0 * at as f64, currency: "EUR".to_owned(), date: "2026-11-20".to_owned() };
        DriveWords { name: format!("{family} {capacity} GB"), price: Some(price) }
    };
    Sides { drives: (0..count).map(drive).collect(), ..Sides::alone(count) }
}

/// Published figures of two drives in two capacities each: a sweep with 16 and 64 threads, one figure of a step of the
/// sample, one of a range, a doubtful one.
fn published() -> Result<Vec<PublishedSide>, serde_json::Error> {
    let mut figures = Vec::new();
    for (at, drive) in ["Alpha <b>", "Beta"].iter().enumerate() {
        for (twice, capacity) in ["250 GB", "500 GB"].iter().enumerate() {
            let scale = (1.0 + at as f64) * (1.0 + twice as f64);
            let mut add = |test: String, value: f64, more: serde_json::Value| {
                let mut figure = serde_json::json!({
                    "drive": drive, "capacity": capacity, "test": test, "metric": "read.throughput", "value": value,
                    "unit": "MB/s", "place": "made up",
                });
                let more = more.as_object().cloned().unwrap_or_default();
                figure.as_object_mut().into_iter().for_each(|all| all.extend(more.clone()));
                figures.push(figure);
            };
            for threads in [16, 64] {
                for (power, size) in ["4 KiB", "8 KiB", "16 KiB", "32 KiB"].iter().enumerate() {
                    let value = scale * f64::from(threads) * f64::from(1_u32 << power);
                    let load = serde_json::json!({ "block_size": size, "threads": threads, "queue_depth": 1 });
                    add(format!("Random read, {size}, {threads} threads"), value, load);
                }
            }
            add("Depth 8".to_owned(), 100.0 * scale, serde_json::json!({ "steps": ["depths/q8"] }));
            if twice == 0 {
                let doubtful = serde_json::json!({ "which": "lower end", "doubtful": "two clusters" });
                add("Read".to_owned(), 1000.0 * scale, doubtful);
                add("Read".to_owned(), 1500.0 * scale, serde_json::json!({ "which": "upper end" }));
            }
        }
    }
    let all = serde_json::json!({
        "name": "made-up", "title": "A review", "author": "Nobody", "method": "By hand.", "figures": figures,
        "setup": { "system": "Windows", "target": "partition", "span": "16 GB", "rounds": "one run of each" },
    });
    Ok(PublishedSide::of(&serde_json::from_value(all)?, "", 1))
}

/// The page of all runs, each a drive, ranked by the rate of their first step.
fn ranking(inputs: &[ReportInput<'_>]) -> Result<String, Box<dyn std::error::Error>> {
    let mut digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
    // A lower bound gives no place.
    let steps = digests.iter_mut().flat_map(|digest| &mut digest.tests).flat_map(|test| &mut test.steps);
    steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = false);
    let runs: Vec<&Digest> = digests.iter().collect();
    let sides: Vec<Vec<usize>> = (0..runs.len()).map(|run| vec![run]).collect();
    let aligned = align(&runs);
    let step = aligned.steps().find(|step| step.facts.rate.is_some()).ok_or("the sample has a rate")?.facts;
    let address = format!("{}:{}", step.id, step.rate.as_deref().unwrap_or_default());
    let ranking = drivelab_analysis::rank::rank(&aligned, &sides, Limits::default(), &address);
    let input = RankInput {
        ranking: ranking.ok_or("the sample can be ranked")?,
        names: (0..runs.len()).map(|drive| format!("Drive <b>{drive}</b>")).collect(),
        // Two neighbours are one drive in two states.
        drives: (0..runs.len()).map(|drive| format!("Drive {}", drive / 2)).collect(),
        marked: vec![4],
        method: runs[0],
        published: Vec::new(),
        limits: Limits::default(),
        prices: Vec::new(),
        touched: Vec::new(),
        redact: false,
    };
    Ok(input.html()?)
}

/// A drive that calls itself HTML.
fn hostile() -> RunRecords {
    let mut records = testing::sample_run();
    for device in &mut records.environment.target.devices {
        device.model = Some("</script></style><img src=x onerror=globalThis.broken=1>".to_owned());
    }
    for test in &mut records.plan.tests {
        test.title = format!("<script>globalThis.broken=1</script>{}", test.title);
        for step in &mut test.steps {
            step.label = format!("<b onmouseover=globalThis.broken=1>{}", step.label);
        }
    }
    records
}
