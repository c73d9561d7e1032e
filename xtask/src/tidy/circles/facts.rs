//! The names in one Rust file: what it defines, what it imports, and every path in its code.
//!
//! Owns: plain types, filled by `read` and `tokens`. Must not know: other files, or what a name means.

use std::collections::{HashMap, HashSet};

/// A path as written, without generic arguments: `crate::a::B` is `["crate", "a", "B"]`.
pub(super) type Path = Vec<String>;

/// The contents of one file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The module of the file, then its inline modules and the blocks that contain items.
    pub(super) scopes: Vec<Scope>,
    /// Whether it contains more than `mod` lines and `use`: such a file defines something.
    pub(super) has_code: bool,
}

/// A stretch of code with names of its own.
#[derive(Debug)]
pub(super) struct Scope {
    /// What kind of stretch.
    pub(super) kind: Kind,
    /// The scope around it; for a file, itself.
    pub(super) parent: usize,
    /// `mod name;`
    pub(super) declared: Vec<Declared>,
    /// Items by name. A function and a macro may share one.
    pub(super) items: HashMap<String, Vec<Item>>,
    /// Names given to a macro between items, which may have made items of them.
    pub(super) made: HashSet<String>,
    /// What `use` imports, by its name here.
    pub(super) imports: HashMap<String, Vec<Import>>,
    /// `use path::*`
    pub(super) globs: Vec<Import>,
    /// Paths in code, each with the line where it is first.
    pub(super) mentions: HashMap<Mention, usize>,
}

impl Scope {
    /// An empty one.
    pub(super) fn new(kind: Kind, parent: usize) -> Self {
        Scope {
            kind,
            parent,
            declared: Vec::new(),
            items: HashMap::new(),
            made: HashSet::new(),
            imports: HashMap::new(),
            globs: Vec::new(),
            mentions: HashMap::new(),
        }
    }
}

/// The kind of a scope.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The file.
    File,
    /// `mod name { … }`
    Module(String),
    /// `{ … }` with items in it; names that are not in it are looked for around it.
    Block,
}

/// `mod name;`
#[derive(Debug)]
pub(super) struct Declared {
    /// The module's name.
    pub(super) name: String,
    /// The file, from `#[path = "…"]`.
    pub(super) path: Option<String>,
}

/// Something with a name.
#[derive(Debug)]
pub(super) struct Item {
    /// Whether code other than the module and its submodules may name it.
    pub(super) public: bool,
    /// Whether it is a macro.
    pub(super) is_macro: bool,
}

/// One name of a `use`.
#[derive(Debug)]
pub(super) struct Import {
    /// Which of the file's imports it is.
    pub(super) number: usize,
    /// What it imports.
    pub(super) path: Path,
    /// `pub use`, with or without a limit.
    pub(super) public: bool,
    /// `{self}`, which imports a module or a type, but nothing else of that name.
    pub(super) by_self: bool,
    /// The line.
    pub(super) line: usize,
}

/// A path in code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Mention {
    /// The path.
    pub(super) path: Path,
    /// Whether it is called with `!`.
    pub(super) is_macro: bool,
}
