//! A disk that the user released, with its whole node locked. It becomes a target as it is, or after it was
//! partitioned, formatted or encrypted.
//!
//! Other programs may open it until a target is made of it: mkfs, cryptsetup and the kernel's partition code must.
//! Until then, only the lock keeps other runs of drivelab and udev away.

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

/// Most layers between a mapping and its disk that are followed.
const MOST_LAYERS: u32 = 16;

/// A disk or partition that the user released. The lock on its whole disk lasts as long as this value and every
/// target made of it.
#[derive(Debug)]
pub struct Released {
    node: BlockNode,
    decision: GuardDecision,
    length: Bytes,
    lock: File,
    /// Whether a write to it was allowed: its content from then on is the caller's own.
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

    /// Its identity.
    #[must_use]
    pub const fn node(&self) -> &BlockNode {
        &self.node
    }

    /// Why it may be written, with its identity and the content that was found on it.
    #[must_use]
    pub const fn decision(&self) -> &GuardDecision {
        &self.decision
    }

    /// Its length when it was released.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        self.length
    }

    /// Opens it exclusively and checks everything again: its users, its identity, its signatures.
    ///
    /// # Errors
    /// Anything that changed since it was released.
    pub fn into_target(self) -> Result<WritableTarget, GuardError> {
        let decided = self.decided()?;
        let held = patiently(|| {
            let held = hold::claim(&self.node)?;
            if hold::length_of(&held, &self.node)? != self.length {
                let by = "its size changed while drivelab checked it".to_owned();
                return Err(GuardError::Busy { path: self.node.path.clone(), by });
            }
            still_fit(&self.node, decided, &held)?;
            Ok(held)
        })?;
        finish(&self.node, held, self.length, self.decision.clone(), self.lock)
    }

    /// Checks everything again immediately before the first write, including its signatures, and nothing after the
    /// first write. A target made of it checks itself; this function is for callers that let another program write
    /// first (mkfs, cryptsetup).
    ///
    /// # Errors
    /// Anything that changed since it was released.
    pub fn before_first_write(&self) -> Result<(), GuardError> {
        if self.begun.load(Ordering::Relaxed) {
            return Ok(());
        }
        let decided = self.decided()?;
        patiently(|| still_fit(&self.node, decided, &hold::open_to_look(&self.node)?))?;
        self.begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Makes a target of a partition or of a mapping (dm, md) that lies on this disk and on nothing else, such as one
    /// that the caller created after the release. Its content counts as the caller's own. The disk's content does so
    /// only after the first write; before it, the disk is checked again.
    ///
    /// # Errors
    /// [`GuardError::Refused`] if it lies on anything else, or is in use; [`GuardError::Busy`] if another program has
    /// it open or claimed; content that appeared on the disk since it was released; system errors.
    pub fn authorise_on_top(&self, path: &Path) -> Result<WritableTarget, GuardError> {
        let refuse = |why: String| Err(GuardError::Refused { path: path.to_owned(), why });
        let Named::BlockDevice(node) = classify(path)? else {
            return Err(DeviceError::Unfit { path: path.to_owned(), what: "not a block device" }.into());
        };
        if !lies_only_on(&node.folder, &self.node, 0) {
            return refuse(format!(
                "{} does not lie on {} alone, which is the only released device. Nothing was touched",
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
                "it is {}, which lies on {} and on nothing else; the latter: {}",
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

/// The second handle needs no claim of its own: the first one keeps other programs out.
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

/// Whether everything below a device ends in the released one: itself, a partition of it, or devices over those.
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
