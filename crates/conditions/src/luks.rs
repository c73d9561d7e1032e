//! LUKS2 on dm-crypt through cryptsetup(8): command lines, and parsing the header.
//!
//! Parameters: research notes, methods section 7; cryptsetup-luksFormat(8), cryptsetup-open(8), the kernel's
//! admin-guide/device-mapper/dm-crypt. The key is 64 random bytes that exist only in this process and in a pipe. A
//! slow key derivation would protect nothing, because nobody types the key, so the fewest iterations are used.

use std::fs;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use drivelab_core::condition::Luks2;
use drivelab_core::units::Bytes;

use crate::error::ConditionsError;
use crate::kernel;
use crate::programs::{self, CRYPTSETUP};

/// Bytes of a LUKS2 header with its key slots, as cryptsetup makes it: 16 MiB.
pub(crate) const HEADER: u64 = 16 << 20;
/// The heading of `luksDump` for the position of the data.
pub(crate) const SEGMENTS: &str = "Data segments";
/// Bytes of the key.
const KEY: usize = 64;

/// A random key, erased with the value.
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// A key from the kernel's generator.
    pub(crate) fn random() -> Result<Key, ConditionsError> {
        let source = Path::new("/dev/urandom");
        let mut key = vec![0; KEY];
        let read = fs::File::open(source).and_then(|mut file| file.read_exact(&mut key));
        read.map_err(ConditionsError::system("cannot read", source))?;
        Ok(Key(key))
    }
}

impl Key {
    /// Its bytes, for a pipe.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.0.fill(0);
    }
}

/// The parsed header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) cipher: String,
    pub(crate) key_bits: u32,
    pub(crate) sector_size: u32,
    pub(crate) data_offset: Bytes,
}

fn format_arguments<'a>(node: &'a str, uuid: &'a str, sector: Option<&'a str>) -> Vec<&'a str> {
    let mut arguments = vec!["luksFormat", "--batch-mode", "--type", "luks2", "--cipher", "aes-xts-plain64"];
    arguments.extend(["--key-size", "512", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"]);
    arguments.extend(sector.iter().flat_map(|size| ["--sector-size", *size]));
    arguments.extend(["--uuid", uuid, "--key-file", "-", node]);
    arguments
}

/// Flags of the mapping, as cryptsetup names them.
pub(crate) fn flags(luks: &Luks2) -> Vec<&'static str> {
    let Luks2 { sector_size: _, no_read_workqueue, no_write_workqueue, same_cpu } = *luks;
    let all = [
        (no_read_workqueue, "--perf-no_read_workqueue"),
        (no_write_workqueue, "--perf-no_write_workqueue"),
        (same_cpu, "--perf-same_cpu_crypt"),
    ];
    all.into_iter().filter_map(|(wanted, flag)| wanted.then_some(flag)).collect()
}

fn open_arguments<'a>(node: &'a str, name: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["open", "--type", "luks2", "--key-file", "-"];
    arguments.extend(flags);
    arguments.extend([node, name]);
    arguments
}

/// Writes a new header.
pub(crate) fn format(node: &str, uuid: &str, luks: &Luks2, key: &Key) -> Result<(), ConditionsError> {
    let sector = luks.sector_size.map(|size| size.to_string());
    CRYPTSETUP.run(&format_arguments(node, uuid, sector.as_deref()), &key.0).map(drop)
}

/// Opens the mapping `name`; returns its node.
pub(crate) fn open(node: &str, name: &str, luks: &Luks2, key: &Key) -> Result<PathBuf, ConditionsError> {
    CRYPTSETUP.run(&open_arguments(node, name, &flags(luks)), &key.0)?;
    kernel::mapping(name)?.ok_or_else(|| {
        ConditionsError::Host(format!(
            "cryptsetup opened {name}, but the kernel shows no such mapping: look at the kernel log (`dmesg`)"
        ))
    })
}

/// Closes the mapping `name`.
pub(crate) fn close(name: &str) -> Result<(), ConditionsError> {
    CRYPTSETUP.run(&["close", name], &[]).map(drop)
}

/// Destroys all key slots of the header, so that the data behind it can never be read again.
pub(crate) fn erase(node: &str) -> Result<(), ConditionsError> {
    CRYPTSETUP.run(&["erase", "--batch-mode", node], &[]).map(drop)
}

/// The header as text; it contains no key.
pub(crate) fn dump(node: &str) -> Result<String, ConditionsError> {
    CRYPTSETUP.run(&["luksDump", node], &[])
}

