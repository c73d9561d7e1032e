//! The modules of one crate: which file is which module, found from its root by `mod` lines, as rustc finds them
//! (Reference, "Module source filenames").
//!
//! Must not know: what a name in a module means.

use std::collections::{BTreeMap, HashMap};

use super::facts::{Declared, Facts, Kind, Scope};
use super::read::read;
use crate::source::beside;

/// A crate's files and modules. The first module is the root.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The files.
    pub(super) files: Vec<File>,
    /// The modules.
    pub(super) modules: Vec<Module>,
}

/// A file of the crate.
#[derive(Debug)]
pub(super) struct File {
    /// Its path, from the root of the checkout.
    pub(super) path: String,
    /// Its contents.
    pub(super) facts: Facts,
    /// For each of its scopes, the module that it belongs to.
    pub(super) modules: Vec<usize>,
}

/// A module: a file, or an inline one.
#[derive(Debug)]
pub(super) struct Module {
    /// The file it is in.
    pub(super) file: usize,
    /// The scope it is in that file.
    pub(super) scope: usize,
    /// The module that declares it; the root is its own.
    pub(super) parent: usize,
    /// Modules in it, by name.
    pub(super) children: HashMap<String, usize>,
}

/// A file that was declared and is still to be read.
struct Waiting {
    path: String,
    parent: usize,
    name: String,
    /// The folder with the files of its own modules.
    folder: String,
}

impl Tree {
    /// Reads a crate from its root. An error is a file that is not Rust, with the parser's message.
    pub(super) fn grow(root: &str, texts: &BTreeMap<&str, &str>) -> Result<Self, (String, syn::Error)> {
        let mut tree = Tree::default();
        let folder = folder_of(root).to_owned();
        let mut waiting = vec![Waiting { path: root.to_owned(), parent: 0, name: String::new(), folder }];
        while let Some(next) = waiting.pop() {
            let Some(text) = texts.get(next.path.as_str()) else { continue };
            let facts = read(text).map_err(|error| (next.path.clone(), error))?;
            waiting.extend(tree.add(next, facts, texts));
        }
        Ok(tree)
    }

    /// Adds a file and the modules in it; returns the files that it declares.
    fn add(&mut self, file: Waiting, facts: Facts, texts: &BTreeMap<&str, &str>) -> Vec<Waiting> {
        let number = self.files.len();
        let mut modules: Vec<usize> = Vec::new();
        let mut folders: Vec<String> = Vec::new();
        let mut waiting = Vec::new();
        for (index, scope) in facts.scopes.iter().enumerate() {
            let (module, folder) = match &scope.kind {
                Kind::File => (self.module(number, index, file.parent, &file.name), file.folder.clone()),
                Kind::Module(name) => {
                    let around = modules[scope.parent];
                    (self.module(number, index, around, name), format!("{}/{name}", folders[scope.parent]))
                }
                Kind::Block => (modules[scope.parent], folders[scope.parent].clone()),
            };
            waiting.extend(declared(scope, module, &folder, &file.path, texts));
            modules.push(module);
            folders.push(folder);
        }
        self.files.push(File { path: file.path, facts, modules });
        waiting
    }

    fn module(&mut self, file: usize, scope: usize, parent: usize, name: &str) -> usize {
        let number = self.modules.len();
        if number > 0 {
            self.modules[parent].children.insert(name.to_owned(), number);
        }
        self.modules.push(Module { file, scope, parent, children: HashMap::new() });
        number
    }

    /// Whether `module` is `above` or somewhere below it.
    pub(super) fn is_within(&self, module: usize, above: usize) -> bool {
        let mut at = module;
        loop {
            if at == above {
                return true;
            }
            let parent = self.modules[at].parent;
            if parent == at {
                return false;
            }
            at = parent;
        }
    }
}

/// The files that a scope declares. If a file does not exist, rustc reports it.
fn declared(scope: &Scope, parent: usize, folder: &str, file: &str, texts: &BTreeMap<&str, &str>) -> Vec<Waiting> {
    let found = |declared: &Declared| {
        let name = declared.name.clone();
        let below = format!("{folder}/{name}");
        if let Some(path) = &declared.path {
            let path = beside(file, path);
            let folder = folder_of(&path).to_owned();
            return Some(Waiting { path, parent, name, folder });
        }
        let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
        let path = candidates.into_iter().find(|path| texts.contains_key(path.as_str()))?;
        Some(Waiting { path, parent, name, folder: below })
    };
    scope.declared.iter().filter_map(found).collect()
}

/// The folder of a file.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
