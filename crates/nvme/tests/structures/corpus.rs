//! The corpus of the fuzz targets: begun with the pages of these tests, replayed by every test run.
//!
//! `DRIVELAB_WRITE_CORPUS=1 cargo test -p drivelab-nvme corpus` writes the pages anew after a change.

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
        assert!(found == page, "{} is not the page of the tests: write it anew", file.display());
    }
}

#[test]
fn the_corpus_is_replayed_without_a_panic() {
    for decoder in decoders() {
        let folder = corpus().join(decoder.name);
        let files: Vec<_> =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).collect();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        for file in files {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            let _ = (decoder.decode)(&bytes);
        }
    }
}
