//! Pages put together word by word at the standards' places: bases of the tables, and the corpus.

use drivelab_ata::decoder;

use crate::rows::Decode;

/// A page of zeros that is written into.
#[derive(Clone)]
pub(crate) struct Page(pub(crate) Vec<u8>);

impl Page {
    pub(crate) fn zeros() -> Self {
        Page(vec![0; 512])
    }

    pub(crate) fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Word `number`.
    pub(crate) fn word(self, number: usize, value: u16) -> Self {
        self.put(number * 2, &value.to_le_bytes())
    }

    /// Four words from `number` on.
    pub(crate) fn quad(self, number: usize, value: u64) -> Self {
        self.put(number * 2, &value.to_le_bytes())
    }

    /// Text in `count` words from `number` on, the two letters of each swapped, as drives do.
    pub(crate) fn text(self, number: usize, count: usize, text: &str) -> Self {
        let width = count * 2;
        self.put(number * 2, &swapped(&format!("{text:width$}")))
    }

    /// The last byte such that all bytes add up to 0.
    pub(crate) fn sealed(mut self) -> Vec<u8> {
        self.0[511] = 0;
        let sum = self.0.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        self.0[511] = sum.wrapping_neg();
        self.0
    }
}

/// Letters in pairs, each pair the other way round.
pub(crate) fn swapped(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect()
}

/// The decoder of this name, with errors as text.
pub(crate) fn decode(name: &'static str) -> Box<Decode> {
    let decoder = decoder(name).unwrap_or_else(|| panic!("there is no decoder {name}"));
    Box::new(move |bytes| (decoder.decode)(bytes).map_err(|error| error.to_string()))
}

/// A SATA SSD of 250 GB with 6 Gb/s at 3 Gb/s, TRIM that reads zeros, security frozen.
pub(crate) fn identify() -> Page {
    let page =
        Page::zeros().text(10, 10, "S21PNXAG441016B").text(23, 4, "EMT02B6Q").text(27, 20, "Samsung SSD 850 EVO 250GB");
    let page = page.word(48, 0x4001).word(59, 0x7000).word(60, 0xFFFF).word(61, 0x0FFF).word(69, 0x4020);
    let page = page.word(75, 31).word(76, 0x010E).word(77, 0x0004).word(80, 0x03FC);
    let page =
        page.word(82, 0x0063).word(83, 0x7501).word(84, 0x4163).word(85, 0x0061).word(86, 0xB401).word(87, 0x4163);
    let page = page.word(89, 2).word(90, 4).quad(100, 488_397_168).word(106, 0x4000);
    let page = page.quad(108, 0x1234_A07B_5388_5002).word(128, 0x0029);
    page.word(168, 3).word(169, 1).word(209, 0x4000).word(217, 1)
}

/// Temperature, hours, reallocated and waiting sectors.
pub(crate) fn smart_data() -> Page {
    let attribute = |page: Page, number: usize, bytes: [u8; 12]| page.put(2 + number * 12, &bytes);
    let page = attribute(Page::zeros().word(0, 1), 0, [5, 0x33, 0, 100, 100, 0, 0, 0, 0, 0, 0, 0]);
    let page = attribute(page, 1, [9, 0x32, 0, 97, 97, 0x10, 0x27, 0, 0, 0, 0, 0]);
    let page = attribute(page, 2, [194, 0x22, 0, 66, 50, 34, 0, 19, 0, 50, 0, 0]);
    let page = attribute(page, 29, [197, 0x12, 0, 10, 9, 8, 0, 0, 0, 0, 1, 0]);
    page.put(363, &[0x13]).put(364, &[0x2C, 1]).put(372, &[2, 10])
}

/// Thresholds of 10 for 5, none for 9, 11 for 197.
pub(crate) fn smart_thresholds() -> Page {
    Page::zeros().put(2, &[5, 10]).put(14, &[9, 0]).put(26, &[194, 0]).put(2 + 29 * 12, &[197, 11])
}

/// A statistic that is there and counts.
pub(crate) fn statistic(value: u64) -> [u8; 8] {
    (value | 0b11 << 62).to_le_bytes()
}

pub(crate) fn general_statistics() -> Page {
    let page = Page::zeros().put(0, &[1, 0, 1]).put(8, &statistic(12)).put(16, &statistic(340));
    page.put(24, &statistic(1 << 40)).put(40, &statistic(1 << 41))
}

pub(crate) fn temperature_statistics() -> Page {
    Page::zeros().put(0, &[1, 0, 5]).put(8, &statistic(34)).put(32, &statistic(71)).put(40, &statistic(0xFB))
}

pub(crate) fn solid_state_statistics() -> Page {
    Page::zeros().put(0, &[1, 0, 7]).put(8, &statistic(3))
}

/// Every decoder's pages: its name, the page's name, the bytes.
pub(crate) fn samples() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let mut sense = vec![0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 14];
    sense.extend([0x09, 12, 0, 0, 0, 0, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0x50]);
    let fixed = vec![0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];
    vec![
        ("ata_identify", "ssd", identify().put(510, &[0xA5]).sealed()),
        ("ata_smart_data", "four", smart_data().sealed()),
        ("ata_smart_thresholds", "four", smart_thresholds().sealed()),
        ("ata_general_statistics", "four", general_statistics().0),
        ("ata_temperature_statistics", "three", temperature_statistics().0),
        ("ata_solid_state_statistics", "one", solid_state_statistics().0),
        ("ata_sense", "registers", sense),
        ("ata_sense", "unknown-command", fixed),
    ]
}
