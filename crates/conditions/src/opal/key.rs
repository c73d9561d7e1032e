//! The key of a drive's administrator, in a file of the user: the drive keeps this key after the run, so it must
//! never be one that only drivelab knew.

use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Answer;
use crate::error::ConditionsError;

/// Longest key in bytes (OPAL_KEY_MAX of the kernel's include/uapi/linux/sed-opal.h).
const MOST: usize = 256;

/// A key in memory, erased with the value.
pub(crate) struct AdminKey(Vec<u8>);

impl Drop for AdminKey {
    fn drop(&mut self) {
        self.0.fill(0);
    }
}

impl AdminKey {
    /// The first line of a file that only its owner may read.
    ///
    /// # Errors
    /// [`ConditionsError::Wish`]: what is wrong with the file. No text contains the key.
    pub(crate) fn read(file: &Path) -> Result<AdminKey, ConditionsError> {
        let shown = file.display();
        let wrong = |why: String| ConditionsError::Wish(format!("--opal-admin-key {shown}: {why}"));
        let failed = |error: std::io::Error| wrong(format!("it cannot be read: {error}"));
        let facts = fs::metadata(file).map_err(failed)?;
        if !facts.is_file() {
            return Err(wrong("it is not an ordinary file".to_owned()));
        }
        if facts.mode() & 0o077 != 0 {
            let why = "users other than its owner may read or write it, so the key is not secret";
            return Err(wrong(format!("{why}: `chmod 600 {shown}` fixes that")));
        }
        let mut key = AdminKey(Vec::with_capacity(MOST + 2));
        let limit = u64::try_from(MOST + 2).unwrap_or(u64::MAX);
        drivelab_core::input::open(file).and_then(|file| file.take(limit).read_to_end(&mut key.0)).map_err(failed)?;
        if key.0.last() == Some(&b'\n') {
            key.0.pop();
        }
        if key.0.is_empty() || key.0.len() > MOST || key.0.contains(&b'\n') {
            return Err(wrong(format!("it must hold one line of 1 to {MOST} bytes, which is the key")));
        }
        Ok(key)
    }

    /// Its bytes, without the line end.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The absolute path of the key's file, as a later process finds it.
///
/// # Errors
/// [`ConditionsError::Wish`] if none was named, or if it cannot be found.
pub(crate) fn file(named: Option<&Path>) -> Result<PathBuf, ConditionsError> {
    let named = named.ok_or_else(|| ConditionsError::Wish(format!("the arm opal needs {NAME_ONE}")))?;
    let failed =
        |error| ConditionsError::Wish(format!("--opal-admin-key {}: it cannot be found: {error}", named.display()));
    fs::canonicalize(named).map_err(failed)
}

/// The message for a user who named no file.
const NAME_ONE: &str = "the key of the drive's administrator: name its file with --opal-admin-key FILE. The drive keeps that key after the \
     run (only the PSID on its label resets it), so it has to be a key that you have; drivelab generates none";

/// Whether there is a usable key.
pub(crate) fn answer(named: Option<&Path>) -> Answer {
    match (named, named.map(AdminKey::read)) {
        (None, _) | (_, None) => Answer::No(NAME_ONE.to_owned()),
        (_, Some(Err(error))) => Answer::No(format!("a usable key ({error})")),
        (_, Some(Ok(_))) => Answer::Yes,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn written(folder: &Path, text: &[u8], mode: u32) -> PathBuf {
        let file = folder.join("key");
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
        file
    }

    #[test]
    fn a_key_is_one_line_that_only_its_owner_may_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, key) in [(&b"secret-1\n"[..], &b"secret-1"[..]), (b"secret-1", b"secret-1"), (&[7; 256], &[7; 256])]
        {
            let file = written(folder.path(), text, 0o600);
            assert_eq!(AdminKey::read(&file).expect("a key").bytes(), key);
            assert_eq!(answer(Some(&file)), Answer::Yes);
        }
        for (text, mode, word) in [
            (&b"secret-1"[..], 0o640, "chmod 600"),
            (b"secret-1", 0o602, "chmod 600"),
            (b"", 0o600, "1 to 256"),
            (b"\n", 0o600, "1 to 256"),
            (b"secret-1\nsecret-1\n", 0o600, "one line"),
            (&[7; 257], 0o600, "1 to 256"),
            (&[7; 9000], 0o600, "1 to 256"),
        ] {
            let file = written(folder.path(), text, mode);
            let Err(error) = AdminKey::read(&file) else { panic!("{word}") };
            assert!(error.to_string().contains(word) && !error.to_string().contains("secret-1"), "{error}");
            assert!(matches!(answer(Some(&file)), Answer::No(why) if why.contains(word)));
        }
        assert!(AdminKey::read(folder.path()).is_err(), "a folder");
        assert!(AdminKey::read(&folder.path().join("none")).is_err());
    }

    #[test]
    fn no_key_is_asked_for_and_a_named_one_is_found_from_anywhere() {
        assert!(
            matches!(answer(None), Answer::No(why) if why.contains("--opal-admin-key FILE") && why.contains("PSID"))
        );
        assert!(file(None).expect_err("none").to_string().contains("--opal-admin-key FILE"));
        let folder = tempfile::tempdir().expect("a folder");
        let real = written(folder.path(), b"x", 0o600);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        assert_eq!(file(Some(&link)).expect("found"), fs::canonicalize(real).expect("a path"));
    }
}
