//! What of a methodology does not fit a target and is left out by name: tests in smaller blocks than it has, and the
//! larger ones of a list of spans.
//!
//! Must not know: what is known of drive and host beside the size and the logical block of the target.

use drivelab_core::plan::LeftOut;
use drivelab_core::units::Bytes;

use crate::expand::Scope;
use crate::sweep::Pick;
use crate::value::{Amount, Located, Table, Value};

/// Why a target with this logical block cannot do what `requires` asks for.
pub(crate) fn too_coarse(requires: Option<&Table>, logical_block: Bytes) -> Option<String> {
    let most = requires?.size("logical_block")?;
    (logical_block > most)
        .then(|| format!("it needs a logical block of at most {most}, and the target's is {logical_block}"))
}

/// A test that the target cannot do because of its logical block.
pub(crate) fn test(test: &Table, logical_block: Bytes) -> Option<LeftOut> {
    let reason = too_coarse(test.table("requires"), logical_block)?;
    Some(LeftOut { test: test.text("name").to_owned(), title: test.text("title").to_owned(), reason })
}

/// Leaves out combinations whose span, one of a list, is larger than the target, and says which; where none fits, all
/// of them stay, and are an error.
pub(crate) fn spans(scope: &Scope<'_>, test: &Table, picks: &mut Vec<Pick<'_>>) -> Option<LeftOut> {
    let usable = scope.usable;
    if scope.smoke() || !picks.iter().any(|pick| !is_beyond(pick, usable)) {
        return None;
    }
    let mut out: Vec<String> = Vec::new();
    for pick in picks.iter().filter(|pick| is_beyond(pick, usable)) {
        let name = span(pick).map(|found| found.value.to_string()).unwrap_or_default();
        if !out.contains(&name) {
            out.push(name);
        }
    }
    picks.retain(|pick| !is_beyond(pick, usable));
    (!out.is_empty()).then(|| LeftOut {
        test: test.text("name").to_owned(),
        title: test.text("title").to_owned(),
        reason: format!("of its spans those larger than the target: {}", out.join(", ")),
    })
}

fn span<'p>(pick: &'p Pick<'_>) -> Option<&'p Located<Value>> {
    pick.values.iter().find(|(key, _)| *key == "span").map(|(_, value)| *value)
}

/// Whether the span that was picked from a list is stated in bytes and ends behind the target.
fn is_beyond(pick: &Pick<'_>, usable: Bytes) -> bool {
    let Some(Value::Extent(extent)) = span(pick).map(|found| &found.value) else { return false };
    let in_bytes = matches!(extent.length, Amount::Bytes(_));
    in_bytes && extent.offset.of(usable).saturating_add(extent.length.of(usable)) > usable.get()
}
