//! The corpus of the fuzz targets for ATA: started from the pages below, replayed by every test run.
//!
//! `DRIVELAB_WRITE_CORPUS=1 cargo test -p drivelab-ata --test corpus` rewrites the pages after a change.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_ata::decoders;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// Word `number` of a page.
fn word(page: &mut [u8], number: usize, value: u16) {
    page[number * 2..number * 2 + 2].copy_from_slice(&value.to_le_bytes());
}

/// An SSD of 250 GB, by the words of IDENTIFY DEVICE.
fn identify() -> Vec<u8> {
    let mut page = vec![0; 512];
    for (first, count, text) in [(10, 10, "S21PNXAG441016B"), (23, 4, "EMT02B6Q"), (27, 20, "Samsung SSD 850 EVO")] {
        let padded = format!("{text:width$}", width = count * 2);
        for (at, pair) in padded.as_bytes().chunks(2).enumerate() {
            word(&mut page, first + at, u16::from_be_bytes([pair[0], pair[1]]));
        }
    }
    let words = [
        (48, 0x4001),
        (59, 0x7000),
        (69, 0x4020),
        (75, 31),
        (76, 0x010E),
        (77, 0x0004),
        (80, 0x03FC),
        (82, 0x0063),
        (83, 0x7501),
        (84, 0x4163),
        (85, 0x0061),
        (87, 0x4163),
        (100, 0x6030),
        (101, 0x1D1C),
        (106, 0x4000),
        (108, 0x5002),
        (128, 0x0029),
        (168, 3),
        (169, 1),
        (217, 1),
    ];
    words.into_iter().for_each(|(number, value)| word(&mut page, number, value));
    page
}

/// Pages by decoder and name.
fn samples() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let mut vpd = vec![0; 60];
    (vpd[1], vpd[2], vpd[3], vpd[56]) = (0x89, 2, 0x38, 0xEC);
    vpd.extend(identify());
    let mut smart = vec![0; 512];
    smart[2..14].copy_from_slice(&[194, 0x22, 0, 66, 50, 34, 0, 19, 0, 50, 0, 0]);
    smart[350..362].copy_from_slice(&[197, 0x12, 0, 10, 9, 8, 0, 0, 0, 0, 1, 0]);
    let mut thresholds = vec![0; 512];
    thresholds[2..4].copy_from_slice(&[5, 10]);
    let mut registers = vec![0x72, 0x01, 0x00, 0x1D, 0, 0, 0, 14];
    registers.extend([0x09, 12, 0, 0, 0, 0, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0x50]);
    let fixed = vec![0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];
    vec![
        ("ata_identify_device", "ssd", identify()),
        ("ata_information_vpd", "ssd", vpd),
        ("ata_smart_data", "two", smart),
        ("ata_smart_thresholds", "one", thresholds),
        ("ata_sense", "registers", registers),
        ("ata_sense", "unknown-command", fixed),
    ]
}

#[test]
fn the_corpus_begins_with_pages_that_decode() {
    let write = std::env::var_os("DRIVELAB_WRITE_CORPUS").is_some();
    for (name, page, bytes) in samples() {
        let file = corpus().join(name).join(page);
        if write {
            fs::create_dir_all(file.parent().expect("a folder")).unwrap();
            fs::write(&file, &bytes).unwrap();
        }
        let found = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(found == bytes, "{} is not the page of the tests: rewrite it", file.display());
        let decoder = decoders().iter().find(|decoder| decoder.name == name).expect(name);
        (decoder.decode)(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_corpus_is_replayed_without_a_panic() {
    for decoder in decoders() {
        let folder = corpus().join(decoder.name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let pages: Vec<Vec<u8>> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        assert!(!pages.is_empty(), "{} is empty", folder.display());
        for page in pages {
            let _ = (decoder.decode)(&page);
        }
    }
}
