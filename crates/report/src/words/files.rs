//! Loads on sets of files in words: what is done, on how many files of which sizes, through what.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::units::Bytes;

use crate::words::load_parts::LoadWords;

/// The load in words.
pub(crate) fn words(load: &FileLoad, buffer: Bytes, threads: u32, direct: bool) -> LoadWords {
    let FileLoad { set, work, of, sync } = load;
    let what = match (work, of) {
        (FileWork::Create, _) => "files made",
        (FileWork::Copy, FilePlace::Source) => "files copied from the source",
        (FileWork::Copy, _) => "files copied on the drive",
        (FileWork::Read, FilePlace::Source) => "files of the source read",
        (FileWork::Read, _) => "files read",
        (FileWork::Verify, _) => "files read and checked",
        (FileWork::Delete, _) => "files deleted",
    };
    let synced = match sync {
        _ if work.reads() => "",
        FileSync::Each => ", each made durable before it counts",
        FileSync::End => ", all made durable at the end, inside the time",
        FileSync::Never => ", not made durable",
    };
    let plural = if threads == 1 { "" } else { "s" };
    let way = if direct { "direct I/O" } else { "without direct I/O" };
    let compress = set.compress_percent;
    LoadWords {
        load: format!(
            "{what}, one operation a file: {}, buffers of {buffer}, {threads} thread{plural}{synced}",
            law(set)
        ),
        data: format!("incompressible but for {compress} % of each 4 KiB, {way}"),
        span: format!("{} in all", set.bytes()),
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
