//! The table of the cost of each arm over all rounds.

use drivelab_analysis::arms::{ArmOverRounds, Arms};
use drivelab_core::metric::Wrong;

use crate::figure::format;
use crate::figure::table::{Cell, Column, Table};

/// The meaning of its columns.
pub(crate) const MEANING: &str = "over all rounds: mean rate of the arm's runs; cost compared with the runs of \
                                  the arm none in the same round, from the geometric mean of the ratios, with its \
                                  95 % interval (Student's t, from three rounds on); differs: whether the interval \
                                  excludes a cost of zero (empty if a rate of either arm is a bound or disturbed)";

/// A row for each arm of each step; `None` if each arm has one round.
pub(crate) fn table(arms: &Arms, repeat: bool) -> Option<Table> {
    if arms.over_rounds.is_empty() {
        return None;
    }
    let columns = vec![
        Column::words("Step"),
        Column::words("arm"),
        Column::figures("runs", ""),
        Column::figures("mean", "MB/s"),
        Column::figures("lowest", "MB/s"),
        Column::figures("highest", "MB/s"),
        Column::figures("cost", "%"),
        Column::figures("from", "%"),
        Column::figures("to", "%"),
        Column::words("differs"),
        Column::figures("CPU", "s/GB"),
    ];
    let rows = arms.over_rounds.iter().flat_map(|step| {
        step.arms.iter().enumerate().map(|(at, arm)| {
            let label = if at == 0 || repeat { step.label.clone() } else { String::new() };
            [vec![Cell::text(label)], cells(arm)].concat()
        })
    });
    let table = Table { caption: "Each arm over all rounds".to_owned(), columns, rows: rows.collect() };
    Some(table.without_empty_columns().with_dashes())
}

fn cells(arm: &ArmOverRounds) -> Vec<Cell> {
    let shown =
        |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(Cell::default, |one| Cell::text(text(one)));
    let rate = |value: Option<f64>| {
        let text = value.map(format::mb_s);
        let cell =
            text.map_or_else(Cell::default, |text| if arm.at_least { Cell::at_least(text) } else { Cell::text(text) });
        cell.wrong(arm.wrong)
    };
    let cost = arm.cost.as_ref();
    // A cost is of two rates: the interval does not hold what is wrong with either.
    let uncertain = cost.filter(|cost| cost.uncertain).map(|_| Wrong::EitherWay);
    let percent = |value: Option<f64>| {
        value.map_or_else(Cell::default, |value| Cell::text(format!("{:.1}", value + 0.0)).wrong(uncertain))
    };
    let difference = cost.and_then(drivelab_analysis::arms::PairedCost::no_difference_shown);
    vec![
        Cell::text(arm.arm.clone()),
        Cell::text(arm.runs.to_string()),
        rate(arm.throughput),
        rate(arm.range.map(|(least, _)| least)),
        rate(arm.range.map(|(_, most)| most)),
        percent(cost.map(|cost| cost.percent)),
        percent(cost.and_then(|cost| cost.low_percent)),
        percent(cost.and_then(|cost| cost.high_percent)),
        difference.map_or_else(Cell::default, |none| Cell::text(if none { "no" } else { "yes" })),
        shown(arm.cpu_s_per_gb, format::cpu_s_per_gb),
    ]
}
