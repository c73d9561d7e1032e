//! Arms side by side for a terminal: a line for each arm of each step.

use drivelab_analysis::arms::{ArmColumn, Arms, LEAST_CPU_MS};

use crate::figure::{format, wrap};
use crate::formats::columns::{LEAST_WIDTH, plain};
use crate::views::across::arms::{meaning, steps_table};
use crate::views::across::over_rounds;

/// The comparison in at most `width` columns: a line for each arm of each step.
#[must_use]
pub fn arms_table(arms: &Arms, width: usize) -> String {
    let names: Vec<String> = arms.arms.iter().map(|arm| arm.arm.clone()).collect();
    let table = steps_table(arms, &names, false);
    let width = width.max(LEAST_WIDTH);
    let mut lines = plain(&table, width);
    lines.push(String::new());
    if let Some(table) = over_rounds::table(arms, false) {
        lines.extend(plain(&table, width));
        lines.push(String::new());
    }
    lines.extend(arms.arms.iter().map(whole));
    lines.extend(wrap::lines(&meaning(arms), width));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn whole(arm: &ArmColumn) -> String {
    let cpu = arm.cpu_s_per_gb.map_or_else(
        || format!("CPU not recorded, or below {LEAST_CPU_MS} ms"),
        |cpu| format!("{} CPU s/GB in total", format::cpu_s_per_gb(cpu)),
    );
    let idle = arm.idle_watts.map_or_else(String::new, |watts| format!("{} W when idle, ", format::value(watts, "W")));
    format!("{}: {idle}{cpu}, run {}", arm.arm, arm.run)
}

#[cfg(test)]
mod tests;
