//! A drive's support for TCG Opal: its optional commands (OACS bit 0), then its level 0 discovery (TCG Opal 2.01,
//! section 3.1.1).

use drivelab_device::BlockNode;
use drivelab_nvme::{Controller, Level0, Locking, SecurityClass, Transport};

use super::answer::Answer;
use crate::controller::Controllers;
use crate::error::ConditionsError;

/// Whether a drive can be set up for its own encryption now.
pub(crate) fn says_of_opal(node: &BlockNode) -> Answer {
    let controllers = Controllers::Kernel;
    if controllers.is_nvme(node).is_err() {
        return no(&format!("{} is not an NVMe drive, and other drives cannot be queried yet", node.whole));
    }
    match controllers.open(&node.path) {
        Ok(controller) => opal_of(&controller),
        Err(error) => no(&format!("it cannot be queried: {error}")),
    }
}

/// Whether the drive has an owner, which means that locking was activated with a password.
///
/// # Errors
/// It cannot be asked.
pub(crate) fn is_owned(controllers: &Controllers, node: &BlockNode) -> Result<bool, ConditionsError> {
    let known = "asking did not change its locking";
    let controller = controllers.open(&node.path).map_err(ConditionsError::controller(known))?;
    let level_0 = controller.tcg_level_0().map_err(ConditionsError::controller(known))?.decoded;
    Ok(level_0.locking.is_some_and(|locking| locking.enabled))
}

fn no(why: &str) -> Answer {
    Answer::No(format!("the drive ({why})"))
}

fn opal_of<T: Transport>(controller: &Controller<T>) -> Answer {
    let identity = match controller.identify_controller() {
        Ok(page) => page.decoded,
        Err(error) => return no(&format!("it cannot be queried: {error}")),
    };
    if !identity.admin_commands.security {
        return no("its OACS field reports no security commands");
    }
    let usable = match controller.tcg_level_0() {
        Ok(page) => usable(&page.decoded),
        Err(error) => return no(&format!("its level 0 discovery cannot be read: {error}")),
    };
    if usable == Answer::Yes {
        has_one_namespace(controller, identity.admin_commands.namespace_management)
    } else {
        usable
    }
}

/// Checks that the drive has only one namespace. Locking ranges belong to the drive and not to a namespace, and only
/// one namespace was released: resetting a range must not affect another one, attached or not.
fn has_one_namespace<T: Transport>(controller: &Controller<T>, managed: bool) -> Answer {
    let listed = if managed { controller.allocated_namespaces(0) } else { controller.active_namespaces(0) };
    match listed.map(|page| page.decoded.namespaces) {
        Ok(all) if all.len() <= 1 => Answer::Yes,
        Ok(all) => no(&format!("it has {} namespaces, and a locking range may reach into all of them", all.len())),
        Err(error) => no(&format!("its namespaces cannot be listed: {error}")),
    }
}

/// Whether a locking range can be set up in the drive's present state.
fn usable(level_0: &Level0) -> Answer {
    if !level_0.classes.iter().any(is_opal) {
        return no("its level 0 discovery does not list Opal");
    }
    let is = |what: fn(&Locking) -> bool| level_0.locking.as_ref().is_some_and(what);
    if is(|locking| locking.locked) {
        return no("it has a locked locking range: unlock it, or reset the drive with the PSID on its label");
    }
    if is(|locking| locking.mbr_enabled && !locking.mbr_done) {
        return no("it shows its shadow boot record instead of its first blocks: end that first, with its owner's key");
    }
    if !is(|locking| locking.enabled) && level_0.owner_blocked == Some(true) {
        return no(
            "the firmware of this machine blocked its owner's password until it loses power (Block SID): allow it \
                   in the firmware's settings, or attach the drive after the start",
        );
    }
    Answer::Yes
}

const fn is_opal(class: &SecurityClass) -> bool {
    matches!(class, SecurityClass::Opal1 | SecurityClass::Opal2)
}

#[cfg(test)]
mod tests {
    //! On recorded pages, built by the specification's offsets: not yet tried on hardware.

