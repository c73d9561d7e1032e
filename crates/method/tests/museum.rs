//! The museum of bad input: each file below `museum/` is broken in a different way, and the file beside it is the
//! message that a user gets. A file whose first line is `# expand: FORM CAPACITY ALIGN` is correct until it is
//! expanded for that target.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

use std::path::Path;

use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;
use drivelab_method::{Diagnostics, SpeedGuess, TargetShape, expand, parse};

fn errors_of(name: &str, text: &str) -> Diagnostics {
    let first = text.lines().next().unwrap_or_default();
    let parsed = parse(name, text);
    let Some(target) = first.strip_prefix("# expand: ") else {
        return parsed.expect_err("a file of the museum is accepted");
    };
    let methodology = parsed.expect("a file that needs a target is sound without one");
    let words: Vec<&str> = target.split_whitespace().collect();
    let form = if words[0] == "faithful" { Form::Faithful } else { Form::Quick };
    let bytes = |text: &str| Bytes::new(text.parse().unwrap());
    let shape = TargetShape { capacity: bytes(words[1]), offset_align: bytes(words[2]), guess: SpeedGuess::default() };
    expand(&methodology, form, &shape).expect_err("a file of the museum is expanded")
}

#[test]
fn every_broken_file_says_where_and_what() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(files.len() >= 40, "the museum has lost files: {}", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let errors = errors_of(name, &text);
        let plain = errors.render(false);
        assert!(!errors.all().is_empty(), "{name}: an error without an error");
        assert_eq!(plain.matches(&format!("--> {name}:")).count(), errors.all().len(), "{name}: an error has no place");
        assert!(errors.render(true).contains('\u{1b}'), "{name}: no colour where colour was asked for");
        assert!(!plain.contains('\u{1b}'), "{name}: colour where none was asked for");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name.trim_end_matches(".toml"), plain));
    }
}
