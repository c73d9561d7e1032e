//! How often the steps of a test are executed: a fixed number of rounds, until steady state, or in search of a rate.
//!
//! Other repetitions are in `repeats`.

use drivelab_core::plan::{RateSearch, Rounds, Step, Tracked};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use crate::layers::Layers;
use crate::load::search;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::near::nearest;
use crate::tree::value::{Table, Value};

/// The rounds of a test with these steps; one in the smoke form.
pub(crate) fn rounds(
    scope: &Scope<'_>,
    test: &Table,
    layers: &Layers<'_>,
    steps: &[Step],
) -> Result<Rounds, Diagnostic> {
    if scope.smoke() {
        return Ok(Rounds::Fixed { count: 1 });
    }
    let fixed = match layers.find("rounds").map(|found| &found.value) {
        Some(Value::Whole(count)) => u32::try_from(*count).unwrap_or(1),
        _ => 1,
    };
    if let Some(search) = search::of(test) {
        let max = if layers.stated_by_form("rounds") { fixed.max(3) } else { search.max };
        return Ok(Rounds::FindRate(RateSearch { max, ..search }));
    }
    let Some(steady) = test.table("steady").filter(|_| !layers.stated_by_form("rounds")) else {
        return Ok(Rounds::Fixed { count: fixed });
    };
    if let (Some("step_by_step"), Some(order)) = (layers.word("order"), layers.find("order")) {
        let title = "`steady` and order = \"step_by_step\" exclude each other";
        let label = "steadiness is judged after each round of all steps";
        let error = Diagnostic::new(order.at.clone(), title, label);
        return Err(error.help("remove `order`, or say the number of rounds with `rounds` instead of `steady`"));
    }
    let step = match (steady.get("step"), steps) {
        (None, [only]) => only.id.clone(),
        (None, _) => {
            let title = "`steady` does not say which step is watched";
            let slugs: Vec<&str> = steps.iter().take(8).map(|step| step.id.slug()).collect();
            let error =
                Diagnostic::new(steady.at.clone(), title, "expected `step` with the second part of a step's id");
            return Err(error.help(format!("steps of the test: {}", slugs.join(", "))));
        }
        (Some(name), _) => {
            let wanted = steady.text("step");
            let found = steps.iter().find(|step| step.id.slug() == wanted);
            found.map(|step| step.id.clone()).ok_or_else(|| {
                let near = nearest(wanted, steps.iter().map(|step| step.id.slug()));
                let title = format!("'{}' has no step '{wanted}'", test.text("name"));
                Diagnostic::new(name.at.clone(), title, "expected the second part of a step's id").near(near)
            })?
        }
    };
    let tracked = match steady.text("tracked") {
        "throughput" => Tracked::Throughput,
        "latency_mean" => Tracked::LatencyMean,
        _ => Tracked::Iops,
    };
    let max = steady.whole("max_rounds").and_then(|max| u32::try_from(max).ok()).unwrap_or(25);
    let (least, most) = (steady.whole("min_passes"), steady.whole("max_passes"));
    if let (Some(low), Some(high), Some(entry)) = (least, most, steady.get("min_passes"))
        && low > high
    {
        let title = format!("`min_passes` of {low} is more than `max_passes` of {high}");
        return Err(Diagnostic::new(entry.at.clone(), title, format!("expected {high} or fewer")));
    }
    let passes = |count: u64| Bytes::new(written_to(steps).get().saturating_mul(count));
    Ok(Rounds::Steady { step, tracked, max, written: most.map(passes), at_least: least.map(passes) })
}

/// Bytes of the target that these steps write to, in whichever thread. Places that several threads write to count
/// once.
fn written_to(steps: &[Step]) -> Bytes {
    let writers = steps.iter().filter_map(Step::workload).flat_map(Workload::groups).filter(|load| load.writes());
    let mut spans: Vec<(u64, u64)> = writers.map(|load| (load.span.offset.get(), load.span.end())).collect();
    spans.sort_unstable();
    let (mut length, mut done) = (0u64, 0u64);
    for (from, to) in spans {
        length = length.saturating_add(to.saturating_sub(from.max(done)));
        done = done.max(to);
    }
    Bytes::new(length)
}
