//! The cycles of one crate: what each of its files takes from which other file, and which of them form cycles.
//!
//! Must not know: how many cycles a crate may have.

use std::collections::BTreeMap;

use super::facts::{Import, Scope};
use super::graph;
use super::names::{Found, Names, Place, Wanted};
use super::tree::Tree;

/// Files that import each other, directly or through others of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Circle {
    /// The files, from the root of the checkout.
    pub(super) files: Vec<String>,
    /// What causes the cycle: everything that one of the files takes from another.
    pub(super) ties: Vec<Tie>,
}

/// What one file takes from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tie {
    /// The file that takes.
    pub(super) from: String,
    /// Where it first does so.
    pub(super) line: usize,
    /// The file that defines.
    pub(super) to: String,
    /// What it takes.
    pub(super) names: Vec<String>,
}

/// Names by the files that take and define them, each with the line where it is first taken.
type Taken = BTreeMap<(usize, usize), BTreeMap<String, usize>>;

/// The cycles in a crate with this root, in the order of their files. An error is a file that cannot be read.
pub(super) fn circles(root: &str, texts: &BTreeMap<&str, &str>) -> Result<Vec<Circle>, (String, syn::Error)> {
    let tree = Tree::grow(root, texts)?;
    let taken = taken(&tree);
    let mut arrows = vec![Vec::new(); tree.files.len()];
    for (from, to) in taken.keys() {
        arrows[*from].push(*to);
    }
    let path = |file: usize| tree.files[file].path.clone();
    let circle = |members: Vec<usize>| {
        let inner = taken.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let mut ties: Vec<Tie> = inner
            .map(|((from, to), names)| Tie {
                from: path(*from),
                line: names.values().min().copied().unwrap_or(1),
                to: path(*to),
                names: names.keys().cloned().collect(),
            })
            .collect();
        ties.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        let mut files: Vec<String> = members.into_iter().map(path).collect();
        files.sort();
        Circle { files, ties }
    };
    let mut all: Vec<Circle> = graph::circles(&arrows).into_iter().map(circle).collect();
    all.sort_by(|a, b| a.files.cmp(&b.files));
    Ok(all)
}

/// What the files of a crate take from each other. A file that only declares and re-exports takes nothing: code that
/// uses its names takes them from the file that defines them.
fn taken(tree: &Tree) -> Taken {
    let mut taker = Taker { names: Names::of(tree), taken: Taken::new() };
    for (file, one) in tree.files.iter().enumerate().filter(|(_, one)| one.facts.has_code) {
        for (scope, facts) in one.facts.scopes.iter().enumerate() {
            taker.scope(facts, Place { file, scope });
        }
    }
    taker.taken
}

struct Taker<'a> {
    names: Names<'a>,
    taken: Taken,
}

impl Taker<'_> {
    fn scope(&mut self, scope: &Scope, place: Place) {
        for import in scope.imports.values().flatten() {
            let mut found = self.names.find(&import.path, place, Wanted::Any);
            // A module beside something else of its name: the use of the name shows what is meant. A file that
            // re-exports the name re-exports both.
            if found.module.is_some() && (import.by_self || !import.public) {
                found.items.clear();
            }
            self.take(found, place, import.line);
        }
        for glob in &scope.globs {
            self.glob(glob, place);
        }
        for (mention, line) in &scope.mentions {
            let wanted = if mention.is_macro { Wanted::Macro } else { Wanted::Name };
            self.take(self.names.find(&mention.path, place, wanted), place, *line);
        }
    }

    /// `use module::*` takes the names that are used, which the code shows, and `pub use module::*` takes all names;
    /// `use Kind::*` takes `Kind`.
    fn glob(&mut self, glob: &Import, place: Place) {
        let found = self.names.find(&glob.path, place, Wanted::Name);
        match found.module {
            None => self.take(found, place, glob.line),
            Some(module) if glob.public => {
                for name in self.names.exported(module) {
                    let mut path = glob.path.clone();
                    path.push(name);
                    self.take(self.names.find(&path, place, Wanted::Any), place, glob.line);
                }
            }
            Some(_) => {}
        }
    }

    fn take(&mut self, found: Found, place: Place, line: usize) {
        for (file, name) in found.items.into_iter().filter(|(file, _)| *file != place.file) {
            let names = self.taken.entry((place.file, file)).or_default();
            let first = names.entry(name).or_insert(line);
            *first = line.min(*first);
        }
    }
}
