//! From a file with its included files to one tree: derivation from another methodology, and suites of several.
//!
//! Owns finding an included methodology (built in, or a file beside this one) and stopping files from including each
//! other endlessly. `merge` owns what replaces what. Must not know: targets, plans.

use std::collections::VecDeque;
use std::path::Path;

use toml::de::DeTable;

use crate::sources::library;
use crate::sources::merge::{derived, unknown_test};
use crate::sources::text_file::read_text;
use crate::tree::check;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::MARKS;
use crate::tree::texts::Texts;
use crate::tree::value::{Located, Table, Value};
use crate::vocabulary::file;

/// Most methodologies that may include each other in a chain; more is taken for a mistake.
const DEEPEST: usize = 8;

/// Syntax errors that are shown; the rest of a broken file mostly repeats them.
const SYNTAX_ERRORS: usize = 10;

/// A file understood as a tree, with the suite that it names.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    pub(crate) file: String,
    pub(crate) root: Table,
    pub(crate) suite: Vec<ReadEntry>,
}

/// An entry of a suite: its table, and the methodology that it names.
#[derive(Debug, Clone)]
pub(crate) struct ReadEntry {
    pub(crate) table: Table,
    pub(crate) read: Read,
}

/// Reads files into one sequence of texts, and keeps every error.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) texts: Texts,
    pub(crate) errors: Errors,
    /// The files that are being read, outermost first.
    chain: Vec<String>,
    /// The included texts with their names, in the order in which they are read, where they are not looked for.
    given: Option<VecDeque<(String, String)>>,
}

impl Reader {
    /// One that takes included texts from these, whatever they are called, and reads no files.
    pub(crate) fn with_texts(texts: VecDeque<(String, String)>) -> Self {
        Reader { given: Some(texts), ..Reader::default() }
    }

    /// The tree of a file with everything that it includes; `None` if it is not TOML.
    pub(crate) fn read(&mut self, file: &str, text: &str) -> Option<Read> {
        let base = self.texts.add(file, text);
        let (tree, syntax) = DeTable::parse_recoverable(text);
        if !syntax.is_empty() {
            let errors = syntax.iter().take(SYNTAX_ERRORS).map(|error| {
                let at = error.span().unwrap_or(0..0);
                Diagnostic::new(at, "the file is not valid TOML", error.message()).moved(base)
            });
            self.errors.extend(errors);
            return None;
        }
        let is_derived = tree.get_ref().keys().any(|key| key.get_ref() == "include");
        // What a derived file lacks may be in the file that it includes.
        let mut errors = if is_derived { Errors::that_may_lack() } else { Errors::default() };
        let root = check::table(tree.get_ref(), tree.span(), &file::FILE, &mut errors).moved(base);
        self.errors.join(errors.moved(base));
        self.chain.push(file.to_owned());
        let read = self.with_included(file, root);
        self.chain.pop();
        read
    }

    fn with_included(&mut self, file: &str, mut root: Table) -> Option<Read> {
        let folder = Path::new(file).parent();
        let mut suite = Vec::new();
        let mut entries = root.tables("suite").to_vec();
        if let Some(include) = root.entries.remove("include") {
            let Value::Table(include) = include.value.value else { return None };
            self.own_identity(&root);
            let mut read = self.included(&include, folder)?;
            let name = include.text("method");
            if let (None, Some(sub)) = (library::find(name), Path::new(name).parent()) {
                sought_in(&mut read.root, sub);
            }
            root = derived(read.root, root, include.list("drop_tests"), &mut self.errors);
            // A file's own suite replaces the included suite, whose methodologies were looked for beside the included
            // file.
            suite = if entries.is_empty() { read.suite } else { Vec::new() };
            check::complete(&root, &file::FILE, &mut self.errors);
        }
        for entry in entries.drain(..) {
            let Some(read) = self.included(&entry, folder) else { continue };
            let known: Vec<String> =
                read.root.tables("tests").iter().map(|test| test.text("name").to_owned()).collect();
            let unknown = entry.list("tests").iter().filter(|name| !known.contains(&name.value.to_string()));
            self.errors.extend(unknown.map(|name| unknown_test(name, &known)));
            if !read.suite.is_empty() {
                let at = entry.get("method").map_or_else(|| entry.at.clone(), |value| value.at.clone());
                let error =
                    Diagnostic::new(at, "a suite cannot hold another suite", "expected a methodology with tests");
                let why = "priorities, needs and names of its tests would be stated in two places: name the methodologies of \
                           that suite here";
                self.errors.push(error.help(why));
                continue;
            }
            suite.push(ReadEntry { table: entry, read });
        }
        Some(Read { file: file.to_owned(), root, suite })
    }

