//! Reads a range of a file or device completely, and distinguishes an unreadable block from other errors.

use std::io;
use std::os::fd::AsFd;

use rustix::io::{Errno, pread};

/// Reads from an offset until the buffer is full.
///
/// # Errors
/// The system's error, and `UnexpectedEof` if the file ends before.
pub(crate) fn read_all(file: impl AsFd, bytes: &mut [u8], from: u64) -> io::Result<()> {
    fill(bytes, from, |rest, at| pread(&file, rest, at))
}

/// Whether this error means that the device cannot read the data there: a damaged block (EIO, ENODATA), or one whose
/// protection information does not match (EILSEQ).
pub(crate) fn unreadable(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::NODATA | Errno::ILSEQ))
}

fn fill(
    bytes: &mut [u8],
    from: u64,
    mut read: impl FnMut(&mut [u8], u64) -> rustix::io::Result<usize>,
) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match read(&mut bytes[done..], from + done as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_end_and_not_beyond() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"0123456789").expect("room");
        let mut bytes = [0; 4];
        read_all(&file, &mut bytes, 6).expect("all of it");
        assert_eq!(&bytes, b"6789");
        let error = read_all(&file, &mut bytes, 7).expect_err("three bytes only");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_signal_and_a_short_answer_do_not_end_a_reading() {
        let mut answers = [Err(Errno::INTR), Ok(1), Err(Errno::INTR), Ok(3)].into_iter();
        let mut places = Vec::new();
        let mut bytes = [0; 4];
        let read = |rest: &mut [u8], at| {
            places.push((at, rest.len()));
            answers.next().unwrap_or(Ok(0))
        };
        fill(&mut bytes, 100, read).expect("all of it");
        assert_eq!(places, [(100, 4), (100, 4), (101, 3), (101, 3)]);
    }

    #[test]
    fn a_block_that_cannot_be_read_is_told_from_other_trouble() {
        let is = |errno: Errno| unreadable(&errno.into());
        assert!(is(Errno::IO) && is(Errno::NODATA) && is(Errno::ILSEQ));
        assert!(!is(Errno::NOMEM) && !is(Errno::NXIO));
        assert!(!unreadable(&io::ErrorKind::UnexpectedEof.into()));
    }
}
