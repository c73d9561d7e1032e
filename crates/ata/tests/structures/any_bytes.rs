//! Bytes of any kind and any length: an answer or an error, never a panic. The corpus of the fuzz targets is replayed.
//!
//! `DRIVELAB_WRITE_CORPUS=1 cargo test -p drivelab-ata corpus` writes the pages anew after a change.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_ata::decoders;
use proptest::prelude::*;

use crate::pages::samples;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn the_corpus_begins_with_the_pages_of_the_tests() {
    let write = std::env::var_os("DRIVELAB_WRITE_CORPUS").is_some();
    for (decoder, name, page) in samples() {
        let file = corpus().join(decoder).join(name);
        if write {
            fs::create_dir_all(file.parent().expect("a folder")).unwrap();
            fs::write(&file, &page).unwrap();
        }
        let found = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(found == page, "{} is not the page of the tests: write it anew", file.display());
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

#[test]
fn every_page_is_read_at_every_length() {
    for (name, _, page) in samples() {
        let decode = decoders().iter().find(|decoder| decoder.name == name).expect(name).decode;
        assert!(decode(&page).is_ok(), "{name}");
        for length in 0..=page.len() {
            let _ = decode(&page[..length]);
        }
    }
}

#[test]
fn pages_of_one_repeated_byte_are_read() {
    for byte in 0..=u8::MAX {
        for length in [0, 1, 18, 22, 511, 512, 513, 1024] {
            for decoder in decoders() {
                let _ = (decoder.decode)(&vec![byte; length]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_of_any_length_are_read(bytes in prop::collection::vec(any::<u8>(), 0..1100)) {
        for decoder in decoders() {
            let _ = (decoder.decode)(&bytes);
        }
    }
}
