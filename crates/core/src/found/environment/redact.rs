//! The environment without serial numbers and folder names, for a published page.
//!
//! Structs are destructured without `..`: a new field does not compile until someone decides whether it is published.

use std::path::PathBuf;

use super::{BlockDeviceFacts, Content, Environment, FileSource, FileSystemFacts, TargetFacts, TargetKind};
use crate::condition::{ConditionFacts, EncryptionFacts, HardwareFacts};
use crate::redact::{LEFT_OUT, last_part, whole};
use crate::target::{DeviceIdentity, GuardDecision, GuardedDevice};
use crate::watching_cost::WatchingCost;

impl Environment {
    /// Removes serial numbers and folder names. Returns the folders, so that they can be removed from messages too.
    pub fn redact(&mut self) -> Vec<PathBuf> {
        let Environment {
            target,
            testbed: _,
            guard,
            bundle_on_same_device: _,
            ceilings: _,
            watching_cost,
            probe,
            drive_facts: _,
            condition,
            source,
            content: _,
            data_sheet: _,
        } = self;
        let mut folders = Vec::new();
        let kind = target.kind;
        target.redact(&mut folders);
        if let Some(guard) = guard {
            redact_guard(guard, kind);
        }
        if let Some(probe) = probe {
            probe.redact();
        }
        if let Some(cost) = watching_cost {
            redact_cost(cost);
        }
        if let Some(condition) = condition {
            redact_condition(condition);
        }
        if let Some(source) = source {
            source.redact(&mut folders);
        }
        folders
    }
}

impl TargetFacts {
    fn redact(&mut self, folders: &mut Vec<PathBuf>) {
        let TargetFacts { path, kind: _, length: _, file_system, devices, direct_io: _, used_by, holes: _ } = self;
        last_part(path, "target", folders);
        if let Some(system) = file_system {
            system.redact(folders);
        }
        devices.iter_mut().for_each(redact_device);
        // These texts name mount points.
        used_by.iter_mut().for_each(|by| LEFT_OUT.clone_into(by));
    }
}

impl FileSource {
    fn redact(&mut self, folders: &mut Vec<PathBuf>) {
        let FileSource { path, file_system, devices } = self;
        // The user also chose the folder's own name.
        whole(path, folders);
        file_system.redact(folders);
        devices.iter_mut().for_each(redact_device);
    }
}

impl FileSystemFacts {
    /// Keeps a plain device (`/dev/nvme0n1p2`) and a source that is named after its type (`tmpfs`). The name of an
    /// export, a pool, a share or a mapping may identify its owner, and so may its mount options.
    fn redact(&mut self, folders: &mut Vec<PathBuf>) {
        let FileSystemFacts { kind, mount_point, source, options, total: _, free: _ } = self;
        whole(mount_point, folders);
        let device = source.strip_prefix("/dev/").is_some_and(|name| !name.contains('/'));
        let tells = !device && source != kind && source != "none";
        if tells {
            LEFT_OUT.clone_into(source);
        }
        let stays = |option: &&str| !(option.contains('/') || tells && option.contains('='));
        *options = options.split(',').filter(stays).collect::<Vec<_>>().join(",");
    }
}

fn redact_device(device: &mut BlockDeviceFacts) {
    let BlockDeviceFacts {
        name: _,
        partition: _,
        model: _,
        serial,
        firmware: _,
        capacity: _,
        transport: _,
        link: _,
        rotational: _,
        logical_block_size: _,
        physical_block_size: _,
        scheduler: _,
        nr_requests: _,
        write_cache: _,
        virtual_because: _,
        lies_on: _,
        passes_on: _,
        encrypts: _,
        request_size: _,
    } = device;
    *serial = None;
}

fn redact_guard(guard: &mut GuardDecision, kind: TargetKind) {
    let GuardDecision { allowed_because, destroy_named, device } = guard;
    *destroy_named = None;
    match kind.content() {
        Content::File => "the user named the file with --destroy".clone_into(allowed_because),
        Content::Device => "the user named the device".clone_into(allowed_because),
        Content::Scratch | Content::Nothing => {}
    }
    if let Some(device) = device {
        let GuardedDevice { identity, looked_at: _, overridden: _, held: _ } = &mut **device;
        redact_identity(identity);
    }
}

fn redact_identity(identity: &mut DeviceIdentity) {
    let DeviceIdentity {
        name: _,
        whole: _,
        number: _,
        model: _,
        serial,
        wwid,
        by_id,
        capacity: _,
        diskseq: _,
        backing_file,
    } = identity;
    (*serial, *wwid, *backing_file) = (None, None, None);
    by_id.clear();
}

