//! Pages assembled field by field at the specification's offsets: bases of the tables, and the corpus.

use drivelab_nvme::decoder;

use crate::rows::Decode;

/// A page of zeros to write fields into.
#[derive(Clone)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    pub(crate) fn zeros(size: usize) -> Self {
        Bytes(vec![0; size])
    }

    pub(crate) fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub(crate) fn u16(self, at: usize, value: u16) -> Self {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u32(self, at: usize, value: u32) -> Self {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u64(self, at: usize, value: u64) -> Self {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn u128(self, at: usize, value: u128) -> Self {
        self.put(at, &value.to_le_bytes())
    }

    /// Text that fills its field with blanks, as drives do.
    pub(crate) fn text(self, at: usize, length: usize, text: &str) -> Self {
        let padded = format!("{text:length$}");
        self.put(at, padded.as_bytes())
    }
}

/// The decoder of this name, with errors as text.
pub(crate) fn decode(name: &'static str) -> Box<Decode> {
    let decoder = decoder(name).unwrap_or_else(|| panic!("there is no decoder {name}"));
    Box::new(move |bytes| (decoder.decode)(bytes).map_err(|error| error.to_string()))
}

/// A controller with two power states, as a consumer drive reports it.
pub(crate) fn identify_controller() -> Vec<u8> {
    let page = Bytes::zeros(4096)
        .u16(0, 0x144D)
        .u16(2, 0x144D)
        .text(4, 20, "S3ESNX0J219064Y")
        .text(24, 40, "Samsung SSD 960 EVO 250GB")
        .text(64, 8, "2B7QCXE7")
        .put(73, &[0x38, 0x25, 0x00])
        .put(77, &[9])
        .u32(80, 0x0001_0200)
        .u16(256, 0x0007)
        .put(263, &[1])
        .put(265, &[1])
        .u16(266, 350)
        .u16(268, 352)
        .u128(280, 250_059_350_016)
        .u32(516, 1)
        .u16(520, 0x001F)
        .put(525, &[1])
        .text(768, 256, "nqn.2014.08.org.nvmexpress:144d144dS3ESNX0J219064Y");
    // 6.04 W, then 5 mW in 0.1 mW units with 1.2 ms and 8 ms of latency, not operational.
    let page = page.u16(2048, 604);
    page.u16(2080, 50).put(2083, &[3]).u32(2084, 1200).u32(2088, 8000).0
}

/// A namespace of 1 GiB in blocks of 512 bytes, with a second format of 4 KiB.
pub(crate) fn identify_namespace() -> Vec<u8> {
    let page = Bytes::zeros(4096).u64(0, 2_097_152).u64(8, 2_097_152).u64(16, 1_000).put(25, &[1]);
    page.put(128, &[0, 0, 9, 2]).put(132, &[8, 0, 12, 0]).u128(48, 1 << 30).0
}

/// A drive at 62 °C with two sensors, 62 and 88 °C (seed 004's 960 EVO).
pub(crate) fn smart() -> Vec<u8> {
    let page = Bytes::zeros(512).u16(1, 335).put(3, &[100, 10, 1]).u128(32, 1_000_000).u128(48, 2_000_000);
    let page = page.u128(64, 50_000_000).u128(80, 60_000_000).u128(112, 12).u128(128, 340).u128(144, 3);
    page.u16(200, 335).u16(202, 361).0
}

/// Two errors, and a third, unused entry.
pub(crate) fn error_log() -> Vec<u8> {
    let page = Bytes::zeros(192).u64(0, 2).u16(8, 1).u16(12, 0x4004).u64(16, 77).u32(24, 1);
    page.u64(64, 1).u16(72, 0xFFFF).u16(76, 0x8005).0
}

/// A short test that passed after an extended one that found an unreadable block; the rest unused.
pub(crate) fn self_test() -> Vec<u8> {
    let mut page = Bytes::zeros(564);
    for number in 0..20 {
        page = page.put(4 + number * 28, &[0x0F]);
    }
    let page = page.put(4, &[0x10]).u64(8, 100);
    page.put(32, &[0x27, 3, 0b1111]).u64(36, 90).u32(44, 1).u64(48, 4096).put(56, &[2, 0x81]).0
}

/// Slot 1 is active, slot 2 is next, slot 3 is empty.
pub(crate) fn firmware_slots() -> Vec<u8> {
    Bytes::zeros(512).put(0, &[0x21]).text(8, 8, "1.0").text(16, 8, "2.0").0
}

/// Nearly the pages that QEMU has.
pub(crate) fn supported_logs() -> Vec<u8> {
    let page = Bytes::zeros(1024);
    [0x00, 0x01, 0x02, 0x03, 0x05, 0x09, 0x20].iter().fold(page, |page, number| page.u32(number * 4, 1)).0
}

/// A group that wrote 30 GB for 20 GB from the host.
pub(crate) fn endurance_group() -> Vec<u8> {
    Bytes::zeros(512).put(3, &[100, 10, 2]).u128(48, 10).u128(64, 20).u128(80, 30).u128(160, 1 << 40).0
}

/// One configuration with two handles, as QEMU makes it.
pub(crate) fn fdp_configurations() -> Vec<u8> {
    let page = Bytes::zeros(16 + 72).u16(0, 0).u32(4, 88);
    let page = page.u16(16, 72).put(18, &[0x80]).u32(20, 1).u16(24, 2).u16(26, 127).u32(28, 256);
    page.u64(32, 96 << 20).put(80, &[1]).put(84, &[2]).0
}

/// Four handles: used by the host, used by the controller, unused, reserved.
pub(crate) fn fdp_handle_usage() -> Vec<u8> {
    Bytes::zeros(8 + 32).u16(0, 4).put(8, &[1]).put(16, &[2]).put(32, &[9]).0
}

pub(crate) fn fdp_statistics() -> Vec<u8> {
    Bytes::zeros(64).u128(0, 4096).u128(16, 8192).u128(32, 16_384).0
}

/// A reallocation with its location, and an event without placement.
pub(crate) fn fdp_events() -> Vec<u8> {
    let page = Bytes::zeros(64 + 128).u32(0, 2);
    let page = page.put(64, &[0x80, 0b111]).u16(66, 5).u64(68, 0).put(68, &[1, 2, 3, 4, 5, 6]).u32(76, 1);
    page.u16(96, 7).put(98, &[3]).put(128, &[0x02, 0]).u16(130, 9).0
}

/// Two handles.
pub(crate) fn handle_status() -> Vec<u8> {
    let page = Bytes::zeros(16 + 64).u16(14, 2).u16(16, 0).u16(18, 1).u32(20, 60).u64(24, 24_576);
    page.u16(48, 1).u16(50, 2).u32(52, 0).u64(56, 100).0
}

/// A measurement that runs, with two bins.
pub(crate) fn power_measurement() -> Vec<u8> {
    let page = Bytes::zeros(64 + 16).put(1, &[4]).u16(2, 1).u32(4, 80).u32(8, 3600).u16(12, 2);
    let page = page.u16(24, 8).u16(26, 250).u16(28, 100).u32(40, 0x0002_0032).u32(44, 0x0002_0258).put(56, &[5]);
    page.u32(64, 3000).u32(68, 0x0001_0000).u32(72, 600).u32(76, 0x0001_09C4).0
}

pub(crate) const OCP_GUID: [u8; 16] =
    [0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF];

pub(crate) fn ocp_smart() -> Vec<u8> {
    Bytes::zeros(512).u128(0, 3 << 40).u128(16, 2 << 40).put(120, &[90]).u16(494, 3).put(496, &OCP_GUID).0
}

/// A block erase that is half done.
pub(crate) fn sanitize_status() -> Vec<u8> {
    let page = Bytes::zeros(512).u16(0, 0x8000).u16(2, 2).u32(4, 2).u32(8, u32::MAX).u32(12, 30).u32(16, 2);
    page.u32(20, u32::MAX).u32(24, u32::MAX).u32(28, u32::MAX).0
}

/// From state 0 to 3 after 100 ms, from 3 to 4 after 2 s.
pub(crate) fn autonomous_transitions() -> Vec<u8> {
    Bytes::zeros(256).u32(0, 100 << 8 | 3 << 3).u32(24, 2000 << 8 | 4 << 3).0
}

/// Opal 2, Pyrite's blocked owner, locking on and locked.
pub(crate) fn tcg_level_0() -> Vec<u8> {
    let mut page = vec![0; 48];
    page[7] = 1;
    let mut feature = |code: u16, body: &[u8]| {
        page.extend(code.to_be_bytes());
        page.extend([0x10, u8::try_from(body.len()).expect("short")]);
        page.extend(body);
    };
    feature(0x0001, &[0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    feature(0x0002, &[0x0F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut geometry = [0; 28];
    geometry[19] = 8;
    feature(0x0003, &geometry);
    feature(0x0203, &[0x10, 0, 0, 1, 0, 0, 4, 0, 8, 0, 0, 0, 0, 0, 0, 0]);
    feature(0x0402, &[0b10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let length = u32::try_from(page.len() - 4).expect("short");
    page[..4].copy_from_slice(&length.to_be_bytes());
    page.resize(2048, 0);
    page
}

/// TCG and IEEE 1667.
pub(crate) fn protocol_list() -> Vec<u8> {
    Bytes::zeros(512).put(6, &[0, 4]).put(8, &[0x00, 0x01, 0x02, 0xEE]).0
}

pub(crate) fn namespace_list() -> Vec<u8> {
    Bytes::zeros(4096).u32(0, 1).u32(4, 2).u32(8, 7).0
}

/// EUI64, UUID and command set.
pub(crate) fn namespace_identifiers() -> Vec<u8> {
    let page = Bytes::zeros(4096).put(0, &[1, 8]).put(4, &[0x00, 0x25, 0x38, 0x5B, 0x61, 0xB0, 0x2A, 0x4C]);
    page.put(12, &[3, 16]).put(16, &[0xAB; 16]).put(32, &[4, 1]).put(36, &[0]).0
}

/// Every decoder's pages: its name, the page's name, the bytes.
pub(crate) fn samples() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let power_state = identify_controller()[2080..2112].to_vec();
    vec![
        ("identify_controller", "consumer", identify_controller()),
        ("identify_namespace", "two-formats", identify_namespace()),
        ("namespace_list", "three", namespace_list()),
        ("namespace_identifiers", "three", namespace_identifiers()),
        ("power_state", "idle", power_state),
        ("smart", "two-sensors", smart()),
        ("error_log", "two", error_log()),
        ("self_test", "two", self_test()),
        ("firmware_slots", "two", firmware_slots()),
        ("supported_logs", "seven", supported_logs()),
        ("endurance_group", "one", endurance_group()),
        ("fdp_configurations", "two-handles", fdp_configurations()),
        ("fdp_handle_usage", "four", fdp_handle_usage()),
        ("fdp_statistics", "twice", fdp_statistics()),
        ("fdp_events", "two", fdp_events()),
        ("handle_status", "two", handle_status()),
        ("power_measurement", "two-bins", power_measurement()),
        ("ocp_smart", "version-3", ocp_smart()),
        ("sanitize_status", "half", sanitize_status()),
        ("autonomous_transitions", "two", autonomous_transitions()),
        ("host_memory_buffer", "64-mib", Bytes::zeros(4096).u32(0, 16_384).u32(12, 16).0),
        ("protocol_list", "tcg-and-1667", protocol_list()),
        ("tcg_level_0", "opal-2-locked", tcg_level_0()),
        ("capabilities", "960-evo", 0x00F0_0020_3C03_3FFF_u64.to_le_bytes().to_vec()),
    ]
}
