//! Reads files that people write, up to a size that people write.

use std::io::Result;
use std::path::Path;

use drivelab_core::input;

/// Most bytes of a file that somebody wrote by hand. The longest built-in methodology has 60 KiB.
const MOST: u64 = 16 << 20;

/// The text of a file.
///
/// # Errors
/// As for [`read_bytes`]; also if the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    input::read_text(path, MOST)
}

/// The content of a file.
///
/// # Errors
/// As for reading any file; also if it is not a regular file (a device or a pipe may never end) or has more than 16
/// MiB.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    input::read(path, MOST)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn what_never_ends_and_what_nobody_wrote_is_refused() {
        for endless in ["/dev/zero", "/"] {
            let error = read_text(Path::new(endless)).expect_err("it is no file");
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{endless}: {error}");
        }
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(MOST).expect("its length");
        assert_eq!(read_text(file.path()).expect("its text").len() as u64, MOST);
        file.as_file().set_len(1 << 40).expect("its length");
        assert_eq!(read_text(file.path()).expect_err("it is too long").kind(), ErrorKind::InvalidInput);
    }
}
