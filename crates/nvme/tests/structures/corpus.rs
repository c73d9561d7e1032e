//! The corpus of the fuzz targets: started from the pages of these tests, replayed by every test run. Files named
//! `fuzzed-…` are some of the inputs that libFuzzer kept because they reached other code.
//!
//! `DRIVELAB_WRITE_CORPUS=1 cargo test -p drivelab-nvme corpus` rewrites the pages after a change.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_nvme::decoders;

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
        assert!(found == page, "{} is not the page of the tests: rewrite it", file.display());
    }
}

#[test]
fn the_corpus_is_replayed_without_a_panic() {
    for decoder in decoders() {
        for bytes in inputs(decoder.name) {
            let _ = (decoder.decode)(&bytes);
        }
    }
}

#[test]
fn the_replay_sees_inputs_that_each_decoder_takes_and_some_that_it_refuses() {
    for decoder in decoders() {
        let inputs = inputs(decoder.name);
        let taken = inputs.iter().filter(|bytes| (decoder.decode)(bytes).is_ok()).count();
        let refused = inputs.len() - taken;
        assert!(taken >= 1 && refused >= 1, "{}: {taken} taken, {refused} refused", decoder.name);
    }
}

/// All files of a decoder.
fn inputs(decoder: &str) -> Vec<Vec<u8>> {
    let folder = corpus().join(decoder);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files: Vec<_> = files.map(|file| fs::read(file.expect("an entry").path()).expect("a file")).collect();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}
