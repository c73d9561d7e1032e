//! Setting up: in the order drive, partition, encryption, file system, power state. Each change is in the undo log
//! before it is made. If one fails, everything before it is undone immediately.

mod hardware;

use std::path::{Path, PathBuf};

use drivelab_core::clock::StopToken;
use drivelab_core::condition::{
    Arm, Condition, ConditionFacts, DataState, EncryptionCheck, EncryptionFacts, FileSystem, Luks2, PartitionFacts,
    Series,
};
use drivelab_core::ids::RunId;
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::guard::Released;
use drivelab_device::wipe::{How, new_seed, wipe};
use uuid::Uuid;

use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::gpt::Layout;
use crate::ledger::{Deed, Ledger};
use crate::programs::{ADDPART, text};
use crate::{ballast, drive, file_system, kernel, luks, power, tear_down, uniform};

/// Number of the one partition.
const NUMBER: u32 = 1;
/// Bytes of text that are written through an encryption and searched for below it.
const CHECKED: usize = 1 << 20;

/// What to set up, and where the undo log is.
#[derive(Debug)]
pub struct Wish<'a> {
    /// The run that it is for.
    pub run: RunId,
    /// The condition.
    pub condition: Condition,
    /// The value of `--destroy` that released the drive.
    pub destroy: Option<String>,
    /// File with the key of the drive's administrator, for the arm opal. The undo log stores its name, nothing stores
    /// the key.
    pub opal_admin_key: Option<&'a Path>,
    /// Its place among the runs of one command, for the record.
    pub series: Option<Series>,
    /// Folder of the undo logs.
    pub folder: &'a Path,
    /// Ends a long set-up early.
    pub stop: &'a StopToken,
}

/// Where the run measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// In a folder: the mount point of the file system that was made.
    Folder(PathBuf),
    /// On a device: the mapping, the partition, or the drive itself.
    Device(PathBuf),
}

/// A condition that is set up. It must be torn down: dropping it leaves everything for `resume` to clean up.
#[derive(Debug)]
#[must_use = "what is set up has to be torn down"]
pub struct SetUp {
    pub(crate) released: Released,
    pub(crate) ledger: Ledger,
    facts: ConditionFacts,
    place: Where,
    controllers: Controllers,
}

impl SetUp {
    /// Sets everything up on a drive that the user released.
    ///
    /// # Errors
    /// What failed; the changes made by then are undone. If that failed too, the text says so.
    pub fn begin(released: Released, wish: &Wish<'_>) -> Result<SetUp, ConditionsError> {
        SetUp::begin_with(released, wish, Controllers::Kernel)
    }

    pub(crate) fn begin_with(
        released: Released,
        wish: &Wish<'_>,
        controllers: Controllers,
    ) -> Result<SetUp, ConditionsError> {
        let mark = kernel::mark(released.node(), released.length().get());
        let ledger = Ledger::create(wish.folder, wish.run, mark, wish.destroy.clone())?;
        let facts = ConditionFacts { asked: wish.condition, series: wish.series.clone(), ..ConditionFacts::default() };
        let place = Where::Device(released.path().to_owned());
        let mut own = SetUp { released, ledger, facts, place, controllers };
        match own.all(wish) {
            Ok(()) => Ok(own),
            Err(error) => Err(match own.tear_down() {
                Ok(_) => error,
                Err(left) => ConditionsError::NotUndone { source: Box::new(error), left: Box::new(left) },
            }),
        }
    }

    /// What was set up, for the record.
    #[must_use]
    pub const fn facts(&self) -> &ConditionFacts {
        &self.facts
    }

    /// Where the run measures.
    #[must_use]
    pub const fn place(&self) -> &Where {
        &self.place
    }

    /// The drive, which stays released until it is torn down.
    #[must_use]
    pub const fn released(&self) -> &Released {
        &self.released
    }

    /// The device to measure, if it is one, limited to the requested span.
    ///
    /// # Errors
    /// A refusal of the write guard.
    pub fn target(&self) -> Result<WritableTarget, ConditionsError> {
        let Where::Device(node) = &self.place else {
            return Err(ConditionsError::Wish("the run measures in a folder, not on a device".to_owned()));
        };
        let target = self.released.authorise_on_top(node)?;
        let whole = target.length();
        Ok(match self.facts.asked.span {
            Some(span) => target.shortened(span.of(whole, Bytes::MIB)),
            None => target,
        })
    }