    use drivelab_nvme::{RecordedTransport, Recording, Request};

    use super::*;
    use crate::power::tests::pages::{IDENTIFY, THREE, identify};

    fn controller(security: bool) -> Controller<RecordedTransport> {
        let mut recording = Recording::default();
        recording.page(IDENTIFY, identify(&THREE, security));
        Controller::new(RecordedTransport::new(recording))
    }

    #[test]
    fn a_drive_without_security_commands_has_no_opal() {
        let answer = opal_of(&controller(false));
        assert!(matches!(&answer, Answer::No(why) if why.contains("OACS")), "{answer:?}");
        let answer = opal_of(&controller(true));
        assert!(matches!(&answer, Answer::No(why) if why.contains("level 0 discovery")), "{answer:?}");
    }

    #[test]
    fn a_drive_with_more_than_the_namespace_that_was_released_is_refused() {
        let mut opal = vec![0; 2048];
        opal[0..4].copy_from_slice(&64_u32.to_be_bytes());
        // The feature Opal SSC 2 (0203h; TCG Opal 2.01, section 3.1.1.5).
        opal[48..52].copy_from_slice(&[2, 3, 0x10, 16]);
        let answer = |managed: bool, cns: u8, namespaces: Option<u8>| {
            let mut page = identify(&THREE, true);
            page[256] |= u8::from(managed) << 3;
            let mut recording = Recording::default();
            recording.page(IDENTIFY, page);
            recording.page(Request::SecurityReceive { protocol: 1, specific: 1 }, opal.clone());
            if let Some(namespaces) = namespaces {
                let mut list = vec![0; 4096];
                (0..namespaces).for_each(|at| list[4 * usize::from(at)] = at + 1);
                recording.page(Request::Identify { cns, nsid: 0 }, list);
            }
            opal_of(&Controller::new(RecordedTransport::new(recording)))
        };
        let (active, allocated) = (2, 0x10);
        assert_eq!(answer(false, active, Some(1)), Answer::Yes);
        assert_eq!(answer(true, allocated, Some(1)), Answer::Yes);
        for (managed, cns, namespaces, word) in [
            (false, active, Some(2), "has 2 namespaces"),
            (true, allocated, Some(3), "has 3 namespaces"),
            // If the drive can manage namespaces, the attached ones are not all.
            (true, active, Some(1), "cannot be listed"),
            (false, active, None, "cannot be listed"),
        ] {
            let answer = answer(managed, cns, namespaces);
            assert!(matches!(&answer, Answer::No(why) if why.contains(word)), "{word}: {answer:?}");
        }
    }

    #[test]
    fn a_drive_whose_locks_stand_in_the_way_is_refused_with_the_reason() {
        let free = Level0 { classes: vec![SecurityClass::Opal2], ..Level0::default() };
        assert_eq!(usable(&free), Answer::Yes);
        let with = |locking: Locking| Level0 { locking: Some(locking), ..free.clone() };
        let owned = Locking {
            supported: true,
            enabled: true,
            locked: false,
            media_encrypted: true,
            mbr_enabled: false,
            mbr_done: false,
        };
        assert_eq!(usable(&with(owned)), Answer::Yes);
        let refused = |level_0: &Level0, word: &str| {
            let answer = usable(level_0);
            assert!(matches!(&answer, Answer::No(why) if why.contains(word)), "{word}: {answer:?}");
        };
        refused(&with(Locking { locked: true, ..owned }), "PSID");
        refused(&with(Locking { mbr_enabled: true, ..owned }), "shadow boot record");
        assert_eq!(usable(&with(Locking { mbr_enabled: true, mbr_done: true, ..owned })), Answer::Yes);
        refused(&Level0 { owner_blocked: Some(true), ..free.clone() }, "Block SID");
        assert_eq!(usable(&Level0 { owner_blocked: Some(true), ..with(owned) }), Answer::Yes, "its owner is known");
        refused(&Level0 { classes: vec![SecurityClass::Pyrite2], ..free.clone() }, "not list Opal");
    }
}
