//! Writes the page of the made-up sample run to the file named first; with a second word (`resumed`, `several`) the
//! page of a resumed run, or of two runs beside each other. The browser tests in web/test open these.

use drivelab_analysis::testing;
use drivelab_report::ReportInput;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("name the file to write")?;
    let kind = arguments.next().and_then(|kind| kind.into_string().ok()).unwrap_or_default();
    let records = match kind.as_str() {
        "resumed" => vec![testing::sample_resumed_run()],
        "several" => vec![testing::sample_run(), testing::sample_resumed_run(), testing::sample_steady_run()],
        _ => vec![testing::sample_run()],
    };
    let analyses: Vec<_> = records.iter().map(drivelab_analysis::analyse).collect();
    let inputs: Vec<_> =
        records.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    std::fs::write(path, drivelab_report::html(&inputs)?)?;
    Ok(())
}
