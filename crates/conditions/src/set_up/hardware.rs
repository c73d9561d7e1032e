//! Encryption by the drive: a locking range of TCG Opal, set up by cryptsetup, written, locked, opened again. Not yet
//! tried on hardware.

use std::path::{Path, PathBuf};

use drivelab_core::condition::{HardwareFacts, LockCheck, Luks2};
use drivelab_core::units::Bytes;
use uuid::Uuid;

use super::{CHECKED, SetUp};
use crate::error::ConditionsError;
use crate::ledger::Deed;
use crate::luks::{self, Key};
use crate::opal::{self, commands, key};
use crate::programs::text;
use crate::{drive, tear_down, uniform};

impl SetUp {
    /// Sets up a locking range over `node` and opens it; returns its mapping.
    pub(super) fn encrypt_by_the_drive(
        &mut self,
        node: &Path,
        admin_key: Option<&Path>,
    ) -> Result<PathBuf, ConditionsError> {
        let file = key::file(admin_key)?;
        let admin = key::AdminKey::read(&file)?;
        let owned_before = opal::is_owned(&self.controllers, self.released.node())?;
        let below = text(node)?;
        let uuid = Uuid::now_v7().to_string();
        let name = format!("drivelab-{}", uuid.split('-').next_back().unwrap_or_default());
        let range_key = Key::random()?;
        self.released.before_first_write()?;
        self.ledger.about_to(Deed::Opal { node: node.to_owned(), uuid: uuid.clone(), admin_key: file.clone() })?;
        commands::format(below, &uuid, &range_key, &admin)?;
        if !owned_before {
            self.said(format!(
                "the drive had no owner: its owner's key is now the one in {}, and stays so until the drive is reset with the \
                 PSID on its label",
                file.display()
            ));
        }
        let (header, read) = commands::header(below)?;
        self.ledger.about_to(Deed::Mapping { name: name.clone() })?;
        let mapping = luks::open(below, &name, &Luks2::default(), &range_key)?;
        let (mapping, check) = self.check_lock(&mapping, (below, &name), &range_key, read.data_offset)?;
        self.said(format!("{below} was encrypted by the drive and opened as {}", mapping.display()));
        self.facts.hardware = Some(HardwareFacts {
            version: luks::version()?,
            range: read.range,
            key_bits: read.key_bits,
            data_offset: read.data_offset,
            length: read.length,
            header,
            owned_before,
            check,
            tried_on_hardware: false,
        });
        Ok(mapping)
    }

    /// Writes a known text into the range, locks it, checks that the text cannot be read, and opens it again; returns
    /// the new mapping. The data on the media cannot be checked: the drive decrypts what it returns.
    fn check_lock(
        &self,
        mapping: &Path,
        (below, name): (&str, &str),
        key: &Key,
        offset: Bytes,
    ) -> Result<(PathBuf, LockCheck), ConditionsError> {
        let written = uniform::known_text(CHECKED);
        let came_back = drive::write_and_read(&self.released, mapping, &written)? == written;
        tear_down::patiently(|| luks::close(name))?;
        // The device itself was read and written a moment ago: an error now is the drive's refusal.
        let while_locked = drive::read(Path::new(below), offset.get(), written.len());
        let again = luks::open(below, name, &Luks2::default(), key)?;
        let read_back = came_back && drive::read(&again, 0, written.len())? == written;
        let given_out = while_locked.as_ref().map_or(0, |bytes| uniform::plain_pieces(&written, bytes));
        let check = LockCheck {
            bytes: Bytes::new(written.len() as u64),
            read_back,
            refused_while_locked: while_locked.is_err(),
        };
        if given_out == 0 && read_back {
            return Ok((again, check));
        }
        Err(ConditionsError::NotEncrypted(format!(
            "the locking range on {below} does not lock as it should: of {} written into it, {given_out} pieces could be read \
             while it was locked, and the text was {}read back when it was opened again; nothing was measured",
            check.bytes.about(),
            if read_back { "" } else { "not " },
        )))
    }
}
