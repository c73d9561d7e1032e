//! Runs under several arms side by side: which runs are arms of one drive, and their tables for every format.

use drivelab_analysis::arms::{ArmCell, ArmColumn, Arms, arms};
use drivelab_analysis::digest::Digest;
use drivelab_core::condition::{Arm, Condition, ConditionFacts};
use drivelab_core::environment::Environment;
use drivelab_core::metric::Wrong;
use drivelab_core::published::Bound;

use crate::figure::format;
use crate::figure::table::{Cell, Column, Table};
use crate::views::across::over_rounds;

/// The meaning of the columns, for every format.
const COST: &str = "cost: loss of MB/s compared with the mean of the runs of the arm none (for these runs: their \
                    difference from that mean)";
const OFF: &str = "±: uncertainty of the cost, from the 95 % intervals of the rounds and the differences between the \
                   runs of the arm none";
const POWER: &str = "power: average of the drive in the step";
const CPU: &str = "CPU: seconds of all CPUs per GB moved, by drivelab and other programs";

/// A row for each arm of each step; columns that are empty for every arm are left out. With `repeat` every row names
/// its step, for tables that are read aloud or copied.
pub(crate) fn steps_table(arms: &Arms, names: &[String], repeat: bool) -> Table {
    let columns = vec![
        Column::words("Step"),
        Column::words("arm"),
        Column::figures("rate", "MB/s"),
        Column::figures("rate", "IOPS"),
        Column::figures("cost", "%"),
        Column::figures("±", "%"),
        Column::figures("power", "W"),
        Column::figures("rate", "MB/s/W"),
        Column::figures("CPU", "s/GB"),
    ];
    let rows = arms.rows.iter().flat_map(|row| {
        row.cells.iter().zip(names).enumerate().map(|(at, (cell, name))| {
            let label = if at == 0 || repeat { row.label.clone() } else { String::new() };
            [vec![Cell::text(label), Cell::text(name.clone())], figure_cells(cell)].concat()
        })
    });
    let table = Table { caption: "Arms side by side".to_owned(), columns, rows: rows.collect() };
    table.without_empty_columns().with_dashes()
}

pub(crate) fn figure_cells(cell: &ArmCell) -> Vec<Cell> {
    // A figure divided by another one, or by that of another arm, may be wrong either way.
    let either = cell.wrong.map(|_| Wrong::EitherWay);
    let shown = |value: Option<f64>, text: fn(f64) -> String| {
        value.map_or_else(Cell::default, |one| Cell::text(text(one)).wrong(either))
    };
    let rate = |text: String| if cell.at_least { Cell::at_least(text) } else { Cell::text(text) }.wrong(cell.wrong);
    let percent = |value: f64| format!("{value:.1}");
    let bound = match cell.cost_bound {
        Some(Bound::AtLeast) => "≥ ",
        Some(Bound::AtMost) => "≤ ",
        None => "",
    };
    let cost = cell
        .cost_percent
        .map_or_else(Cell::default, |cost| Cell::text(format!("{bound}{}", percent(cost))).wrong(either));
    vec![
        cell.throughput.map_or_else(Cell::default, |value| rate(format::mb_s(value))),
        cell.iops.map_or_else(Cell::default, |value| rate(format::iops(value))),
        cost,
        shown(cell.cost_off_percent, percent),
        shown(cell.watts, |watts| format::value(watts, "W")),
        shown(cell.mb_s_per_watt, |rate| format::value(rate, "MB/s/W")),
        shown(cell.cpu_s_per_gb, format::cpu_s_per_gb),
    ]
}

/// The meaning of the columns that the tables have.
pub(crate) fn meaning(arms: &Arms) -> String {
    let any = |of: &dyn Fn(&ArmCell) -> bool| arms.rows.iter().flat_map(|row| &row.cells).any(of);
    let parts = [
        (any(&|cell| cell.cost_percent.is_some()), COST),
        (any(&|cell| cell.cost_off_percent.is_some()), OFF),
        (any(&|cell| cell.watts.is_some()), POWER),
        (any(&|cell| cell.cpu_s_per_gb.is_some()) || arms.arms.iter().any(|arm| arm.cpu_s_per_gb.is_some()), CPU),
        (any(&|cell| cell.at_least), "≥: lower bound, drivelab or the host's CPUs were the limit"),
        (any(&|cell| cell.cost_bound.is_some()), "≤ or ≥ before a cost: one of its two rates is a lower bound"),
        (
            any(&|cell| cell.wrong.is_some()),
            "▲ ◆: other programs used the disk; undisturbed, the figure would be higher (▲) or different (◆)",
        ),
        (!arms.over_rounds.is_empty(), over_rounds::MEANING),
    ];
    parts.into_iter().filter_map(|(there, words)| there.then_some(words)).collect::<Vec<_>>().join("; ")
}

