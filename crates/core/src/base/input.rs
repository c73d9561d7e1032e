//! The only place that opens files for reading if a user named them or can put them there. It also opens drivelab's
//! own files for writing if a user may have put something else in their place.
//!
//! Such a path may be a pipe without a writer, a device without an end, or an endless kernel file: none of them may
//! hang a command or fill its memory. Facts: open(2) of a FIFO waits for a writer unless O_NONBLOCK is given; on
//! regular files the flag has no effect.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file for reading.
///
/// # Errors
/// As for opening any file; [`ErrorKind::InvalidInput`] if it is not a regular file, with what it is.
pub fn open(path: &Path) -> Result<File> {
    // Checked before opening, because opening may activate a device, and after it, because the name may then refer to
    // another file.
    regular(std::fs::metadata(path)?.file_type())?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a regular file with these options, which may create it.
///
/// # Errors
/// As for opening any file; [`ErrorKind::InvalidInput`] if it is not a regular file, with what it is.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> Result<File> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        found => regular(found?.file_type())?,
    }
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = options.custom_flags(flags).open(path)?;
    regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// The content of a file of at most `most` bytes.
///
/// # Errors
/// As for [`open`]; [`ErrorKind::InvalidInput`] for a longer file.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = crate::units::Bytes::new(most);
        return Err(Error::new(ErrorKind::InvalidInput, format!("it is larger than {most}, the limit")));
    }
    Ok(bytes)
}

/// The content of a file of at most `most` bytes, as text.
///
/// # Errors
/// As for [`read`]; [`ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

fn regular(found: std::fs::FileType) -> Result<()> {
    let what = match found {
        found if found.is_file() => return Ok(()),
        found if found.is_dir() => "a folder",
        found if found.is_fifo() => "a pipe",
        found if found.is_socket() => "a socket",
        _ => "a device",
    };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a regular file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused_at_once_and_what_is_too_long_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        for (endless, what) in [(Path::new("/dev/zero"), "a device"), (Path::new("/"), "a folder"), (&pipe, "a pipe")] {
            let error = read(endless, 10).expect_err("it is no file");
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains(what), "{error}");
            let error = open_with(OpenOptions::new().write(true).create(true), endless).expect_err("it is no file");
            assert!(error.kind() == ErrorKind::InvalidInput && error.to_string().contains(what), "{error}");
        }
        let file = folder.path().join("file");
        open_with(OpenOptions::new().write(true).create(true), &file).expect("it is made");
        std::fs::write(&file, "0123456789").expect("a file");
        assert_eq!(read_text(&file, 10).expect("it is short enough"), "0123456789");
        assert_eq!(read(&file, 9).expect_err("it is too long").kind(), ErrorKind::InvalidInput);
        assert_eq!(open(&folder.path().join("none")).expect_err("it is not there").kind(), ErrorKind::NotFound);
    }
}
