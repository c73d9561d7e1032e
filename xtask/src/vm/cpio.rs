//! Writes the archive that a kernel unpacks as its first file system: cpio, format "newc".
//!
//! The format is in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst: a header of 13 numbers in
//! eight hexadecimal digits, the name with a zero byte, the contents; both padded to four bytes.

use std::collections::BTreeSet;

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_777;

/// An archive under construction. Parent folders of an entry are created automatically.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    inode: u32,
    known: BTreeSet<String>,
}

impl Archive {
    /// An empty folder and its parents.
    pub(crate) fn folder(&mut self, path: &str) {
        let path = path.trim_matches('/');
        if path.is_empty() || self.known.contains(path) {
            return;
        }
        self.above(path);
        self.entry(path, FOLDER, &[]);
    }

    /// A file with these permissions; an existing path is left unchanged.
    pub(crate) fn file(&mut self, path: &str, permissions: u32, contents: &[u8]) {
        let path = path.trim_matches('/');
        if !self.known.contains(path) {
            self.above(path);
            self.entry(path, FILE | permissions, contents);
        }
    }

    /// A symbolic link.
    pub(crate) fn link(&mut self, path: &str, to: &str) {
        let path = path.trim_matches('/');
        if !self.known.contains(path) {
            self.above(path);
            self.entry(path, LINK, to.as_bytes());
        }
    }

    /// Whether an entry of this name exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.known.contains(path.trim_matches('/'))
    }

    /// The finished archive.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn above(&mut self, path: &str) {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.folder(folder);
        }
    }

    fn entry(&mut self, path: &str, mode: u32, contents: &[u8]) {
        self.known.insert(path.to_owned());
        self.inode += 1;
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let links = if mode == FOLDER { 2 } else { 1 };
        let name = length(path.len() + 1);
        // inode, mode, uid, gid, links, mtime, size, device (two numbers), node (two numbers), length of name, check
        let numbers = [self.inode, mode, 0, 0, links, 0, length(contents.len()), 0, 0, 0, 0, name, 0];
        self.bytes.extend_from_slice(b"070701");
        for number in numbers {
            self.bytes.extend_from_slice(format!("{number:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(contents);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpio_itself_reads_what_was_written() {
        if !crate::shell::is_installed("cpio") {
            println!("skipped: cpio is not installed");
            return;
        }
        let mut archive = Archive::default();
        archive.file("/a/b/hello", 0o755, b"hello\n");
        archive.link("/a/link", "b/hello");
        archive.folder("/a/b");
        assert!(archive.has("/a/b") && !archive.has("/a/c"));
        let folder = std::env::temp_dir().join(format!("drivelab-cpio-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("archive");
        std::fs::write(&file, archive.finish()).expect("the archive");
        let arguments = ["--list", "--quiet", "--verbose", "--numeric-uid-gid", "-F"];
        let listed = std::process::Command::new("cpio").args(arguments).arg(&file).output();
        std::fs::remove_dir_all(&folder).expect("removed");
        let text = String::from_utf8(listed.expect("cpio").stdout).expect("text");
        let lines: Vec<(&str, &str)> =
            text.lines().map(|line| (&line[..10], line.rsplit_once("1970 ").map_or(line, |(_, name)| name))).collect();
        let expected = [("drwxr-xr-x", "a"), ("drwxr-xr-x", "a/b"), ("-rwxr-xr-x", "a/b/hello")];
        assert_eq!(lines[..3], expected);
        assert_eq!(lines[3], ("lrwxrwxrwx", "a/link -> b/hello"));
    }
}