    /// Undoes everything, the last change first; returns what was done.
    ///
    /// # Errors
    /// What could not be undone; it stays in the undo log.
    pub fn tear_down(mut self) -> Result<Vec<String>, ConditionsError> {
        let mut said = Vec::new();
        let mut access = tear_down::Access::Held(&self.released);
        tear_down::undo_all(&mut self.ledger, &mut access, &self.controllers, &mut said)?;
        self.ledger.close()?;
        Ok(said)
    }

    fn all(&mut self, wish: &Wish<'_>) -> Result<(), ConditionsError> {
        let Condition { partition, span: _, file_system, encryption, data_state, power_state } = wish.condition;
        let stopped = || match wish.stop.is_stopped() {
            true => Err(ConditionsError::Stopped),
            false => Ok(()),
        };
        let mut node = self.released.path().to_owned();
        if data_state == DataState::Fresh {
            self.discard_drive(&node, wish.stop)?;
        }
        stopped()?;
        if let Some(share) = partition {
            node = self.partition(share)?;
        }
        stopped()?;
        match encryption {
            Arm::None => {}
            Arm::Luks2(luks) => node = self.encrypt(&node, &luks)?,
            Arm::Opal => node = self.encrypt_by_the_drive(&node, wish.opal_admin_key)?,
        }
        stopped()?;
        self.place = Where::Device(node.clone());
        if let Some(kind) = file_system {
            let at = self.file_system(kind, &node, encryption == Arm::None)?;
            if let DataState::Filled { percent } = data_state {
                let bytes = ballast::fill(&at, percent, wish.stop)?;
                self.said(format!("{} of data were written into the file system", bytes.about()));
            }
            self.place = Where::Folder(ballast::test_folder(&at)?);
        }
        stopped()?;
        if let Some(state) = power_state {
            let facts = power::claim(&self.controllers, self.released.node(), state, &mut self.ledger)?;
            self.facts.power = Some(power::set(&self.controllers, facts)?);
            self.said(format!("the controller was set to power state {state}"));
        }
        Ok(())
    }

    fn said(&mut self, text: String) {
        self.facts.done.push(text);
    }

    /// Discards the whole drive.
    fn discard_drive(&mut self, node: &Path, stop: &StopToken) -> Result<(), ConditionsError> {
        let target = self.released.authorise_on_top(node)?;
        let wiped = wipe(&target, How::Discard, new_seed(), stop, &mut |_| {});
        match wiped {
            Err(error) if error.is_unsupported() => {
                return Err(ConditionsError::Target(format!(
                    "{} cannot be discarded, so it cannot be made fresh: its driver or a layer below does not pass on discards; \
                     leave the data state fresh out",
                    node.display()
                )));
            }
            done => drop(done?),
        }
        drop(target);
        self.said("the whole drive was discarded".to_owned());
        Ok(())
    }

    fn partition(&mut self, share: drivelab_core::condition::Share) -> Result<PathBuf, ConditionsError> {
        let path = self.released.path().to_owned();
        let whole = self.released.length();
        let layout = layout_of(&self.released, share)?;
        let guid = Uuid::now_v7();
        self.ledger.about_to(Deed::Table { guid: guid.to_string() })?;
        drive::wipe_ends(&self.released, &path, drive::ENDS)?;
        drive::write(&self.released, &path, &layout.tables(guid, Uuid::now_v7()))?;
        let Layout { start, length, .. } = layout;
        self.ledger.about_to(Deed::Partition { number: NUMBER, start, length })?;
        let name = &self.released.node().name;
        // A kernel that reads such tables itself may have added the partition already.
        let found = match kernel::partition(name, NUMBER) {
            Some(found) => Some(found),
            None => {
                let numbers = [NUMBER.to_string(), (start / 512).to_string(), (length / 512).to_string()];
                let arguments = [&[text(&path)?], numbers.each_ref().map(String::as_str).as_slice()].concat();
                ADDPART.run(&arguments, &[])?;
                kernel::partition(name, NUMBER)
            }
        };
        let Some(found) = found.filter(|found| (found.start, found.length) == (start, length)) else {
            return Err(ConditionsError::Host(format!(
                "the kernel does not show the partition on {} as it was written: look at the kernel log (`dmesg`), and try \
                 again",
                path.display()
            )));
        };
        if !found.node.exists() {
            return Err(ConditionsError::Host(format!(
                "the kernel knows the partition, but {} does not exist: neither devtmpfs nor udev maintains /dev here; run \
                 drivelab where one of them does",
                found.node.display()
            )));
        }
        drive::wipe_ends(&self.released, &found.node, drive::ENDS)?;
        let (start, length) = (Bytes::new(start), Bytes::new(length));
        let node = found.node.display().to_string();
        // A length in whole MiB is printed exactly: rounded, it would look like the whole drive.
        self.said(format!("{node} was created: {length} of {}", whole.about()));
        self.facts.partition = Some(PartitionFacts { node, start, length, of: whole });
        Ok(found.node)
    }

