//! The words of each finding.

use drivelab_core::plan::Step;
use drivelab_core::workload::Workload;
use drivelab_samples::{on_files, sample_plan};

use super::*;
use crate::check::testing::in_words;

#[test]
fn each_finding_in_its_words() {
    let mut workload = Workload::default();
    on_files(&mut workload, FileWork::Copy, FilePlace::Source);
    let load = workload.files.as_deref().expect("files");
    let step = |label: &str| Step { label: label.to_owned(), ..sample_plan().tests[1].steps[0].clone() };
    let [read, copy, on_drive] = ["read the source", "copy to the drive", "copy on the drive"].map(step);
    let transfer = |step, mb_s: f64| Transfer { step, load, rate: mb_s * 1e6, keys: Vec::new() };
    let (read, copy, on_drive) = (transfer(&read, 750.0), transfer(&copy, 713.0), transfer(&on_drive, 801.0));
    insta::assert_snapshot!(in_words(&[
        source_limited(&copy, &read, SOURCE_SHARE, true),
        source_limited(&copy, &read, SOURCE_SHARE, false),
        copy_faster(&on_drive, &copy),
    ]));
}