/// The arms of one drive, for a page and Markdown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArmsView {
    /// The drive and the methodology.
    pub(crate) title: String,
    /// The steps, then each arm as a whole.
    pub(crate) tables: Vec<Table>,
    /// The meaning of the columns.
    pub(crate) meaning: String,
    /// The comparison.
    pub(crate) arms: Arms,
}

/// A run that may be one of several arms.
pub(crate) struct Member<'d> {
    /// Its letter.
    pub(crate) letter: String,
    /// What its drive is called.
    pub(crate) drive: String,
    /// Its digest.
    pub(crate) digest: &'d Digest,
}

/// The arms among comparable runs: all runs of each drive, in one data state and profile, that has several, at least
/// one of them of a command that measured arms.
pub(crate) fn views(runs: &[Member<'_>]) -> Vec<ArmsView> {
    let mut drives: Vec<(String, Vec<&Member<'_>>)> = Vec::new();
    for run in runs {
        let (drive, state) = (drive_key(&run.digest.run.environment), run.digest.condition().data_state);
        let drive = format!("{drive} {state} {}", run.digest.run.profile);
        match drives.iter_mut().find(|(known, _)| *known == drive) {
            Some((_, members)) => members.push(run),
            None => drives.push((drive, vec![run])),
        }
    }
    let is_arm = |digest: &Digest| {
        let facts = digest.run.environment.condition.as_ref();
        // A command with one arm only set up a data state or a partition.
        let one_arm = |facts: &ConditionFacts| facts.series.as_ref().is_some_and(|series| series.of <= series.rounds);
        let is_set = |asked: &Condition| asked.encryption != Arm::None || asked.power_state.is_some();
        facts.is_some_and(|facts| !one_arm(facts) || is_set(&facts.asked))
    };
    let several = drives.iter().map(|(_, members)| members);
    several
        .filter(|members| members.len() > 1 && members.iter().any(|member| is_arm(member.digest)))
        .map(|members| view(members))
        .collect()
}

/// The drive below encryption and partition: a cost is never relative to another drive.
pub(crate) fn drive_key(environment: &Environment) -> String {
    let devices = &environment.target.devices;
    let below = devices.iter().find(|device| device.transport != "device-mapper").or(devices.last());
    below.map_or_else(
        || environment.target.path.display().to_string(),
        |device| {
            let name = device.serial.as_ref().unwrap_or(&device.name);
            format!("{} {name} {}", device.model.as_deref().unwrap_or_default(), device.capacity.get())
        },
    )
}

fn view(members: &[&Member<'_>]) -> ArmsView {
    let arms = arms(&members.iter().map(|member| member.digest).collect::<Vec<_>>());
    let names: Vec<String> =
        members.iter().zip(&arms.arms).map(|(member, column)| format!("{}: {}", member.letter, column.arm)).collect();
    let title = members.first().map_or_else(String::new, |member| {
        let run = &member.digest.run;
        format!("{}, {}", member.drive, format!("{} {}", run.title, run.method.version).trim_end())
    });
    let columns = vec![
        Column::words("Arm"),
        Column::figures("idle power", "W"),
        Column::figures("CPU", "s/GB"),
        Column::words("Run"),
    ];
    let row = |(name, arm): (&String, &ArmColumn)| {
        let cpu = arm.cpu_s_per_gb.map_or_else(Cell::default, |cpu| Cell::text(format::cpu_s_per_gb(cpu)));
        let idle = arm.idle_watts.map_or_else(Cell::default, |watts| Cell::text(format::value(watts, "W")));
        vec![Cell::text(name.clone()), idle, cpu, Cell::text(arm.run.to_string())]
    };
    let rows = names.iter().zip(&arms.arms).map(row).collect();
    let whole = Table { caption: "Each arm over all its steps".to_owned(), columns, rows };
    let mut tables = vec![steps_table(&arms, &names, true), whole.without_empty_columns().with_dashes()];
    // The main result first: the cost of each arm over all rounds.
    over_rounds::table(&arms, true).into_iter().for_each(|table| tables.insert(0, table));
    ArmsView { title, tables, meaning: meaning(&arms), arms }
}