fn redact_cost(cost: &mut WatchingCost) {
    let WatchingCost {
        measured: _,
        version: _,
        profile: _,
        kernel: _,
        device,
        sources: _,
        pairs: _,
        stretch: _,
        without: _,
        with: _,
    } = cost;
    redact_identity(device);
}

/// The log of what was done names devices and folders; headers of encrypted volumes contain a UUID.
fn redact_condition(condition: &mut ConditionFacts) {
    let ConditionFacts { asked: _, partition: _, file_system: _, encryption, hardware, power: _, done, series: _ } =
        condition;
    if let Some(encryption) = encryption {
        let EncryptionFacts {
            version: _,
            cipher: _,
            key_bits: _,
            sector_size: _,
            data_offset: _,
            flags: _,
            header,
            check: _,
        } = encryption;
        header.clear();
    }
    if let Some(hardware) = hardware {
        let HardwareFacts {
            version: _,
            range: _,
            key_bits: _,
            data_offset: _,
            length: _,
            header,
            owned_before: _,
            check: _,
            tried_on_hardware: _,
        } = hardware;
        header.clear();
    }
    done.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn file_system(mount_point: &str, source: &str, options: &str) -> Value {
        json!({
            "kind": "ext4", "mount_point": mount_point, "source": source, "options": options, "total": 1, "free": 1,
        })
    }

    fn environment() -> Environment {
        let device = json!({
            "name": "sda", "capacity": 1, "serial": "S-SECRET-1", "transport": "sata", "logical_block_size": 512,
            "physical_block_size": 512, "lies_on": [],
        });
        serde_json::from_value(json!({
            "target": {
                "path": "/media/secret/drive/scratch", "kind": "scratch_file", "length": 4096,
                "file_system": file_system("/media/secret", "server:/export/secret", "rw,addr=secret.example,hard"),
                "devices": [device], "used_by": ["/dev/sda is mounted at /media/secret (ext4)"],
                "direct_io": {"supported": true, "memory_align": 512, "offset_align": 512, "reason": "a test"},
            },
            "testbed": {"kernel": "6", "cpus": 2, "memory": 1, "load_average_1m": 0.0, "unknown": []},
            "guard": {"allowed_because": "a test", "destroy_named": "/media/secret/drive"},
            "bundle_on_same_device": false,
            "source": {
                "path": "/mnt/secret/films", "devices": [device],
                "file_system": file_system("/mnt/secret", "/dev/sda1", "rw,data=ordered,subvol=/secret"),
            },
        }))
        .unwrap()
    }

    #[test]
    fn nothing_is_left_of_folders_exports_and_serial_numbers_and_the_folders_are_given() {
        let mut redacted = environment();
        let folders = redacted.redact();
        let text = serde_json::to_string(&redacted).unwrap();
        assert!(!text.to_lowercase().contains("secret") && !text.contains("films"), "{text}");
        let wanted = ["/media/secret/drive", "/media/secret", "/mnt/secret/films", "/mnt/secret"];
        assert_eq!(folders, wanted.map(PathBuf::from));
        assert_eq!(redacted.target.path, PathBuf::from("scratch"));
    }

    #[test]
    fn what_the_kernel_calls_a_device_stays_and_what_says_whose_it_is_goes() {
        let of = |kind: &str, source: &str, options: &str| {
            let FileSource { file_system: mut system, .. } = *environment().source.unwrap();
            (system.kind, system.source, system.options) = (kind.to_owned(), source.to_owned(), options.to_owned());
            system.redact(&mut Vec::new());
            (system.source, system.options)
        };
        let kept = |source: &str, options: &str| (source.to_owned(), options.to_owned());
        assert_eq!(of("ext4", "/dev/nvme0n1p2", "rw,data=ordered"), kept("/dev/nvme0n1p2", "rw,data=ordered"));
        assert_eq!(of("tmpfs", "tmpfs", "rw,size=4k"), kept("tmpfs", "rw,size=4k"));
        assert_eq!(of("overlay", "overlay", "rw,lowerdir=/a"), kept("overlay", "rw"));
        assert_eq!(of("cifs", "//nas/anna", "rw,username=anna,soft"), kept(LEFT_OUT, "rw,soft"));
        assert_eq!(of("ext4", "/dev/mapper/luks-1234", "rw").0, LEFT_OUT);
        assert_eq!(of("zfs", "anna", "rw").0, LEFT_OUT);
    }
}
