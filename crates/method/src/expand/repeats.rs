//! Rounds that do not count, repeated sets, and what a rest follows.
//!
//! Must not know: steps, targets.

use drivelab_core::plan::{Repeats, RestAfter, Rounds};

use crate::layers::Layers;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::value::{Table, Value};

/// What is repeated besides the rounds of a test; nothing in the smoke form.
pub(crate) fn repeats(
    scope: &Scope<'_>,
    test: &Table,
    layers: &Layers<'_>,
    rounds: &Rounds,
) -> Result<Repeats, Diagnostic> {
    let number = |key: &str| match layers.find(key).map(|found| &found.value) {
        Some(Value::Whole(number)) => u32::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let (warm_up_rounds, sets) = (number("warm_up_rounds"), number("sets").max(1));
    let fixed = matches!(rounds, Rounds::Fixed { .. });
    let open = [("warm_up_rounds", warm_up_rounds > 0), ("sets", sets > 1)].into_iter().find(|(_, is)| *is && !fixed);
    if let (Some((key, _)), false) = (open, scope.smoke()) {
        let at = layers.find(key).map_or_else(|| test.at.clone(), |found| found.at.clone());
        let title = format!("`{key}` needs a fixed number of rounds, and '{}' has none", test.text("name"));
        let error = Diagnostic::new(at, title, "a steady test or a search ends by what it measures");
        return Err(error.help("state `rounds` in the test, or leave this out"));
    }
    let rest_after = match layers.word("rest_after") {
        Some("steps") => RestAfter::Steps,
        _ => RestAfter::Rounds,
    };
    if let (RestAfter::Steps, Some(found)) = (rest_after, layers.find("rest_after"))
        && layers.word("order") != Some("step_by_step")
    {
        let title = "`rest_after` = \"steps\" needs order = \"step_by_step\"";
        let label = "round by round, the rounds of a step do not follow each other";
        return Err(Diagnostic::new(found.at.clone(), title, label).about("order"));
    }
    if scope.smoke() {
        return Ok(Repeats::default());
    }
    Ok(Repeats { warm_up_rounds, sets, rest_after })
}
