//! The user's consent to overwrite a block device, and whether it names this device.
//!
//! An ID is the serial number, a udev name from `/dev/disk/by-id`, or the kernel's name if the device has no serial
//! number: kernel names change with every boot, so they must not refer to a drive that has a serial number.

use std::path::{Path, PathBuf};

use drivelab_core::target::DeviceIdentity;

use crate::block::identity::BY_ID;

/// The user's consent for one device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Destroy {
    /// The ID that the user named; without one nothing is written.
    pub id: Option<PathBuf>,
    /// Whether model and serial number were typed as an answer, instead of given with `--destroy`.
    pub typed: bool,
    /// The identity that the plan was made for, if the device was checked before: another device now is refused.
    pub planned: Option<DeviceIdentity>,
    /// The content that the question showed, if there was one: anything new is refused.
    pub shown: Option<Vec<String>>,
}

/// Result of comparing an ID with a device.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It names this device.
    This,
    /// Nothing was named.
    Nothing,
    /// It names another device: the name.
    Other(String),
}

impl Destroy {
    /// The value of `--destroy`, if it was given.
    #[must_use]
    pub fn named(id: Option<&Path>) -> Destroy {
        Destroy { id: id.map(Path::to_owned), ..Destroy::default() }
    }

    /// As before, for a plan that was made for this device.
    #[must_use]
    pub fn planned_for(mut self, identity: DeviceIdentity) -> Destroy {
        self.planned = Some(identity);
        self
    }

    /// Whether it names this device.
    #[must_use]
    pub fn names(&self, identity: &DeviceIdentity) -> bool {
        self.compare(identity) == Named::This
    }

    pub(super) fn compare(&self, identity: &DeviceIdentity) -> Named {
        let Some(id) = &self.id else { return Named::Nothing };
        let Some(text) = id.to_str() else { return Named::Other(id.display().to_string()) };
        let link = id.strip_prefix(BY_ID).ok().and_then(Path::to_str).unwrap_or(text);
        let by_serial = identity.serial.as_deref() == Some(text.trim());
        let by_link = identity.by_id.iter().any(|name| name == link);
        let kernel = text.strip_prefix("/dev/").unwrap_or(text);
        let by_kernel_name = identity.serial.is_none() && kernel == identity.name;
        if by_serial || by_link || by_kernel_name { Named::This } else { Named::Other(text.to_owned()) }
    }
}

/// The ID to type for this device: its serial number, or the kernel's name if it has none.
#[must_use]
pub fn id_of(identity: &DeviceIdentity) -> &str {
    identity.serial.as_deref().unwrap_or(&identity.name)
}

/// The flag to type for this device, quoted for a shell if necessary.
#[must_use]
pub fn flag_of(identity: &DeviceIdentity) -> String {
    let id = id_of(identity);
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_.:+,@/=".contains(sign);
    if id.chars().all(plain) { format!("--destroy {id}") } else { format!("--destroy '{}'", id.replace('\'', "'\\''")) }
}

/// The device as text: kernel name, model, serial number, size.
pub(super) fn describe(identity: &DeviceIdentity) -> String {
    let mut text = identity.name.clone();
    if let Some(model) = &identity.model {
        text = format!("{text}, {model}");
    }
    match &identity.serial {
        Some(serial) => text = format!("{text}, serial {serial}"),
        None => text.push_str(", without a serial number"),
    }
    format!("{text}, {}", identity.capacity.about())
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::Bytes;

    use super::*;

    fn identity(serial: Option<&str>) -> DeviceIdentity {
        DeviceIdentity {
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: "259:0".to_owned(),
            model: Some("A Model".to_owned()),
            serial: serial.map(str::to_owned),
            wwid: None,
            by_id: vec!["nvme-A_Model_S7X".to_owned()],
            capacity: Bytes::GIB,
            diskseq: None,
            backing_file: None,
        }
    }

    fn compare(id: &str, serial: Option<&str>) -> Named {
        Destroy::named(Some(Path::new(id))).compare(&identity(serial))
    }

    #[test]
    fn serial_and_link_name_a_device_and_the_kernels_name_only_one_without_a_serial() {
        for id in ["S7X", "nvme-A_Model_S7X", "/dev/disk/by-id/nvme-A_Model_S7X"] {
            assert_eq!(compare(id, Some("S7X")), Named::This, "{id}");
        }
        for id in ["nvme0n1", "/dev/nvme0n1", "S7", "s7x", "", "nvme-A_Model_S7X-part1", "A Model"] {
            assert_eq!(compare(id, Some("S7X")), Named::Other(id.to_owned()));
        }
        for id in ["nvme0n1", "/dev/nvme0n1", "nvme-A_Model_S7X"] {
            assert_eq!(compare(id, None), Named::This, "{id}");
        }
        assert_eq!(compare("nvme0n", None), Named::Other("nvme0n".to_owned()));
        assert_eq!(Destroy::default().compare(&identity(None)), Named::Nothing);
    }

    #[test]
    fn the_flag_is_what_a_shell_takes() {
        assert_eq!(flag_of(&identity(Some("S7X-1"))), "--destroy S7X-1");
        assert_eq!(flag_of(&identity(Some("A B'1"))), "--destroy 'A B'\\''1'");
        assert_eq!(flag_of(&identity(None)), "--destroy nvme0n1");
    }
}
