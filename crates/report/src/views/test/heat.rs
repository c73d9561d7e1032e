//! How the rates of a test changed over minutes of load, with the temperatures, as a table.

use drivelab_core::plan::TestPlan;

use crate::figure::Figure;
use crate::figure::cells::{self, unit_text};
use crate::figure::input::ReportInput;
use crate::figure::pairs::measured;
use crate::figure::table::{Column, Table};

/// The figures, in the order of the columns.
const COLUMNS: [(&str, &str); 10] = [
    ("heat.first_minute", "First minute"),
    ("heat.last_minute", "Last minute"),
    ("heat.kept", "Kept"),
    ("heat.throttle_steps", "Throttling steps"),
    ("heat.time_to_throttle", "Time to throttle"),
    ("temperature.max", "Highest temperature"),
    ("heat.warning_limit", "Warning limit"),
    ("heat.warning_minutes", "At or above warning limit"),
    ("heat.critical_limit", "Critical limit"),
    ("heat.critical_minutes", "At or above critical limit"),
];

/// The table, if a step of the test has a first and a last minute.
pub(crate) fn of_test(input: &ReportInput<'_>, test: &TestPlan) -> Option<Figure> {
    let long: Vec<_> =
        measured(test).filter(|step| input.analysis.step_metric(&step.id, "heat.kept").is_some()).collect();
    long.first()?;
    let mut columns = vec![Column::words("Step")];
    columns.extend(COLUMNS.iter().map(|(id, title)| {
        let unit = drivelab_analysis::metric_def(id).map_or("", |def| def.unit);
        Column { metric: (*id).to_owned(), ..Column::figures(title, unit_text(unit)) }
    }));
    let row = |step: &&drivelab_core::plan::Step| {
        let mut row = vec![cells::measured_cell(input, step)];
        row.extend(COLUMNS.iter().map(|(id, _)| cells::cell_of(input, step, id)));
        row
    };
    let rows = long.iter().map(row).collect();
    let table =
        Table { caption: format!("{}: first and last minute", test.title), columns, rows }.without_empty_columns();
    Some(Figure {
        title: "First and last minute".to_owned(),
        caption:
            "The last minute compared with the first. A drop of the rate counts as throttling if the drive did not get \
                  cooler while the rate was low; without temperature readings this is unknown."
                .to_owned(),
        chart: None,
        table,
        long: false,
    })
}