/// The UUID of the header there, if there is one. `None` is believed only if cryptsetup reports no other error (it
/// ends with 1, without a message or with "is not a valid LUKS device") and no header begins there by its bytes.
///
/// # Errors
/// Unknown: cryptsetup cannot be started, or failed for another reason (a lock, a second signature, a torn header).
pub(crate) fn uuid_of(node: &str) -> Result<Option<String>, ConditionsError> {
    let failed = match CRYPTSETUP.run(&["luksUUID", node], &[]) {
        Ok(text) => return Ok(Some(text.trim().to_owned())),
        Err(ConditionsError::Program { command, said }) => (command, said),
        Err(other) => return Err(other),
    };
    let (command, said) = failed;
    let says_none = said == "exit status: 1"
        || (said.contains("is not a valid LUKS device") && !said.contains("ambiguous") && !said.contains(';'));
    if says_none && !has_header(Path::new(node))? {
        return Ok(None);
    }
    let said = format!(
        "{said}: it is unknown whether {node} has a LUKS header of drivelab's, so it was left alone. Check with `cryptsetup \
         luksDump {node}`, fix what it reports, then run `drivelab resume --last`"
    );
    Err(ConditionsError::Program { command, said })
}

/// Whether a header, the first or the second, begins at an offset that LUKS2 allows (LUKS2 On-Disk Format
/// Specification, binary header: the second lies at one of these offsets).
fn has_header(node: &Path) -> Result<bool, ConditionsError> {
    let failed = |error| ConditionsError::system("cannot read", node)(error);
    let file = fs::File::open(node).map_err(failed)?;
    let at = |offset: u64| {
        let mut magic = [0; 6];
        match file.read_exact_at(&mut magic, offset) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| magic == if offset == 0 { FIRST } else { SECOND }).map_err(failed),
        }
    };
    let seconds = (14..=22).map(|shift| 1_u64 << shift);
    std::iter::once(0).chain(seconds).try_fold(false, |found, offset| Ok(found || at(offset)?))
}

/// First bytes of a header, and of its second copy.
const FIRST: [u8; 6] = *b"LUKS\xba\xbe";
const SECOND: [u8; 6] = *b"SKUL\xba\xbe";

/// The UUID in the first bytes of a LUKS2 header (at byte 168, 40 bytes, padded with zeros).
pub(crate) fn uuid_in(start: &[u8]) -> Option<String> {
    start.starts_with(&FIRST).then_some(())?;
    let text = start.get(168..208)?.split(|byte| *byte == 0).next()?;
    String::from_utf8(text.to_owned()).ok()
}

/// The output of `cryptsetup --version`, with the flags that it was built with.
pub(crate) fn version_with_flags() -> Result<String, ConditionsError> {
    Ok(CRYPTSETUP.says(&["--version"])?.trim().to_owned())
}

/// The first words of `cryptsetup --version`: `cryptsetup 2.6.1`.
pub(crate) fn version() -> Result<String, ConditionsError> {
    let said = CRYPTSETUP.says(&["--version"])?;
    Ok(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

/// Checks that the kernel has the device mapper; tries to load its module first.
///
/// # Errors
/// [`ConditionsError::Host`] if it has not.
pub(crate) fn check_kernel(arm: &str) -> Result<(), ConditionsError> {
    let there = || fs::read_to_string("/proc/devices").is_ok_and(|text| has_device_mapper(&text));
    if !there() {
        let modprobe = programs::Program { name: "modprobe", needed_for: "dm-crypt", package: "kmod" };
        let _ = modprobe.run(&["dm-crypt"], &[]);
    }
    if there() {
        return Ok(());
    }
    Err(ConditionsError::Host(format!(
        "this kernel has no device mapper, which the arm {arm} needs: load the module dm-mod (and dm-crypt for luks2), or boot \
         a kernel with CONFIG_BLK_DEV_DM and CONFIG_DM_CRYPT; nothing was touched"
    )))
}

fn has_device_mapper(devices: &str) -> bool {
    devices.lines().any(|line| line.split_whitespace().nth(1) == Some("device-mapper"))
}

/// The first value of `luksDump` under a heading and a name.
pub(crate) fn value_of<'a>(dump: &'a str, heading: &str, name: &str) -> Option<&'a str> {
    let mut section = "";
    dump.lines().find_map(|line| {
        if !line.starts_with(char::is_whitespace) {
            section = line.trim_end_matches(':');
        }
        let (found, value) = line.split_once(':')?;
        (section == heading && found.trim() == name).then(|| value.trim())
    })
}

/// As [`value_of`], for a value that begins with a number: `16777216 [bytes]`.
pub(crate) fn number_of<T: FromStr>(dump: &str, heading: &str, name: &str) -> Option<T> {
    value_of(dump, heading, name)?.split_whitespace().next()?.parse().ok()
}

