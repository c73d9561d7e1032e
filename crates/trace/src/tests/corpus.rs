//! The corpus of the readers' fuzz targets: every test run reads all of it, and the file `begin` of each format must be
//! a readable trace.

use std::path::Path;

use super::{all, surveyed};
use crate::format::Format;
use crate::survey::survey_of;

#[test]
fn the_corpus_of_every_format_is_replayed_without_a_panic() {
    for format in Format::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(format!("trace_{format}"));
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut begins = false;
        for file in files.flatten() {
            let bytes = std::fs::read(file.path()).unwrap();
            let seen = survey_of("t", bytes.as_slice(), Some(format), None);
            let _ = surveyed(&bytes, None);
            let _ = all(&String::from_utf8_lossy(&bytes), Some(format), None);
            if file.file_name() == "begin" {
                assert_eq!(surveyed(&bytes, None).unwrap().facts.format, format.name());
                begins = seen.is_ok_and(|seen| seen.facts.reads > 0 && seen.facts.writes > 0);
            }
        }
        assert!(begins, "{format}: no file `begin` with a read and a write");
    }
}
