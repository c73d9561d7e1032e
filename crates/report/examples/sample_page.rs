//! Writes the page of the made-up sample run to the file given as the first argument. A second argument chooses
//! another page: a resumed run (`resumed`), several runs side by side (`several`), a run with telemetry (`watched`),
//! special loads (`loads`), several drives at once (`together`), or a drive whose model name is an attack
//! (`hostile`). The browser tests in web/test open these pages.

use drivelab_core::run::RunRecords;
use drivelab_report::ReportInput;
use drivelab_samples as testing;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("name the file to write")?;
    let kind = arguments.next().and_then(|kind| kind.into_string().ok()).unwrap_or_default();
    let records = match kind.as_str() {
        "resumed" => vec![testing::sample_resumed_run()],
        "watched" => vec![testing::sample_watched_run()],
        "loads" => vec![testing::sample_loads_run()],
        "several" => vec![testing::sample_run(), testing::sample_resumed_run(), testing::sample_steady_run()],
        "together" => drivelab_samples::sample_group(),
        "hostile" => vec![hostile()],
        _ => vec![testing::sample_run()],
    };
    let analyses: Vec<_> = records.iter().map(drivelab_analysis::analyse).collect();
    let inputs: Vec<_> =
        records.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let page = match kind.as_str() {
        "together" => drivelab_report::together_html(&drivelab_report::GroupInput::new(&inputs)?)?,
        _ => drivelab_report::html(&inputs)?,
    };
    std::fs::write(path, page)?;
    Ok(())
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
