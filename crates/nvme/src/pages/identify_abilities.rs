//! The capabilities that a controller reports: the bit fields of Identify Controller, one type each.
//!
//! Each keeps its raw word, because later revisions define bits that are reserved today.

use serde::Serialize;

use crate::reading::fields::bit;

/// A bit field as a table: name, type of the word, and for each bit its description, name and number.
macro_rules! flags {
    ($(#[$meta:meta])* $name:ident: $word:ty { $($(#[$about:meta])* $field:ident = $bit:literal;)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub struct $name {
            /// The word as it was read, including reserved bits.
            pub raw: $word,
            $($(#[$about])* pub $field: bool,)*
        }

        impl $name {
            pub(crate) fn of(raw: $word) -> Self {
                $name { raw, $($field: crate::reading::fields::bit(raw, $bit),)* }
            }
        }
    };
}
pub(crate) use flags;

flags! {
    /// CMIC, byte 76: what the subsystem shares (Base, section 5.17.2.1).
    SharedUse: u8 {
        /// Bit 0: the subsystem may have more than one port.
        several_ports = 0;
        /// Bit 1: the subsystem may have two or more controllers.
        several_controllers = 1;
        /// Bit 2: the controller belongs to an SR-IOV virtual function.
        virtual_function = 2;
        /// Bit 3: asymmetric namespace access is reported.
        asymmetric_access = 3;
    }
}

flags! {
    /// CTRATT, bytes 99:96: controller attributes (Base, section 5.17.2.1; FDPS: Base 2.1; PLS, PMS: Base 2.3).
    ControllerAttributes: u32 {
        /// HIDS, bit 0: host identifiers of 128 bits.
        long_host_identifier = 0;
        /// NOPSPM, bit 1: background work in non-operational power states can be forbidden.
        non_operational_permissive = 1;
        /// NSETS, bit 2: NVM sets.
        nvm_sets = 2;
        /// RRLVLS, bit 3: read recovery levels.
        read_recovery_levels = 3;
        /// EGS, bit 4: endurance groups.
        endurance_groups = 4;
        /// PLM, bit 5: predictable latency mode.
        predictable_latency = 5;
        /// TBKAS, bit 6: keep-alive by traffic.
        traffic_keep_alive = 6;
        /// NG, bit 7: namespace granularity.
        namespace_granularity = 7;
        /// SQA, bit 8: associations of submission queues.
        queue_associations = 8;
        /// ULIST, bit 9: a list of UUIDs.
        uuid_list = 9;
        /// MDS, bit 10: several domains.
        several_domains = 10;
        /// FCM, bit 11: fixed capacity management.
        fixed_capacity = 11;
        /// VCM, bit 12: variable capacity management.
        variable_capacity = 12;
        /// ELBAS, bit 15: extended block formats.
        extended_block_formats = 15;
        /// HMBR, bit 17: the host memory buffer can be kept from non-operational states.
        memory_buffer_restriction = 17;
        /// FDPS, bit 19: flexible data placement.
        flexible_data_placement = 19;
        /// PLS, bit 20: a power limit can be set.
        power_limit = 20;
        /// PMS, bit 21: the controller measures its power.
        power_measurement = 21;
    }
}

/// CNTRLTYPE, byte 111: what kind of controller it is (Base, section 5.17.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControllerKind {
    /// Not reported: before NVMe 1.4.
    NotReported,
    /// One that does I/O.
    Io,
    /// One that lists other controllers.
    Discovery,
    /// One that is only for administration.
    Administrative,
    /// A value that the specification reserves.
    Reserved(u8),
}

impl ControllerKind {
    pub(crate) fn of(raw: u8) -> Self {
        match raw {
            0 => ControllerKind::NotReported,
            1 => ControllerKind::Io,
            2 => ControllerKind::Discovery,
            3 => ControllerKind::Administrative,
            other => ControllerKind::Reserved(other),
        }
    }
}

flags! {
    /// OACS, bytes 257:256: optional admin commands (Base, section 5.17.2.1).
    AdminCommands: u16 {
        /// Bit 0: Security Send and Receive.
        security = 0;
        /// Bit 1: Format NVM.
        format = 1;
        /// Bit 2: Firmware Commit and Image Download.
        firmware = 2;
        /// Bit 3: Namespace Management and Attachment.
        namespace_management = 3;
        /// Bit 4: Device Self-test.
        self_test = 4;
        /// Bit 5: Directives.
        directives = 5;
        /// Bit 6: NVMe-MI Send and Receive.
        management_interface = 6;
        /// Bit 7: Virtualization Management.
        virtualization = 7;
        /// Bit 8: Doorbell Buffer Config.
        doorbell_buffer = 8;
        /// Bit 9: Get LBA Status.
        block_status = 9;
        /// Bit 10: Command and Feature Lockdown.
        lockdown = 10;
    }
}

flags! {
    /// ONCS, bytes 521:520: optional I/O commands (Base, section 5.17.2.1).
    IoCommands: u16 {
        /// Bit 0: Compare.
        compare = 0;
        /// Bit 1: Write Uncorrectable.
        write_uncorrectable = 1;
        /// Bit 2: Dataset Management, which includes Deallocate (TRIM).
        dataset_management = 2;
        /// Bit 3: Write Zeroes.
        write_zeroes = 3;
        /// Bit 4: features can be saved and selected.
        save_features = 4;
        /// Bit 5: Reservations.
        reservations = 5;
        /// Bit 6: the Timestamp feature.
        timestamp = 6;
        /// Bit 7: Verify.
        verify = 7;
        /// Bit 8: Copy.
        copy = 8;
    }
}

flags! {
    /// FNA, byte 524: what Format NVM affects (Base, section 5.17.2.1).
    FormatAttributes: u8 {
        /// Bit 0: a format applies to all namespaces.
        formats_all = 0;
        /// Bit 1: a secure erase by format applies to all namespaces.
        erases_all = 1;
        /// Bit 2: cryptographic erase by format.
        crypto_erase = 2;
        /// Bit 3: the identifier FFFFFFFFh is *not* accepted by a format.
        all_namespaces_refused = 3;
    }
}

flags! {
    /// SANICAP, bytes 331:328: sanitize (Base, section 5.17.2.1). Bits 31:30 (NODMMAS) are not read.
    SanitizeAbilities: u32 {
        /// CES, bit 0: crypto erase.
        crypto_erase = 0;
        /// BES, bit 1: block erase.
        block_erase = 1;
        /// OWS, bit 2: overwrite.
        overwrite = 2;
        /// NDI, bit 29: "no-deallocate after sanitize" is refused.
        no_deallocate_inhibited = 29;
    }
}

impl SanitizeAbilities {
    /// Whether the drive can sanitize at all.
    #[must_use]
    pub fn any(&self) -> bool {
        self.crypto_erase || self.block_erase || self.overwrite
    }
}

flags! {
    /// LPA, byte 261: log page attributes (Base, section 5.17.2.1).
    LogAttributes: u8 {
        /// Bit 0: SMART per namespace.
        smart_per_namespace = 0;
        /// Bit 1: the page of commands and their effects.
        command_effects = 1;
        /// Bit 2: log pages can be read in parts and beyond 4 KiB.
        extended_data = 2;
        /// Bit 3: telemetry pages.
        telemetry = 3;
        /// Bit 4: the persistent event page.
        persistent_events = 4;
        /// Bit 5: the list of supported log pages, and pages 05h, 12h and 13h.
        supported_list = 5;
    }
}

/// FRMW, byte 260: firmware updates (Base, section 5.17.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FirmwareUpdates {
    /// The byte as it was read.
    pub raw: u8,
    /// Bit 0: slot 1 cannot be written.
    pub first_slot_read_only: bool,
    /// Bits 3:1: number of slots.
    pub slots: u8,
    /// Bit 4: firmware can be activated without a reset.
    pub activates_without_reset: bool,
}

impl FirmwareUpdates {
    pub(crate) fn of(raw: u8) -> Self {
        let slots = raw >> 1 & 0b111;
        FirmwareUpdates { raw, first_slot_read_only: bit(raw, 0), slots, activates_without_reset: bit(raw, 4) }
    }
}

/// VWC, byte 525: the volatile write cache (Base, section 5.17.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WriteCache {
    /// The byte as it was read.
    pub raw: u8,
    /// Bit 0: there is a volatile write cache.
    pub present: bool,
    /// Bits 2:1 are 3: one flush may cover all namespaces; `None` if the controller does not report it.
    pub flushes_all: Option<bool>,
}

impl WriteCache {
    pub(crate) fn of(raw: u8) -> Self {
        let flushes_all = match raw >> 1 & 0b11 {
            2 => Some(false),
            3 => Some(true),
            _ => None,
        };
        WriteCache { raw, present: bit(raw, 0), flushes_all }
    }
}
