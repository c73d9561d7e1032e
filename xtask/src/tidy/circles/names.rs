//! Which file defines what a path names, as the compiler finds it: blocks, modules, imports, re-exports, globs.
//!
//! Owns: the search. Must not know: what is done with the answer. It follows the Reference ("Name resolution", "Use
//! declarations") for code that compiles. Types are not resolved, so a path ends at the first type in it (`Kind::Read`
//! comes from the file that defines `Kind`). A name that a macro makes belongs to the file that calls the macro.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::facts::{Import, Item, Kind};
use super::tree::Tree;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A macro.
    Macro,
    /// Anything but a macro.
    Name,
    /// Anything with the name, as for `use`.
    Any,
}

impl Wanted {
    fn fits(self, item: &Item) -> bool {
        match self {
            Wanted::Macro => item.is_macro,
            Wanted::Name => !item.is_macro,
            Wanted::Any => true,
        }
    }
}

/// What a name stands for.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// A module of the crate.
    pub(super) module: Option<usize>,
    /// Items: the file that defines one, and the name it has there.
    pub(super) items: BTreeSet<(usize, String)>,
    /// Whether the name is known here at all, even as something of another crate.
    known: bool,
}

impl Found {
    fn module(module: usize) -> Self {
        Found { module: Some(module), items: BTreeSet::new(), known: true }
    }

    fn item(file: usize, name: &str) -> Self {
        Found { module: None, items: BTreeSet::from([(file, name.to_owned())]), known: true }
    }

    fn macros(files: &BTreeSet<usize>, name: &str) -> Self {
        Found { module: None, items: files.iter().map(|file| (*file, name.to_owned())).collect(), known: true }
    }

    fn add(&mut self, other: Found) {
        self.module = self.module.or(other.module);
        self.items.extend(other.items);
        self.known |= other.known;
    }
}

/// A place from which names are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The file.
    pub(super) file: usize,
    /// The scope in it.
    pub(super) scope: usize,
}

/// Imports that are being followed, so that an import that leads back to itself ends.
type Followed = HashSet<(usize, usize, String)>;

