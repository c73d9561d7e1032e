//! Tests with a step for each pair of values of two parameters: the source of a table of rows and columns.

use super::{Step, StepRole, TestPlan};

/// Least number of values for each of the two parameters.
const LEAST_VALUES: usize = 3;

/// The steps of a test by two parameters, in the order of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid<'a> {
    /// The parameter of the rows and its values.
    pub rows: (&'a str, Vec<&'a str>),
    /// The parameter of the columns and its values.
    pub columns: (&'a str, Vec<&'a str>),
    /// A step for each pair.
    steps: Vec<&'a Step>,
}

impl<'a> Grid<'a> {
    /// The step of this pair of values.
    #[must_use]
    pub fn at(&self, row: &str, column: &str) -> Option<&'a Step> {
        let here = |step: &&&Step| value(step, self.rows.0) == Some(row) && value(step, self.columns.0) == Some(column);
        self.steps.iter().find(here).copied()
    }

    /// Every step of it.
    pub fn steps(&self) -> impl Iterator<Item = &'a Step> + '_ {
        self.steps.iter().copied()
    }
}

impl TestPlan {
    /// The test's measured loads as a table. A few loads may be outside the table: those with an unusual value of a
    /// third parameter (such as the writes before a table of mixes).
    #[must_use]
    pub fn grid(&self) -> Option<Grid<'_>> {
        let loads = self.steps.iter().filter(|step| step.role == StepRole::Measure && step.workload().is_some());
        let loads: Vec<&Step> = loads.collect();
        let mut names: Vec<&str> = Vec::new();
        for axis in loads.iter().flat_map(|step| &step.axes) {
            if !names.contains(&axis.axis.as_str()) {
                names.push(&axis.axis);
            }
        }
        let varies = |name: &&str| loads.iter().any(|step| value(step, name) != value(loads[0], name));
        let varying: Vec<&str> = names.into_iter().filter(varies).collect();
        let later = |at: usize| varying.iter().skip(at + 1);
        let mut pairs = varying.iter().enumerate().flat_map(|(at, row)| later(at).map(move |column| (*row, *column)));
        pairs.find_map(|(row, column)| {
            let others: Vec<&str> = varying.iter().copied().filter(|name| *name != row && *name != column).collect();
            table(&loads, row, column, &others)
        })
    }
}

/// The loads that have the most frequent value of every other parameter, if they are more than half of all loads and
/// there is one for each pair.
fn table<'a>(loads: &[&'a Step], row: &'a str, column: &'a str, others: &[&str]) -> Option<Grid<'a>> {
    let usual = |name: &&str| {
        let frequent = |one: &Option<&str>| loads.iter().filter(|step| value(step, name) == *one).count();
        loads.iter().map(|step| value(step, name)).max_by_key(frequent)
    };
    let usual: Vec<Option<Option<&str>>> = others.iter().map(usual).collect();
    let within = |step: &&&'a Step| others.iter().zip(&usual).all(|(name, usual)| Some(value(step, name)) == *usual);
    let steps: Vec<&Step> = loads.iter().filter(within).copied().collect();
    let (rows, columns) = (values(&steps, row)?, values(&steps, column)?);
    let mut pairs: Vec<_> = steps.iter().map(|step| (value(step, row), value(step, column))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let whole = rows.len() * columns.len() == steps.len() && pairs.len() == steps.len();
    let most = steps.len() * 2 > loads.len();
    let enough = rows.len().min(columns.len()) >= LEAST_VALUES;
    (whole && most && enough).then_some(Grid { rows: (row, rows), columns: (column, columns), steps })
}

fn value<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    step.axes.iter().find(|axis| axis.axis == name).map(|axis| axis.value.as_str())
}

/// The values that the steps have for a parameter, each once; `None` if a step has none.
fn values<'a>(steps: &[&'a Step], name: &str) -> Option<Vec<&'a str>> {
    let mut values: Vec<&str> = Vec::new();
    for step in steps {
        let value = value(step, name)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some(values)
}
