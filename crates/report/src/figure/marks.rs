//! The signs of one execution of a step, for views that show its records rather than the step's metrics.
//!
//! Knows the codes of the findings that mark figures.

use drivelab_analysis::{Analysis, metric_def};
use drivelab_core::ids::StepKey;
use drivelab_core::metric::{Better, Class, Metric, Wrong};

use crate::figure::input::ReportInput;
use crate::figure::signs::{DISTURBED, LOWER_BOUND};
use crate::figure::table::Cell;

/// The signs of one execution of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The step's rates are lower bounds.
    at_least: bool,
    /// In which direction its rates are wrong because something outside the test disturbed them.
    rates: Option<Wrong>,
    /// In which direction its times are wrong.
    times: Option<Wrong>,
}

impl Marks {
    /// The cell of a rate; an empty one has no sign.
    pub(crate) fn rate(self, text: impl Into<String>) -> Cell {
        let cell = Cell::text(text);
        let cell = if self.at_least && !cell.text.is_empty() { Cell::at_least(cell.text) } else { cell };
        cell.wrong(self.rates)
    }

    /// The cell of a latency, a response time or a number of waiting arrivals.
    pub(crate) fn time(self, text: impl Into<String>) -> Cell {
        Cell::text(text).wrong(self.times)
    }

    /// The signs of a figure computed from this execution and another.
    pub(crate) fn and(self, other: Marks) -> Marks {
        // If one of them certainly looks worse than it is, so does the result.
        let surer = |one: Option<Wrong>, other: Option<Wrong>| match (one, other) {
            (Some(Wrong::EitherWay) | None, Some(_)) => other,
            _ => one,
        };
        Marks {
            at_least: self.at_least || other.at_least,
            rates: surer(self.rates, other.rates),
            times: surer(self.times, other.times),
        }
    }

    /// What the signs mean, with a space before each sentence; empty if there are none.
    pub(crate) fn says(self) -> String {
        let disturbed = self.rates.is_some() || self.times.is_some();
        let known = [(self.at_least, LOWER_BOUND), (disturbed, DISTURBED)];
        known.into_iter().filter(|(there, _)| *there).map(|(_, says)| format!(" {says}")).collect()
    }
}

/// The findings that other programs used the disk during an execution, and whether its figures are certainly worse for
/// that.
const OTHERS: [(&str, bool); 2] = [("others_used_disk", true), ("others_perhaps", false)];

/// The signs of an execution. The sign of a lower bound is that of the whole step. The findings say which executions
/// other programs disturbed; if they name none of the step, every execution has the marks of its metrics.
pub(crate) fn of(input: &ReportInput<'_>, key: &StepKey) -> Marks {
    let Analysis { metrics, findings, .. } = input.analysis;
    let of_step: Vec<&Metric> = metrics.iter().filter(|metric| metric.step.as_ref() == Some(&key.step)).collect();
    let class = |metric: &Metric| metric_def(&metric.id).map(|def| def.meaning.class);
    let is_rate = |metric: &Metric| class(metric) == Some(Class::Rate);
    let is_time = |metric: &Metric| class(metric).is_some_and(Class::is_time);
    let wrong_of = |is: &dyn Fn(&Metric) -> bool| of_step.iter().filter(|one| is(one)).find_map(|one| one.wrong);
    let (rates, times) = (wrong_of(&is_rate), wrong_of(&is_time));
    let at_least = of_step.iter().any(|metric| metric.lower_bound);
    let names = |code: &str, is: &dyn Fn(&StepKey) -> bool| {
        findings.iter().any(|finding| finding.code == code && finding.steps.iter().any(is))
    };
    if !OTHERS.iter().any(|(code, _)| names(code, &|one| one.step == key.step)) {
        return Marks { at_least, rates, times };
    }
    let Some((_, worse)) = OTHERS.iter().find(|(code, _)| names(code, &|one| one == key)) else {
        return Marks { at_least, ..Marks::default() };
    };
    let wrong = |better: Better| if *worse { better.when_spoiled() } else { Wrong::EitherWay };
    // If the schedule was kept, the rate is the requested one, whoever used the disk.
    let as_asked = rates.is_none() && times.is_some() && of_step.iter().any(|one| is_rate(one) && one.value.is_some());
    Marks { at_least, rates: Some(wrong(Better::Higher)).filter(|_| !as_asked), times: Some(wrong(Better::Lower)) }
}
