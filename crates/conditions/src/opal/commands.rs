//! The commands for a locking range, word by word, and the stdin of each: no secret is ever in a command line, which
//! every user could read.
//!
//! Source: cryptsetup-luksFormat(8) and cryptsetup-erase(8) of version 2.7, and its src/cryptsetup.c: luksFormat
//! reads the range's key from stdin first (`--key-file -`, `--keyfile-size` bytes) and then the administrator's key
//! up to the end of a line; erase reads the administrator's key to the end of stdin. Not yet tried on hardware.

use drivelab_core::units::Bytes;

use super::key::AdminKey;
use crate::error::ConditionsError;
use crate::luks::{self, Key};
use crate::programs::CRYPTSETUP;

/// Bytes for stdin, zeroed when they are dropped.
struct Secret(Vec<u8>);

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.fill(0);
    }
}

/// The locking range in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// Number of the range: the partition's number, or 1 without a partition.
    pub(crate) range: u32,
    /// Bits of the key that unlocks it.
    pub(crate) key_bits: u32,
    /// Its start on the device that holds the header.
    pub(crate) data_offset: Bytes,
    /// Its length.
    pub(crate) length: Bytes,
}

fn format_arguments<'a>(node: &'a str, uuid: &'a str, key_bytes: &'a str) -> Vec<&'a str> {
    let mut arguments = vec!["luksFormat", "--batch-mode", "--type", "luks2", "--hw-opal-only", "--force-password"];
    arguments.extend(["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"]);
    arguments.extend(["--uuid", uuid, "--keyfile-size", key_bytes, "--key-file", "-", node]);
    arguments
}

/// The range's key, then the administrator's key as a line.
fn format_input(key: &Key, admin: &AdminKey) -> Secret {
    let mut input = Secret(Vec::with_capacity(key.bytes().len() + admin.bytes().len() + 1));
    input.0.extend(key.bytes());
    input.0.extend(admin.bytes());
    input.0.push(b'\n');
    input
}

fn erase_arguments(node: &str) -> Vec<&str> {
    vec!["erase", "--batch-mode", "--key-file", "-", node]
}

/// Sets up a locking range over the device and writes a LUKS2 header before it. If the drive has no owner, the
/// administrator's key becomes its owner's key.
///
/// # Errors
/// cryptsetup's error.
pub(crate) fn format(node: &str, uuid: &str, key: &Key, admin: &AdminKey) -> Result<(), ConditionsError> {
    let key_bytes = key.bytes().len().to_string();
    CRYPTSETUP.run(&format_arguments(node, uuid, &key_bytes), &format_input(key, admin).0).map(drop)
}

/// Erases the key of the range and so its data, and unlocks and removes the range.
///
/// # Errors
/// cryptsetup's error.
pub(crate) fn erase(node: &str, admin: &AdminKey) -> Result<(), ConditionsError> {
    CRYPTSETUP.run(&erase_arguments(node), admin.bytes()).map(drop)
}

/// The header as text, and the locking range in it.
///
/// # Errors
/// cryptsetup's error, or output that cannot be parsed.
pub(crate) fn header(node: &str) -> Result<(String, Header), ConditionsError> {
    let text = luks::dump(node)?;
    let read = parse(&text).ok_or_else(|| {
        ConditionsError::Host(format!(
            "the output of `cryptsetup luksDump {node}` about a locking range cannot be parsed: please report it, with \
             the output of `cryptsetup --version`"
        ))
    })?;
    Ok((text, read))
}

/// Parses the `luksDump` output for the one data segment.
fn parse(dump: &str) -> Option<Header> {
    Some(Header {
        range: luks::number_of(dump, luks::SEGMENTS, "OPAL segment number")?,
        key_bits: luks::number_of(dump, luks::SEGMENTS, "OPAL key")?,
        data_offset: Bytes::new(luks::number_of(dump, luks::SEGMENTS, "offset")?),
        length: Bytes::new(luks::number_of(dump, luks::SEGMENTS, "OPAL segment length")?),
    })
}

#[cfg(test)]
mod tests {
    //! Command lines word by word, and a header as cryptsetup 2.7 prints it according to its source: neither has been
    //! tried on hardware yet.

    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const DUMP: &str = "LUKS header information
Version:       \t2
UUID:          \t203907c7-bda3-4c54-88a9-e13b7db76428
Subsystem:     \tHW-OPAL
Requirements:  \topal

Data segments:
  0: hw-opal
\toffset: 16777216 [bytes]
\tlength: 1056964608 [bytes]
\tcipher: (no SW encryption)
\tHW OPAL encryption:
\t\tOPAL segment number: 1
\t\tOPAL key: 256 bits
\t\tOPAL segment length: 1056964608 [bytes]

Keyslots:
  0: luks2
\tKey:        256 bits
\tArea offset:32768 [bytes]
";

    /// An administrator's key from a file, as a user provides it.
    fn admin(text: &str) -> AdminKey {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        fs::write(&file, text).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
        AdminKey::read(&file).expect("a key")
    }

    #[test]
    fn a_header_of_a_range_is_read() {
        let header =
            Header { range: 1, key_bits: 256, data_offset: Bytes::new(16 << 20), length: Bytes::new(1_056_964_608) };
        assert_eq!(parse(DUMP), Some(header));
        for cut in 0..DUMP.len() {
            parse(DUMP.get(..cut).unwrap_or_default());
        }
        assert_eq!(parse(&DUMP.replace("OPAL segment number", "x")), None);
    }

    #[test]
    fn command_lines_hold_no_secret_and_stdin_holds_both_in_their_order() {
        assert_eq!(
            format_arguments("/dev/x1", "u-u", "64").join(" "),
            "luksFormat --batch-mode --type luks2 --hw-opal-only --force-password --pbkdf pbkdf2 \
             --pbkdf-force-iterations 1000 --uuid u-u --keyfile-size 64 --key-file - /dev/x1"
        );
        assert_eq!(erase_arguments("/dev/x1").join(" "), "erase --batch-mode --key-file - /dev/x1");
        let (key, admin) = (Key::random().expect("a key"), admin("only-mine\n"));
        let input = format_input(&key, &admin);
        assert_eq!(key.bytes().len(), 64, "what --keyfile-size says");
        assert_eq!(&input.0[..64], key.bytes());
        assert_eq!(&input.0[64..], b"only-mine\n");
        assert_eq!(admin.bytes(), b"only-mine", "erase reads to the end, so no line end is sent");
    }

    /// On a file, which cannot have a locking range: the real program refuses, whichever version it is, and its error
    /// contains no key.
    #[test]
    fn a_real_cryptsetup_refuses_what_has_no_opal_and_no_key_is_in_the_words() {
        if CRYPTSETUP.check().is_err() {
            drivelab_rig::skip("cryptsetup is not on this machine");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let image = folder.path().join("image");
        fs::File::create(&image).and_then(|file| file.set_len(64 << 20)).expect("an image");
        let node = image.to_str().expect("a path");
        let (key, admin) = (Key::random().expect("a key"), admin("only-mine"));
        let uuid = uuid::Uuid::now_v7().to_string();
        for error in [
            format(node, &uuid, &key, &admin).expect_err("no locking range lies on a file"),
            erase(node, &admin).expect_err("and none can be erased"),
        ] {
            assert!(matches!(error, ConditionsError::Program { .. }), "{error}");
            assert!(!error.to_string().contains("only-mine"), "{error}");
        }
        assert!(fs::read(&image).expect("an image").iter().all(|byte| *byte == 0), "it is as it was");
    }
}