    fn encrypt(&mut self, node: &Path, luks: &Luks2) -> Result<PathBuf, ConditionsError> {
        let below = text(node)?;
        let uuid = Uuid::now_v7().to_string();
        let run = self.ledger.content().run.to_string();
        let name = format!("drivelab-{}", run.rsplit('-').next().unwrap_or_default());
        let key = luks::Key::random()?;
        self.released.before_first_write()?;
        self.ledger.about_to(Deed::Luks { node: node.to_owned(), uuid: uuid.clone() })?;
        luks::format(below, &uuid, luks, &key)?;
        let header = luks::dump(below)?;
        let Some(read) = luks::parse(&header) else {
            return Err(ConditionsError::Host(format!(
                "the output of `cryptsetup luksDump {below}` cannot be parsed: please report it, with the output of \
                 `cryptsetup --version`"
            )));
        };
        self.ledger.about_to(Deed::Mapping { name: name.clone() })?;
        let mapping = luks::open(below, &name, luks, &key)?;
        let check = self.check(&mapping, node, read.data_offset)?;
        let flags = luks::flags(luks).into_iter().map(|flag| flag.trim_start_matches("--").to_owned()).collect();
        self.said(format!("{below} was encrypted with LUKS2 and opened as {}", mapping.display()));
        self.facts.encryption = Some(EncryptionFacts {
            version: luks::version()?,
            cipher: read.cipher,
            key_bits: read.key_bits,
            sector_size: read.sector_size,
            data_offset: read.data_offset,
            flags,
            header,
            check,
        });
        Ok(mapping)
    }

    /// Writes a known text through the mapping: it must be read back there, and must not be found below it.
    fn check(&self, mapping: &Path, below: &Path, offset: Bytes) -> Result<EncryptionCheck, ConditionsError> {
        let text = uniform::known_text(CHECKED);
        let read_back = drive::write_and_read(&self.released, mapping, &text)? == text;
        let coded = drive::read(below, offset.get(), text.len())?;
        let check = EncryptionCheck {
            bytes: Bytes::new(text.len() as u64),
            plain_pieces: uniform::plain_pieces(&text, &coded),
            chi_square: uniform::chi_square(&coded),
            read_back,
        };
        if check.read_back && check.plain_pieces == 0 && uniform::is_uniform(coded.len(), check.chi_square) {
            return Ok(check);
        }
        Err(ConditionsError::NotEncrypted(format!(
            "{} does not encrypt as it should: of {} written through it, {} pieces were found in plain text below, chi-square is \
             {:.0} where random bytes have 255, and the text was {}read back; nothing was measured",
            mapping.display(),
            check.bytes.about(),
            check.plain_pieces,
            check.chi_square,
            if check.read_back { "" } else { "not " },
        )))
    }

    fn file_system(&mut self, kind: FileSystem, node: &Path, wiped_here: bool) -> Result<PathBuf, ConditionsError> {
        let uuid = Uuid::now_v7();
        self.released.before_first_write()?;
        if wiped_here {
            // Previous content must not be mistaken for another program's later.
            drive::wipe_ends(&self.released, node, drive::ENDS)?;
            // Behind an encryption it is gone with the keys.
            self.ledger.about_to(Deed::FileSystem { node: node.to_owned(), uuid: uuid.to_string() })?;
        }
        let made = file_system::make(kind, text(node)?, uuid)?;
        let folder = self.ledger.own_folder();
        self.ledger.about_to(Deed::Folder { path: folder.clone() })?;
        file_system::make_folder(&folder)?;
        self.ledger.about_to(Deed::Mount { at: folder.clone() })?;
        file_system::mount_at(kind, node, &folder)?;
        self.said(format!("{} was created and mounted at {}", kind.name(), folder.display()));
        self.facts.file_system = Some(made);
        Ok(folder)
    }
}

/// The place of the partition.
fn layout_of(released: &Released, share: drivelab_core::condition::Share) -> Result<Layout, ConditionsError> {
    let block = kernel::logical_block(&released.node().whole);
    Layout::new(released.length(), block, share).ok_or_else(|| {
        ConditionsError::Target(format!(
            "{} has {} in blocks of {block} bytes, which is too little for a partition table and a partition of {share}: \
             use a larger share or a larger drive",
            released.path().display(),
            released.length().about()
        ))
    })
}
