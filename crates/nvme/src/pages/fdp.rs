//! Flexible data placement: configurations, handles, statistics, events (Base 2.1; QEMU's controller has them).

use serde::Serialize;

use crate::reading::counter::Counter;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit, structure};

/// Bytes before the first configuration; bytes of a configuration before its handles; bytes of a handle.
const CONFIGURATIONS: usize = 16;
const CONFIGURATION: usize = 64;
const HANDLE: usize = 4;
/// Bytes before the first entry of the usage page, and of an entry.
const USAGE: usize = 8;
/// Bytes before the first event, and of an event.
const EVENTS: usize = 64;
const EVENT: usize = 64;
/// Bytes before the first status, and of a status.
const STATUSES: usize = 16;
const STATUS: usize = 32;

/// Whether data of a handle may be mixed when it is moved (RUHT; Base 2.1, Reclaim Unit Handle Descriptor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandleKind {
    /// 1: separate when written; garbage collection may mix it.
    InitiallyIsolated,
    /// 2: always separate.
    PersistentlyIsolated,
    /// A value that the specification reserves.
    Reserved(u8),
}

/// FDPA, byte 2 of a configuration (Base 2.1, FDP Configuration Descriptor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FdpAttributes {
    /// RGIF, bits 3:0: how many bits of a placement identifier name the reclaim group.
    pub reclaim_group_bits: u8,
    /// FDPVWC, bit 4: a volatile write cache remains in use.
    pub volatile_write_cache: bool,
    /// Valid, bit 7: the configuration can be used.
    pub valid: bool,
}

/// An FDP configuration (Base 2.1, FDP Configuration Descriptor).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FdpConfiguration {
    /// FDPA, byte 2.
    pub attributes: FdpAttributes,
    /// NRG, bytes 7:4: reclaim groups.
    pub reclaim_groups: u32,
    /// MAXPIDS, bytes 11:10: placement identifiers of a namespace; zero-based in the field, converted here.
    pub placement_identifiers: u32,
    /// NNSS, bytes 15:12: namespaces.
    pub namespaces: u32,
    /// RUNS, bytes 23:16: nominal size of a reclaim unit, bytes.
    pub reclaim_unit_bytes: u64,
    /// ERUTL, bytes 27:24: seconds for which a reclaim unit may stay open; 0 is not reported.
    pub time_limit_s: u32,
    /// NRUH (bytes 9:8) and the descriptors from byte 64: the reclaim unit handles.
    pub handles: Vec<HandleKind>,
}

/// FDP Configurations (LID 20h; Base 2.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FdpConfigurations {
    /// Size, bytes 7:4: size of the whole page, bytes.
    pub size_bytes: u32,
    /// The configurations, from 0.
    pub configurations: Vec<FdpConfiguration>,
}

impl FdpConfigurations {
    /// Bytes needed to know the length of the page.
    pub const HEAD: usize = CONFIGURATIONS;

    /// Length of the whole page, from its first bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn length(bytes: &[u8]) -> Result<usize, DecodeError> {
        let size = Fields::of("FDP configurations", bytes, CONFIGURATIONS)?.u32(4)?;
        Ok(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes, or descriptors that do not fit.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("FDP configurations", bytes, CONFIGURATIONS)?;
        // Bytes 1:0: the number of configurations, zero-based.
        let count = usize::from(fields.u16(0)?) + 1;
        let mut at = CONFIGURATIONS;
        let mut configurations = Vec::new();
        for number in 0..count {
            // Bytes 1:0 of a descriptor: its own size.
            let size = usize::from(fields.u16(at)?);
            if size < CONFIGURATION {
                let why =
                    format!("configuration {number} is stated to be {size} bytes long, but its header alone has 64");
                return Err(fields.odd(why));
            }
            configurations.push(configuration(&fields, &fields.part(at, size)?, number)?);
            at += size;
        }
        Ok(FdpConfigurations { size_bytes: fields.u32(4)?, configurations })
    }
}

fn configuration(page: &Fields<'_>, fields: &Fields<'_>, number: usize) -> Result<FdpConfiguration, DecodeError> {
    let (flags, handle_count) = (fields.u8(2)?, usize::from(fields.u16(8)?));
    if CONFIGURATION + handle_count * HANDLE > fields.len() {
        let (has, needs) = (fields.len(), CONFIGURATION + handle_count * HANDLE);
        let why =
            format!("configuration {number} has {handle_count} handles, which need {needs} bytes, but it has {has}");
        return Err(page.odd(why));
    }
    let handle = |number: usize| Ok(handle_kind(fields.u8(CONFIGURATION + number * HANDLE)?));
    Ok(FdpConfiguration {
        attributes: FdpAttributes {
            reclaim_group_bits: flags & 0xF,
            volatile_write_cache: bit(flags, 4),
            valid: bit(flags, 7),
        },
        reclaim_groups: fields.u32(4)?,
        placement_identifiers: u32::from(fields.u16(10)?) + 1,
        namespaces: fields.u32(12)?,
        reclaim_unit_bytes: fields.u64(16)?,
        time_limit_s: fields.u32(24)?,
        handles: (0..handle_count).map(handle).collect::<Result<_, DecodeError>>()?,
    })
}

fn handle_kind(raw: u8) -> HandleKind {
    match raw {
        1 => HandleKind::InitiallyIsolated,
        2 => HandleKind::PersistentlyIsolated,
        other => HandleKind::Reserved(other),
    }
}

/// How a handle is used (RUHA; Base 2.1, Reclaim Unit Handle Usage Descriptor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandleUse {
    /// 0: not used by a namespace.
    Unused,
    /// 1: named by the host.
    ByHost,
    /// 2: chosen by the controller.
    ByController,
    /// A value that the specification reserves.
    Reserved(u8),
}

