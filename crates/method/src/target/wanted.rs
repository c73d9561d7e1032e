//! What a methodology runs on: kinds of target, and how much of a target it wants in each form.
//!
//! Owns the reading of `[target]` and `[forms.F.target]`. Must not know: devices; a target is a number of bytes here.

use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;

use crate::methodology::Methodology;
use crate::scope::SMOKE_SIZE;
use crate::sources::profile;
use crate::tree::value::{Table, Value};

/// What the tests of a methodology run on: `kind` of its `[target]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodTarget {
    /// A file on a mounted file system.
    File,
    /// A file on a mounted file system, or a block device.
    FileOrBlock,
    /// A block device only.
    BlockDevice,
    /// Many files in a folder.
    Directory,
    /// Whatever the command names.
    Any,
}

impl MethodTarget {
    const ALL: [MethodTarget; 5] = [
        MethodTarget::File,
        MethodTarget::FileOrBlock,
        MethodTarget::BlockDevice,
        MethodTarget::Directory,
        MethodTarget::Any,
    ];

    /// The word of the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MethodTarget::File => "file",
            MethodTarget::FileOrBlock => "file_or_block",
            MethodTarget::BlockDevice => "block_device",
            MethodTarget::Directory => "directory",
            MethodTarget::Any => "any",
        }
    }

    /// The kind that a word of the language means.
    pub(crate) fn of_name(word: &str) -> Option<MethodTarget> {
        MethodTarget::ALL.into_iter().find(|kind| kind.name() == word)
    }

    /// What it can use, in words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            MethodTarget::File => "files only",
            MethodTarget::FileOrBlock => "files and block devices",
            MethodTarget::BlockDevice => "block devices only",
            MethodTarget::Directory => "folders only",
            MethodTarget::Any => "any target",
        }
    }

    /// Whether it runs on block devices.
    #[must_use]
    pub const fn takes_block_devices(self) -> bool {
        matches!(self, MethodTarget::FileOrBlock | MethodTarget::BlockDevice | MethodTarget::Any)
    }

    /// Whether it runs on a file.
    #[must_use]
    pub const fn takes_files(self) -> bool {
        matches!(self, MethodTarget::File | MethodTarget::FileOrBlock | MethodTarget::Any)
    }
}

/// The kind that a tree or its chosen profile states; `file` if it is wrong, because it has an error of its own then.
pub(crate) fn kind_of(root: &Table) -> MethodTarget {
    let of_profile = profile::chosen(root).and_then(|profile| profile.table("target")).filter(|it| it.has("kind"));
    let word = of_profile.or_else(|| root.table("target")).map_or("", |target| target.text("kind"));
    MethodTarget::of_name(word).unwrap_or(MethodTarget::File)
}

impl Methodology {
    /// What it runs on.
    #[must_use]
    pub fn target(&self) -> MethodTarget {
        kind_of(self.root())
    }

    /// Whether it takes whatever the command names.
    #[must_use]
    pub fn takes_any_target(&self) -> bool {
        self.target() == MethodTarget::Any
    }

    /// Whether reads use what the target already holds instead of what a preparation wrote.
    #[must_use]
    pub fn reads_as_found(&self) -> bool {
        self.root().table("target").is_some_and(|target| target.text("content") == "as_found")
    }

    /// Size of the file that is wanted in a form; `None` if it states only a share of a device.
    #[must_use]
    pub fn file_size(&self, form: Form) -> Option<Bytes> {
        if form == Form::Smoke {
            return Some(SMOKE_SIZE);
        }
        self.target_tables(form).into_iter().find_map(file_size_of)
    }

    /// How much of a block device with this many bytes it uses in a form.
    #[must_use]
    pub fn device_part(&self, form: Form, whole: Bytes) -> Bytes {
        if form == Form::Smoke {
            return SMOKE_SIZE.min(whole);
        }
        let stated = self.target_tables(form).into_iter().find_map(|table| table.get("size"));
        match stated.map(|size| &size.value) {
            Some(Value::Size(size)) => (*size).min(whole),
            Some(Value::Extent(share)) => Bytes::new(share.length.of(whole)),
            _ => whole,
        }
    }

    /// The size in bytes that it states for its target in a form; its areas and volumes are parts of this size.
    #[must_use]
    pub fn stated_size(&self, form: Form) -> Option<Bytes> {
        let stated = self.target_tables(form).into_iter().find_map(|table| table.get("size"));
        match stated.map(|size| &size.value) {
            Some(Value::Size(size)) if form != Form::Smoke => Some(*size),
            _ => None,
        }
    }

    /// How much of a target it uses in a form, in words: `25 % of a device, or a file of 8 GiB; at least 64 MiB`.
    pub(crate) fn size_words(&self, form: Form) -> String {
        let stated = self.target_tables(form).into_iter().find_map(|table| table.get("size"));
        let of_device = match stated.map(|size| &size.value) {
            Some(Value::Size(size)) => format!("the first {size} of a device"),
            Some(share) => format!("{share} of a device"),
            None => "all of a device".to_owned(),
        };
        let file = self.file_size(form).map(|size| format!("a file of {size}"));
        let parts: Vec<String> = match (self.target(), file) {
            (MethodTarget::Directory, Some(file)) => vec![file, "its file sets".to_owned()],
            (kind, file) => {
                let file = file.filter(|_| kind.takes_files());
                kind.takes_block_devices().then_some(of_device).into_iter().chain(file).collect()
            }
        };
        let joint = if self.target() == MethodTarget::Directory { " and " } else { ", or " };
        format!("{}; at least {}", parts.join(joint), self.minimum_size(form))
    }

    /// Smallest useful target size in a form; a smaller target is refused.
    #[must_use]
    pub fn minimum_size(&self, form: Form) -> Bytes {
        if form == Form::Smoke {
            return SMOKE_SIZE;
        }
        self.target_tables(form).into_iter().find_map(|table| table.size("minimum_size")).unwrap_or(SMOKE_SIZE)
    }

    /// The target size that is assumed while there is no target: the wanted file size or, if the methodology wants a
    /// share of a device, the smallest device.
    #[must_use]
    pub fn nominal_size(&self, form: Form) -> Bytes {
        self.file_size(form).unwrap_or_else(|| self.minimum_size(form))
    }

    /// The declared forms that a target of this size is large enough for, smoke last.
    #[must_use]
    pub fn forms_that_fit(&self, size: Bytes) -> Vec<Form> {
        let fits = |form: &Form| self.device_part(*form, size) >= self.minimum_size(*form);
        self.forms().into_iter().filter(fits).collect()
    }

    /// The tables about the target in a form, strongest first.
    fn target_tables(&self, form: Form) -> Vec<&Table> {
        let own = self.form_table(form).and_then(|table| table.table("target"));
        let chosen = profile::chosen(self.root()).and_then(|profile| profile.table("target"));
        chosen.into_iter().chain(own).chain(self.root().table("target")).collect()
    }
}

/// The size of a file that a target table states: its own, or the general one unless that is a share.
pub(crate) fn file_size_of(table: &Table) -> Option<Bytes> {
    table.size("file_size").or_else(|| table.size("size"))
}