/// The names of a crate.
pub(super) struct Names<'a> {
    tree: &'a Tree,
    /// The files that define a macro of this name anywhere.
    macros: HashMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Names<'a> {
    /// Those of a tree.
    pub(super) fn of(tree: &'a Tree) -> Self {
        let mut macros: HashMap<&str, BTreeSet<usize>> = HashMap::new();
        for (number, file) in tree.files.iter().enumerate() {
            let items = file.facts.scopes.iter().flat_map(|scope| &scope.items);
            for (name, _) in items.filter(|(_, items)| items.iter().any(|item| item.is_macro)) {
                macros.entry(name).or_default().insert(number);
            }
        }
        Names { tree, macros }
    }

    /// What a path stands for at a place.
    pub(super) fn find(&self, path: &[String], place: Place, wanted: Wanted) -> Found {
        self.follow(path, place, wanted, &mut Followed::new())
    }

    /// Every name that other code may take from a module.
    pub(super) fn exported(&self, module: usize) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.export(module, &mut BTreeSet::new(), &mut names);
        names
    }

    fn export(&self, module: usize, seen: &mut BTreeSet<usize>, names: &mut BTreeSet<String>) {
        if !seen.insert(module) {
            return;
        }
        let place = self.place_of(module);
        let scope = &self.tree.files[place.file].facts.scopes[place.scope];
        let items = scope.items.iter().filter(|(_, items)| items.iter().any(|item| item.public)).map(|(name, _)| name);
        let imports = scope.imports.iter().filter(|(_, list)| list.iter().any(|one| one.public)).map(|(name, _)| name);
        names.extend(items.chain(imports).cloned());
        for glob in scope.globs.iter().filter(|glob| glob.public) {
            if let Some(inner) = self.find(&glob.path, place, Wanted::Any).module {
                self.export(inner, seen, names);
            }
        }
    }

    fn place_of(&self, module: usize) -> Place {
        let module = &self.tree.modules[module];
        Place { file: module.file, scope: module.scope }
    }

    fn module_of(&self, place: Place) -> usize {
        self.tree.files[place.file].modules[place.scope]
    }

    fn follow(&self, path: &[String], place: Place, wanted: Wanted, followed: &mut Followed) -> Found {
        let own = self.module_of(place);
        let mut here = None;
        for (index, name) in path.iter().enumerate() {
            let last = index + 1 == path.len();
            let wanted = if last { wanted } else { Wanted::Name };
            let found = match (name.as_str(), here) {
                ("crate", None) => Found::module(0),
                ("self", _) => Found::module(here.unwrap_or(own)),
                ("super", _) => Found::module(self.tree.modules[here.unwrap_or(own)].parent),
                (name, None) => self.around(name, place, wanted, followed),
                (name, Some(module)) => {
                    let found = self.in_module(name, module, wanted, own, followed);
                    if last && !found.known { self.unwritten(name, module, wanted) } else { found }
                }
            };
            match found.module {
                Some(module) if !last => here = Some(module),
                _ => return found,
            }
        }
        Found::default()
    }

    /// A single name: the scopes around it up to the module, then macros by their position in the text.
    fn around(&self, name: &str, place: Place, wanted: Wanted, followed: &mut Followed) -> Found {
        let mut scope = place.scope;
        loop {
            let at = Place { file: place.file, scope };
            let found = self.in_scope(name, at, wanted, self.module_of(place), followed);
            if found.known {
                return found;
            }
            let inner = &self.tree.files[place.file].facts.scopes[scope];
            if inner.kind != Kind::Block {
                break;
            }
            scope = inner.parent;
        }
        match self.macros.get(name) {
            Some(files) if wanted == Wanted::Macro && files.contains(&place.file) => Found::item(place.file, name),
            Some(files) if wanted != Wanted::Name => Found::macros(files, name),
            _ => Found::default(),
        }
    }

    /// A name of a module, as code in the module `asker` sees it.
    fn in_module(&self, name: &str, module: usize, wanted: Wanted, asker: usize, followed: &mut Followed) -> Found {
        self.in_scope(name, self.place_of(module), wanted, asker, followed)
    }

    fn in_scope(&self, name: &str, place: Place, wanted: Wanted, asker: usize, followed: &mut Followed) -> Found {
        let scope = &self.tree.files[place.file].facts.scopes[place.scope];
        let module = self.module_of(place);
        let inside = self.tree.is_within(asker, module);
        let mut found = Found::default();
        if scope.items.get(name).is_some_and(|items| items.iter().any(|i| wanted.fits(i) && (i.public || inside))) {
            found.add(Found::item(place.file, name));
        }
        if scope.kind != Kind::Block
            && wanted != Wanted::Macro
            && let Some(child) = self.tree.modules[module].children.get(name)
        {
            found.add(Found::module(*child));
        }
        let mut hidden = false;
        for import in scope.imports.get(name).into_iter().flatten() {
            if import.public || inside {
                found.add(self.imported(import, name, place, wanted, followed));
            } else {
                hidden = true;
            }
        }
        if found.known || hidden {
            return found;
        }
        for glob in scope.globs.iter().filter(|glob| glob.public || inside) {
            found.add(self.by_glob(glob, name, place, wanted, asker, followed));
        }
        if !found.known && scope.made.contains(name) && wanted != Wanted::Macro {
            found.add(Found::item(place.file, name));
        }
        found
    }

    /// What an import brings in.
    fn imported(&self, import: &Import, name: &str, place: Place, wanted: Wanted, followed: &mut Followed) -> Found {
        let key = (place.file, import.number, name.to_owned());
        if !followed.insert(key.clone()) {
            return Found::default();
        }
        let mut found = self.follow(&import.path, place, wanted, followed);
        followed.remove(&key);
        if import.by_self && found.module.is_some() {
            found.items.clear();
        }
        // Something of another crate is known too; but a name may be imported beside a macro of that name.
        found.known |= wanted != Wanted::Macro;
        found
    }

    /// A name that a glob imports, if it imports it.
    fn by_glob(
        &self,
        glob: &Import,
        name: &str,
        place: Place,
        wanted: Wanted,
        asker: usize,
        followed: &mut Followed,
    ) -> Found {
        let key = (place.file, glob.number, name.to_owned());
        if !followed.insert(key.clone()) {
            return Found::default();
        }
        let found = match self.follow(&glob.path, place, Wanted::Name, followed).module {
            Some(module) => self.in_module(name, module, wanted, asker, followed),
            None => Found::default(),
        };
        followed.remove(&key);
        found
    }

    /// A name that is not written in the module it is taken from: an exported macro, which is named from the root, or
    /// something that a macro has made there, unless it comes from a glob of another crate.
    fn unwritten(&self, name: &str, module: usize, wanted: Wanted) -> Found {
        if wanted != Wanted::Name
            && let Some(files) = self.macros.get(name)
        {
            return Found::macros(files, name);
        }
        if wanted == Wanted::Macro {
            return Found::default();
        }
        let place = self.place_of(module);
        let facts = &self.tree.files[place.file].facts;
        if facts.has_code && facts.scopes[place.scope].globs.is_empty() {
            Found::item(place.file, name)
        } else {
            Found::default()
        }
    }
}
