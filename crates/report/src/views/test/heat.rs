//! What minutes of load made of the rates of a test, and the heat beside them, as a table.

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
    ("heat.throttle_steps", "Steps of throttling"),
    ("heat.time_to_throttle", "Time to throttle"),
    ("temperature.max", "Highest"),
    ("heat.warning_limit", "Warns from"),
    ("heat.warning_minutes", "At or above it"),
    ("heat.critical_limit", "Critical from"),
    ("heat.critical_minutes", "At or above it"),
];

/// The table, where a step of the test has a first and a last minute.
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
    let table = Table { caption: format!("{}: over minutes", test.title), columns, rows }.without_empty_columns();
    Some(Figure {
        title: "Over minutes".to_owned(),
        caption:
            "The last minute against the first. A fall of the rate counts as a step of throttling where the drive \
                  was no cooler than when it fell; without a thermometer nobody knows."
                .to_owned(),
        chart: None,
        table,
        long: false,
    })
}