/// Reclaim Unit Handle Usage (LID 21h; Base 2.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FdpHandleUsage {
    /// NRUH (bytes 1:0) and the descriptors of 8 bytes from byte 8.
    pub handles: Vec<HandleUse>,
}

impl FdpHandleUsage {
    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Fewer bytes than its handles need.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("reclaim unit handle usage", bytes, USAGE)?;
        let usage = |number: usize| {
            Ok(match fields.u8(USAGE + number * USAGE)? {
                0 => HandleUse::Unused,
                1 => HandleUse::ByHost,
                2 => HandleUse::ByController,
                other => HandleUse::Reserved(other),
            })
        };
        let handles = (0..usize::from(fields.u16(0)?)).map(usage).collect::<Result<_, DecodeError>>()?;
        Ok(FdpHandleUsage { handles })
    }
}

structure! {
    /// FDP Statistics (LID 22h; Base 2.1).
    FdpStatistics, "FDP statistics", 64 {
        /// HBMW, bytes 15:0: bytes that hosts wrote, metadata included.
        host_bytes_written: Counter = counter(0);
        /// MBMW, bytes 31:16: bytes written to the media, metadata included.
        media_bytes_written: Counter = counter(16);
        /// MBE, bytes 47:32: bytes of media erased.
        media_bytes_erased: Counter = counter(32);
    }
}

structure! {
    /// An FDP event (LID 23h; Base 2.1, FDP Event).
    FdpEvent, "FDP event", 64 {
        /// Type, byte 0: 0 reclaim unit not fully written, 1 time limit passed, 2 handles changed by a reset, 3 invalid
        /// placement identifier, 80h media reallocated, 81h handle changed by the controller.
        kind: u8 = u8(0);
        /// FDPEF and PID, bytes 1 and 3:2: the placement identifier; valid if bit 0 of the flags is set.
        placement_identifier: Option<u16> = each(|fields: &Fields<'_>| when(fields, 0, fields.u16(2)?));
        /// Timestamp, bytes 9:4: milliseconds since the controller's reset, or since 1970 if the host set it.
        timestamp_ms: u64 = u48(4);
        /// NSID, bytes 15:12; valid if bit 1 of the flags is set.
        namespace: Option<u32> = each(|fields: &Fields<'_>| when(fields, 1, fields.u32(12)?));
        /// RGID, bytes 33:32; valid if bit 2 of the flags (location) is set.
        reclaim_group: Option<u16> = each(|fields: &Fields<'_>| when(fields, 2, fields.u16(32)?));
        /// RUHID, byte 34; valid if bit 2 of the flags (location) is set.
        handle: Option<u8> = each(|fields: &Fields<'_>| when(fields, 2, fields.u8(34)?));
    }
}

/// A field that is valid only if a bit of the event's flags (byte 1) is set.
fn when<T>(fields: &Fields<'_>, number: u32, value: T) -> Result<Option<T>, DecodeError> {
    Ok(bit(fields.u8(1)?, number).then_some(value))
}

/// FDP Events (LID 23h; Base 2.1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FdpEvents {
    /// The events that the bytes hold, newest first.
    pub events: Vec<FdpEvent>,
}

impl FdpEvents {
    /// Size of the page with the most events that it can have: 63.
    pub const SIZE: usize = 4096;

    /// Decodes it from bytes: as many events as bytes 3:0 say.
    ///
    /// # Errors
    /// Fewer bytes than its events need.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("FDP events", bytes, EVENTS)?;
        let count = fields.u32(0)?;
        let room = (fields.len() - EVENTS) / EVENT;
        if usize::try_from(count).is_ok_and(|count| count > room) {
            return Err(fields.odd(format!("{count} events are announced, but the bytes hold {room}")));
        }
        let mut events = Vec::new();
        for number in 0..room.min(usize::try_from(count).unwrap_or(usize::MAX)) {
            events.push(FdpEvent::decode(fields.slice(EVENTS + number * EVENT, EVENT)?)?);
        }
        Ok(FdpEvents { events })
    }
}

structure! {
    /// The status of one placement handle (Base 2.1, section 7.3, Reclaim Unit Handle Status Descriptor).
    HandleStatus, "reclaim unit handle status", 32 {
        /// PID, bytes 1:0: placement identifier.
        placement_identifier: u16 = u16(0);
        /// RUHID, bytes 3:2: the handle.
        handle: u16 = u16(2);
        /// EARUTR, bytes 7:4: remaining seconds of its open reclaim unit; 0 is not reported.
        time_left_s: u32 = u32(4);
        /// RUAMW, bytes 15:8: blocks that still fit into its open reclaim unit.
        available_blocks: u64 = u64(8);
    }
}

/// Reclaim Unit Handle Status (I/O Management Receive, operation 1; Base 2.1, section 7.3).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HandleStatusList {
    /// NRUHSD (bytes 15:14) and the descriptors from byte 16.
    pub handles: Vec<HandleStatus>,
}

impl HandleStatusList {
    /// Bytes needed to know the number of handles.
    pub const HEAD: usize = STATUSES;

    /// Length of the whole answer, from its first bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn length(bytes: &[u8]) -> Result<usize, DecodeError> {
        let count = Fields::of("reclaim unit handle status", bytes, STATUSES)?.u16(14)?;
        Ok(STATUSES + usize::from(count) * STATUS)
    }

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Fewer bytes than its handles need.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("reclaim unit handle status", bytes, STATUSES)?;
        let handle = |number: usize| HandleStatus::decode(fields.slice(STATUSES + number * STATUS, STATUS)?);
        let handles = (0..usize::from(fields.u16(14)?)).map(handle).collect::<Result<_, _>>()?;
        Ok(HandleStatusList { handles })
    }
}