    /// A derived methodology is a different one, so it must state its own format, name and version.
    fn own_identity(&mut self, root: &Table) {
        for key in ["format", "name", "version"].into_iter().filter(|key| !root.has(key) && !root.lacking) {
            let title = format!("`{key}` is missing in a derived methodology");
            let error = Diagnostic::new(
                root.at.clone(),
                title,
                "a methodology that includes another one states its own format, name and version",
            );
            self.errors.push(error.about(key));
        }
    }

    /// Reads the methodology that `method` of a table names.
    fn included(&mut self, table: &Table, folder: Option<&Path>) -> Option<Read> {
        let method = table.get("method")?;
        let name = table.text("method").to_owned();
        let found = match &mut self.given {
            None => found(&name, folder),
            Some(given) => given.pop_front().ok_or_else(|| (format!("'{name}' was not recorded"), String::new())),
        };
        match found {
            Ok((file, _)) if self.chain.contains(&file) => {
                let title = format!("'{name}' includes itself");
                let label = format!("through {}", self.chain.join(", "));
                self.errors.push(Diagnostic::new(method.at.clone(), title, label));
                None
            }
            Ok(_) if self.chain.len() >= DEEPEST => {
                let title = format!("more than {DEEPEST} methodologies include each other in a chain");
                self.errors.push(Diagnostic::new(method.at.clone(), title, "expected fewer"));
                None
            }
            Ok((file, text)) => self.read(&file, &text),
            Err(error) => {
                self.errors.push(not_found(method, error));
                None
            }
        }
    }
}

/// Relative paths of an included file begin in its folder, which is `folder` as seen from the including file.
fn sought_in(table: &mut Table, folder: &Path) {
    for (key, entry) in table.entries.iter_mut().filter(|(key, _)| !MARKS.contains(&key.as_str())) {
        match &mut entry.value.value {
            Value::Text(path) if key == "data_file" => *path = joined(folder, path),
            Value::Table(inner) => sought_in(inner, folder),
            Value::Tables(all) => {
                for inner in all {
                    if let (true, Some(file)) = (key == "traces", inner.entries.get_mut("file"))
                        && let Value::Text(path) = &mut file.value.value
                    {
                        *path = joined(folder, path);
                    }
                    sought_in(inner, folder);
                }
            }
            _ => {}
        }
    }
}

fn joined(folder: &Path, path: &str) -> String {
    folder.join(path).display().to_string()
}

fn not_found(method: &Located<Value>, (title, label): (String, String)) -> Diagnostic {
    let near = library::near(&method.value.to_string());
    Diagnostic::new(method.at.clone(), title, label).near(near)
}

/// The text behind a name: what messages call it, and the text; or what is wrong, and what was expected.
fn found(name: &str, folder: Option<&Path>) -> Result<(String, String), (String, String)> {
    if let Some(built_in) = library::find(name) {
        return Ok((format!("methods/{name}.toml"), built_in.text.to_owned()));
    }
    if !name.contains('/') && !name.ends_with(".toml") {
        let known: Vec<&str> = library::all().iter().map(|built_in| built_in.name).collect();
        let title = format!("there is no methodology called '{name}'");
        return Err((title, format!("expected a file, or one of: {}", known.join(", "))));
    }
    let path = folder.unwrap_or(Path::new("")).join(name);
    let file = path.display().to_string();
    match read_text(&path) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err((format!("cannot read the included methodology '{file}'"), error.to_string())),
    }
}
