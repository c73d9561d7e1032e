//! Loads on sets of files in words: the operation, the number and sizes of the files, and how they are accessed.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::units::Bytes;

use crate::words::load_parts::LoadWords;

/// The load in words.
pub(crate) fn words(load: &FileLoad, buffer: Bytes, threads: u32, direct: bool) -> LoadWords {
    let FileLoad { set, work, of, sync } = load;
    let what = match (work, of) {
        (FileWork::Create, _) => "files created",
        (FileWork::Copy, FilePlace::Source) => "files copied from the source",
        (FileWork::Copy, _) => "files copied within the drive",
        (FileWork::Read, FilePlace::Source) => "source files read",
        (FileWork::Read, _) => "files read",
        (FileWork::Verify, _) => "files read and checked",
        (FileWork::Delete, _) => "files deleted",
    };
    let synced = match sync {
        _ if work.reads() => "",
        FileSync::Each => ", each synced before it counts",
        FileSync::End => ", all synced at the end, within the measured time",
        FileSync::Never => ", not synced",
    };
    let plural = if threads == 1 { "" } else { "s" };
    let way = if direct { "direct I/O" } else { "without direct I/O" };
    let compress = set.compress_percent;
    LoadWords {
        load: format!(
            "{what}, one operation per file: {}, buffers of {buffer}, {threads} thread{plural}{synced}",
            law(set)
        ),
        data: format!("incompressible except for {compress} % of each 4 KiB, {way}"),
        span: format!("{} in total", set.bytes()),
        seed: set.seed.to_string(),
    }
}

/// Number and sizes.
fn law(set: &FileSet) -> String {
    let sizes = match set.sizes {
        FileSizes::Fixed { size } => format!("{size} each"),
        FileSizes::LogNormal { median, sigma_millionths } => {
            format!("log-normal sizes, median {median}, sigma {:.3}", f64::from(sigma_millionths) / 1e6)
        }
        FileSizes::LogUniform { smallest, largest } => format!("log-uniform sizes, {smallest} to {largest}"),
    };
    match set.total {
        Some(total) => format!("{} files, {sizes}, scaled to {total}", set.count),
        None => format!("{} files, {sizes}", set.count),
    }
}
