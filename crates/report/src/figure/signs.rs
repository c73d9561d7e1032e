//! What the signs of figures mean (lower bounds, disturbed figures, rates over busy time), and which figures have them.

use drivelab_analysis::rate;
use drivelab_core::metric::Metric;
use drivelab_core::plan::Step;

use crate::figure::input::ReportInput;
use crate::figure::table::Cell;

/// The explanation of rates of replays.
pub(crate) const BUSY: &str = "The throughput of a replay is over its busy time, which leaves out the pauses of the trace. Operations per \
                    second include the pauses.";

/// The explanation of each sign that occurs in what is shown, in this order.
pub(crate) fn explained<'e>(shown: &str, known: &[(&[char], &'e str)]) -> Vec<&'e str> {
    known.iter().filter(|(signs, _)| shown.contains(*signs)).map(|(_, says)| *says).collect()
}

/// Whether a rate of any of these steps is a lower bound.
pub(crate) fn has_lower_bound(input: &ReportInput<'_>, steps: &[&Step]) -> bool {
    let of_these = |metric: &&Metric| steps.iter().any(|step| metric.step.as_ref() == Some(&step.id));
    input.analysis.metrics.iter().filter(of_these).any(|metric| metric.lower_bound)
}

/// What the sign of a lower bound means.
pub(crate) const LOWER_BOUND: &str = "≥ marks a lower bound: drivelab or the host's CPU was the limit. The target can do at \
                                      least this much, and the latencies include waiting in the host.";

/// Whether something outside the test disturbed a figure of any of these steps.
pub(crate) fn has_disturbed(input: &ReportInput<'_>, steps: &[&Step]) -> bool {
    let of_these = |metric: &&Metric| steps.iter().any(|step| metric.step.as_ref() == Some(&step.id));
    input.analysis.metrics.iter().filter(of_these).any(|metric| metric.wrong.is_some())
}

/// What the marks of disturbed figures mean.
pub(crate) const DISTURBED: &str = "▲ ▼ ◆ mark figures disturbed by other programs that used the same disk or one \
                                    below it: undisturbed, the figure would be higher (▲), lower (▼) or different (◆).";

/// What the signs in these cells mean.
pub(crate) fn of_cells(cells: &[&Cell]) -> Vec<&'static str> {
    let known = [
        (cells.iter().any(|cell| cell.is_at_least()), LOWER_BOUND),
        (cells.iter().any(|cell| cell.wrong.is_some()), DISTURBED),
        (cells.iter().any(|cell| !cell.approximation.is_empty()), APPROXIMATED),
    ];
    known.into_iter().filter_map(|(there, says)| there.then_some(says)).collect()
}

/// What the sign of an approximation means.
pub(crate) const APPROXIMATED: &str =
    "≈ marks a figure with a parameter that the source does not state or that drivelab changed.";

/// What the signs in the figures of these steps mean; empty if there are none.
pub(crate) fn legend(input: &ReportInput<'_>, steps: &[&Step]) -> String {
    let busy = steps.iter().any(|step| rate::replays(step));
    let known = [(busy, BUSY), (has_lower_bound(input, steps), LOWER_BOUND), (has_disturbed(input, steps), DISTURBED)];
    known.into_iter().filter_map(|(there, says)| there.then_some(says)).collect::<Vec<_>>().join(" ")
}
