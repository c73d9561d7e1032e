//! The user's consent to overwrite a block device: the flag, or model and serial number typed at a terminal.
//!
//! The question shows what would be lost. The typed answer is valid for the device that was shown and for no other:
//! the guard compares it with the present device afterwards. Without a terminal no question is asked, and the guard's
//! refusal names the flag.

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_core::target::DeviceIdentity;
use drivelab_device::BlockNode;
use drivelab_device::guard::{self, Destroy, Preview};

use crate::failure::{Failure, Result};
use crate::front::Front;
use crate::order::measurement::Order;
use crate::target::site;

/// The user's consent for the target of an order.
///
/// # Errors
/// A refusal of the guard that needs no consent, or an answer that does not match.
pub(crate) fn of(front: &dyn Front, order: &Order<'_>) -> Result<Destroy> {
    if order.under.is_some() {
        // The user consented before the conditions were set up.
        return Ok(Destroy::default());
    }
    match order.place()?.device() {
        Some(node) if site::changes(order.methodology, order.form) => {
            let destroy = for_device(front, node, order.destroy, order.yes || order.dry_run)?;
            Ok(match order.planned {
                Some(planned) => destroy.planned_for(planned.clone()),
                None => destroy,
            })
        }
        _ => Ok(Destroy::named(order.destroy)),
    }
}

/// The user's consent for a device that will be written: the flag if it is given, otherwise the typed answer; with
/// `quiet` no question is asked.
///
/// # Errors
/// As for the target of an order.
pub fn for_device(front: &dyn Front, node: &BlockNode, flag: Option<&Path>, quiet: bool) -> Result<Destroy> {
    if flag.is_some() || quiet || !front.can_ask() {
        return Ok(Destroy::named(flag));
    }
    let preview = guard::preview_device(node)?;
    let answer = front.ask(&what_would_be_lost(node, &preview))?;
    let wanted = words_of(&preview.identity);
    if answer.split_whitespace().ne(wanted.split_whitespace()) {
        return Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "refusing to write to {}: what was typed is not '{wanted}'. Nothing was touched",
                node.path.display()
            ),
        ));
    }
    let id = guard::id_of(&preview.identity).into();
    Ok(Destroy { id: Some(id), typed: true, planned: Some(preview.identity), shown: Some(preview.found) })
}

/// The text to type: model and serial number, or the kernel's name if there is no serial number.
fn words_of(identity: &DeviceIdentity) -> String {
    let id = guard::id_of(identity);
    identity.model.as_ref().map_or_else(|| id.to_owned(), |model| format!("{model} {id}"))
}

fn what_would_be_lost(node: &BlockNode, preview: &Preview) -> String {
    let Preview { identity, found, looked_at } = preview;
    let mut lines = vec![format!(
        "This overwrites {} ({}, {}).",
        node.path.display(),
        identity.model.as_deref().unwrap_or("no model"),
        drivelab_report::format::bytes(identity.capacity)
    )];
    if found.is_empty() {
        lines.push(format!("Nothing was found on it: {looked_at}."));
    } else {
        lines.push("What would be lost:".to_owned());
        lines.extend(found.iter().map(|found| format!("  {found}")));
        lines.push(format!("({looked_at}.)"));
    }
    let what = if identity.serial.is_some() { "its model and serial number" } else { "its name" };
    lines.push(format!("Type {what} to overwrite it, anything else to leave it unchanged: {}", words_of(identity)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::Bytes;

    use super::*;

    #[test]
    fn model_and_serial_are_asked_for_and_the_name_where_there_is_none() {
        let mut identity = DeviceIdentity {
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: "259:0".to_owned(),
            model: Some("Some SSD 2TB".to_owned()),
            serial: Some("S7X".to_owned()),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::GIB,
            diskseq: None,
            backing_file: None,
        };
        assert_eq!(words_of(&identity), "Some SSD 2TB S7X");
        identity.serial = None;
        assert_eq!(words_of(&identity), "Some SSD 2TB nvme0n1");
        identity.model = None;
        assert_eq!(words_of(&identity), "nvme0n1");
    }
}
