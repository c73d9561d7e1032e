//! The corpus of the importers' fuzz targets: the initial file is imported, and every test run replays all files.

mod support;

use std::path::Path;

use drivelab_core::plan::Form;
use drivelab_interop::{Imported, Surroundings, Wrong, fio, vdbench};
use support::expanded;

type Import = fn(&str, &str, &Surroundings<'_>) -> Result<Imported, Wrong>;

#[test]
fn the_corpus_of_both_importers_is_replayed_without_a_panic() {
    for (target, import) in [("import_fio", fio::import as Import), ("import_vdbench", vdbench::import)] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut begins = false;
        for file in files.flatten() {
            let bytes = std::fs::read(file.path()).expect("a file of the corpus");
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            let around = Surroundings {
                variable: &|name| (name == "SIZE").then(|| "32m".to_owned()),
                include: &|file| if file.ends_with('x') { Err("not there".to_owned()) } else { Ok(text.to_owned()) },
            };
            let imported = import("imported", text, &around);
            if let Ok(imported) = &imported {
                let _ = drivelab_method::parse("imported.toml", &imported.toml);
            }
            if file.file_name() == "begin" {
                let plain = Surroundings { include: &|_| Ok("\n".to_owned()), ..around };
                let imported = import("imported", text, &plain).unwrap_or_else(|wrong| panic!("{target}: {wrong}"));
                expanded(&imported.toml, Form::Faithful);
                begins = true;
            }
        }
        assert!(begins, "{target}: no file `begin`");
    }
}
