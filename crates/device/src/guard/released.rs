//! A disk that the user released, its whole node locked: what becomes a target as it is, or after it was partitioned,
//! formatted or encrypted.
//!
//! Others may open it as long as no target was made of it: mkfs, cryptsetup and the kernel's partition code must. Only
//! the lock keeps other runs of drivelab and udev away until then.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use drivelab_core::target::{GuardDecision, GuardedDevice, GuardedParts, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::destroy::describe;
use super::error::{GuardError, system};
use super::fit::{nobody_relies_on, still_fit};
use super::hold::{self, patiently};
use super::in_use::Itself;
use super::{content, system_disk};
use crate::block::folders::whole_of;
use crate::block::identity::identity_of;
use crate::block::named::{Named, classify};
use crate::block::node::BlockNode;
use crate::block::readable::device_chain;
use crate::error::DeviceError;
use crate::place::direct::{self, Trial};
use crate::roots::{Roots, names};

/// More layers than this between a mapping and its disk are not followed.
const MOST_LAYERS: u32 = 16;

/// A disk or partition that the user released. The lock on its whole disk lasts as long as this and every target that
/// was made of it.
#[derive(Debug)]
pub struct Released {
    node: BlockNode,
    decision: GuardDecision,
    length: Bytes,
    lock: File,
    /// Whether something was let write to it: what it holds from then on is the caller's own.
    begun: AtomicBool,
}

impl Released {
    pub(super) const fn new(node: BlockNode, decision: GuardDecision, length: Bytes, lock: File) -> Released {
        Released { node, decision, length, lock, begun: AtomicBool::new(false) }
    }

    /// Its node.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.node.path
    }

    /// Which device it is.
    #[must_use]
    pub const fn node(&self) -> &BlockNode {
        &self.node
    }

    /// Why it may be written, with its identity and what was found on it.
    #[must_use]
    pub const fn decision(&self) -> &GuardDecision {
        &self.decision
    }

    /// Its length when it was released.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        self.length
    }

    /// Opens it exclusively and looks at everything again: its users, its identity, its signatures.
    ///
    /// # Errors
    /// What came since it was released.
    pub fn into_target(self) -> Result<WritableTarget, GuardError> {
        let decided = self.decided()?;
        let held = patiently(|| {
            let held = hold::claim(&self.node)?;
            if hold::length_of(&held, &self.node)? != self.length {
                let by = "its size changed while drivelab looked at it".to_owned();
                return Err(GuardError::Busy { path: self.node.path.clone(), by });
            }
            still_fit(&self.node, decided, &held)?;
            Ok(held)
        })?;
        finish(&self.node, held, self.length, self.decision.clone(), self.lock)
    }

    /// Looks at everything again right before the first write, its signatures too, and at nothing after it. A target
    /// that is made of it looks by itself; this is for who has another program write first (mkfs, cryptsetup).
    ///
    /// # Errors
    /// What came since it was released.
    pub fn before_first_write(&self) -> Result<(), GuardError> {
        if self.begun.load(Ordering::Relaxed) {
            return Ok(());
        }
        let decided = self.decided()?;
        patiently(|| still_fit(&self.node, decided, &hold::open_to_look(&self.node)?))?;
        self.begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Makes a target of a partition or of a mapping (dm, md) that lies on this disk and on nothing else, such as a
    /// caller made after the release. What it holds counts as the caller's own; what the disk holds does so only after
    /// the first time, before which it is looked at again.
    ///
    /// # Errors
    /// [`GuardError::Refused`] where it lies on anything else, or is in use; [`GuardError::Busy`] where somebody has it
    /// open or claimed; what came to be on the disk since it was released; what the system says.
    pub fn authorise_on_top(&self, path: &Path) -> Result<WritableTarget, GuardError> {
        let refuse = |why: String| Err(GuardError::Refused { path: path.to_owned(), why });
        let Named::BlockDevice(node) = classify(path)? else {
            return Err(DeviceError::Unfit { path: path.to_owned(), what: "no block device" }.into());
        };
        if !lies_only_on(&node.folder, &self.node, 0) {
            return refuse(format!(
                "{} does not lie on {} alone, which is all that was released. Nothing was touched",
                node.name, self.node.name
            ));
        }
        let below = self.decided()?;
        let (held, length, overridden) = patiently(|| {
            system_disk::refuse(&Roots::default(), &node)?;
            nobody_relies_on(&node, Itself::LeftOut)?;
            let held = hold::claim(&node)?;
            let length = hold::length_of(&held, &node)?;
            let found = content::signatures(&held, length).map_err(system("cannot read", &node.path))?;
            nobody_relies_on(&node, Itself::LeftOut)?;
            Ok((held, length, found))
        })?;
        self.before_first_write()?;
        let identity = identity_of(&node);
        let decision = GuardDecision {
            allowed_because: format!(
                "it is {}, which lies on {} and on nothing else; of that: {}",
                describe(&identity),
                self.node.name,
                self.decision.allowed_because
            ),
            destroy_named: self.decision.destroy_named.clone(),
            device: Some(Box::new(GuardedDevice {
                identity,
                looked_at: format!("below it, before it was set up: {}", below.looked_at),
                overridden: below.overridden.iter().cloned().chain(overridden).collect(),
                held: below.held.clone(),
            })),
        };
        let lock = self.lock.try_clone().map_err(system("cannot keep the lock of", &self.node.path))?;
        finish(&node, held, length, decision, lock)
    }

    fn decided(&self) -> Result<&GuardedDevice, GuardError> {
        self.decision.device.as_deref().ok_or_else(|| GuardError::Refused {
            path: self.node.path.clone(),
            why: "the decision about it names no device".to_owned(),
        })
    }
}

/// The second handle needs no claim of its own: the first one keeps everybody else out.
fn finish(
    node: &BlockNode,
    held: File,
    length: Bytes,
    decision: GuardDecision,
    lock: File,
) -> Result<WritableTarget, GuardError> {
    let direct = hold::open_to_write(&node.path, OFlags::DIRECT);
    if let Ok(direct) = &direct {
        hold::same_device(node, direct)?;
    }
    let logical_block = device_chain(&Roots::default(), node).first().map(|device| device.logical_block_size);
    let direct_io = direct::examine(&held, &direct, logical_block, Trial::Read);
    Ok(WritableTarget::from_guard(GuardedParts {
        path: node.path.clone(),
        direct: direct.ok().filter(|_| direct_io.supported).map(OwnedFd::from),
        buffered: held.into(),
        length,
        direct_io,
        decision,
        held: vec![lock.into()],
    }))
}

/// Whether everything below a device ends in this one: itself, a partition of it, or devices over those.
fn lies_only_on(folder: &Path, released: &BlockNode, layer: u32) -> bool {
    let (whole, partition) = whole_of(folder);
    if folder == released.folder || (partition.is_some() && whole == released.folder) {
        return true;
    }
    let slaves = whole.join("slaves");
    let below: Vec<PathBuf> =
        names(&slaves).into_iter().filter_map(|name| std::fs::canonicalize(slaves.join(name)).ok()).collect();
    layer < MOST_LAYERS && !below.is_empty() && below.iter().all(|below| lies_only_on(below, released, layer + 1))
}