/// Parses the `luksDump` output for the one data segment and the first key slot.
pub(crate) fn parse(dump: &str) -> Option<Header> {
    Some(Header {
        cipher: value_of(dump, SEGMENTS, "cipher")?.to_owned(),
        key_bits: number_of(dump, "Keyslots", "Key")?,
        sector_size: number_of(dump, SEGMENTS, "sector")?,
        data_offset: Bytes::new(number_of(dump, SEGMENTS, "offset")?),
    })
}

#[cfg(test)]
mod tests {
    //! Command lines word by word, and a header as cryptsetup 2.6.1 printed it.

    use super::*;

    const DUMP: &str = "LUKS header information
Version:       \t2
Epoch:         \t3
Metadata area: \t16384 [bytes]
Keyslots area: \t16744448 [bytes]
UUID:          \t203907c7-bda3-4c54-88a9-e13b7db76428
Label:         \t(no label)
Subsystem:     \t(no subsystem)
Flags:       \t(no flags)

Data segments:
  0: crypt
\toffset: 16777216 [bytes]
\tlength: (whole device)
\tcipher: aes-xts-plain64
\tsector: 4096 [bytes]

Keyslots:
  0: luks2
\tKey:        512 bits
\tPriority:   normal
\tCipher:     aes-xts-plain64
\tCipher key: 512 bits
\tArea offset:32768 [bytes]
Tokens:
Digests:
  0: pbkdf2
\tHash:       sha256
";

    #[test]
    fn a_header_is_read() {
        let header = Header {
            cipher: "aes-xts-plain64".into(),
            key_bits: 512,
            sector_size: 4096,
            data_offset: Bytes::new(16 << 20),
        };
        assert_eq!(parse(DUMP), Some(header));
        assert_eq!(parse(""), None);
        for cut in (0..DUMP.len()).step_by(7) {
            parse(DUMP.get(..cut).unwrap_or_default());
        }
    }

    #[test]
    fn command_lines_say_what_the_arm_says() {
        let format = format_arguments("/dev/x1", "u-u", Some("4096")).join(" ");
        assert_eq!(
            format,
            "luksFormat --batch-mode --type luks2 --cipher aes-xts-plain64 --key-size 512 --pbkdf pbkdf2 \
             --pbkdf-force-iterations 1000 --sector-size 4096 --uuid u-u --key-file - /dev/x1"
        );
        assert!(!format_arguments("/dev/x1", "u-u", None).contains(&"--sector-size"), "cryptsetup chooses");
        let inline = Luks2 { no_read_workqueue: true, no_write_workqueue: true, same_cpu: true, sector_size: None };
        assert_eq!(
            open_arguments("/dev/x1", "name", &flags(&inline)).join(" "),
            "open --type luks2 --key-file - --perf-no_read_workqueue --perf-no_write_workqueue --perf-same_cpu_crypt \
             /dev/x1 name"
        );
        assert!(flags(&Luks2::default()).is_empty());
    }

    #[test]
    fn the_device_mapper_is_known_by_its_line() {
        assert!(has_device_mapper("Block devices:\n  7 loop\n253 device-mapper\n"));
        assert!(!has_device_mapper("Block devices:\n  7 loop\n253 zram\n"));
    }

    /// The part that needs no device mapper: cryptsetup writes, reads and destroys headers on an ordinary file.
    #[test]
    fn a_header_is_written_as_the_arm_says_read_back_and_destroyed() {
        if CRYPTSETUP.check().is_err() {
            drivelab_rig::skip("cryptsetup is not on this machine");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let image = folder.path().join("image");
        fs::File::create(&image).and_then(|file| file.set_len(64 << 20)).expect("an image");
        let node = image.to_str().expect("a path");
        let uuid = uuid::Uuid::now_v7().to_string();
        for sector_size in [512, 4096] {
            let luks = Luks2 { sector_size: Some(sector_size), ..Luks2::default() };
            format(node, &uuid, &luks, &Key::random().expect("a key")).expect("a header");
            let header = parse(&dump(node).expect("words")).expect("understood");
            assert_eq!((header.cipher.as_str(), header.key_bits), ("aes-xts-plain64", 512));
            assert_eq!((header.sector_size, header.data_offset), (sector_size, Bytes::new(16 << 20)));
            assert_eq!(uuid_of(node).expect("cryptsetup").as_ref(), Some(&uuid));
        }
        erase(node).expect("destroyed");
        assert!(!dump(node).expect("words").contains("Cipher key"), "no key slot is left");
        fs::write(&image, [0; 4096]).expect("wiped");
        assert_eq!(uuid_of(node).expect("cryptsetup"), None);
    }

    #[test]
    fn no_two_keys_are_alike() {
        let keys = [Key::random().expect("a key"), Key::random().expect("a key")];
        assert_eq!(keys[0].0.len(), KEY);
        assert_ne!(keys[0].0, keys[1].0);
    }
}
