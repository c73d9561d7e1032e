//! What is left out by name because it does not fit the target: tests in blocks smaller than the target's logical
//! block, and list entries for spans that are too large or block sizes that are too small.
//!
//! Must not know: what is known about drive and host beyond the size and the logical block of the target.

use drivelab_core::plan::LeftOut;
use drivelab_core::units::Bytes;

use crate::layers::Layers;
use crate::scope::Scope;
use crate::target::requires::too_coarse;
use crate::tree::value::{Amount, Located, Table, Value};
use crate::values::Pick;

/// A test that the target cannot run because of its logical block.
pub(crate) fn test(test: &Table, logical_block: Bytes) -> Option<LeftOut> {
    let reason = too_coarse(test.table("requires"), logical_block)?;
    Some(LeftOut { test: test.text("name").to_owned(), title: test.text("title").to_owned(), reason })
}

/// Leaves out and names combinations whose listed span is larger than the target, or whose listed block size is not
/// made of whole logical blocks. If none fits, all of them stay and are an error.
pub(crate) fn values(scope: &Scope<'_>, test: &Table, picks: &mut Vec<Pick<'_>>) -> Vec<LeftOut> {
    let usable = scope.usable;
    let mut out = Vec::new();
    if !scope.smoke() {
        out.extend(each(test, picks, "span", "spans larger than the target", |pick| is_beyond(pick, usable)));
    }
    let cached = |pick: &Pick<'_>| {
        let layers = Layers::new(scope.root(), test, pick.case, scope.base);
        let direct = picked(pick, "direct").or_else(|| layers.find("direct"));
        direct.is_some_and(|found| found.value == Value::Flag(false))
    };
    let coarse = |pick: &Pick<'_>| is_finer(pick, scope.shape.offset_align) && !cached(pick);
    let why = format!("block sizes that are not whole logical blocks of {}", scope.shape.offset_align);
    out.extend(each(test, picks, "block_size", &why, coarse));
    out
}

/// Leaves out the combinations that do not fit because of one value, unless none fits.
fn each<'t>(
    test: &Table,
    picks: &mut Vec<Pick<'t>>,
    key: &str,
    why: &str,
    unfit: impl Fn(&Pick<'t>) -> bool,
) -> Option<LeftOut> {
    if picks.iter().all(&unfit) {
        return None;
    }
    let mut out: Vec<String> = Vec::new();
    for pick in picks.iter().filter(|pick| unfit(pick)) {
        let name = picked(pick, key).map(|found| found.value.to_string()).unwrap_or_default();
        if !out.contains(&name) {
            out.push(name);
        }
    }
    picks.retain(|pick| !unfit(pick));
    (!out.is_empty()).then(|| LeftOut {
        test: test.text("name").to_owned(),
        title: test.text("title").to_owned(),
        reason: format!("{why}: {}", out.join(", ")),
    })
}

fn picked<'p>(pick: &'p Pick<'_>, key: &str) -> Option<&'p Located<Value>> {
    pick.values.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}

/// Whether the block size picked from a list is not a multiple of the logical block.
fn is_finer(pick: &Pick<'_>, logical_block: Bytes) -> bool {
    let size = picked(pick, "block_size").map(|found| &found.value);
    matches!(size, Some(Value::Size(size)) if !size.get().is_multiple_of(logical_block.get().max(1)))
}

/// Whether the span picked from a list is stated in bytes and ends beyond the target.
fn is_beyond(pick: &Pick<'_>, usable: Bytes) -> bool {
    let Some(Value::Extent(extent)) = picked(pick, "span").map(|found| &found.value) else { return false };
    let in_bytes = matches!(extent.length, Amount::Bytes(_));
    in_bytes && extent.offset.of(usable).saturating_add(extent.length.of(usable)) > usable.get()
}
