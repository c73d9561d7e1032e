//! A methodology that was read and understood: its identity, its texts and its checked tree.
//!
//! Owns reading a text. Every form is expanded once for the target size that is wanted, so an error that does not
//! depend on the target is known before there is one.

use std::path::Path;
use std::sync::Arc;

use drivelab_core::plan::{Form, MethodIdentity, Source};
use drivelab_core::units::Bytes;
use toml::de::DeTable;

use crate::diagnose::{Diagnostic, Diagnostics};
use crate::estimate::SpeedGuess;
use crate::expand::{SMOKE_SIZE, TargetShape, attempt};
use crate::value::{Table, content_hash};
use crate::{check, keys, meaning};

/// Syntax errors that are shown; the rest of a broken file is mostly their echo.
const SYNTAX_ERRORS: usize = 10;

/// A methodology, checked.
#[derive(Debug, Clone)]
pub struct Methodology {
    file: String,
    source: Arc<str>,
    root: Table,
    identity: MethodIdentity,
    sources: Vec<Source>,
}

/// Reads a methodology. `file_name` is what messages call the file.
///
/// # Errors
/// [`Diagnostics`] with everything that is wrong: syntax, unknown keys, wrong values, contradictions, and what this
/// version cannot do yet.
pub fn parse(file_name: &str, text: &str) -> Result<Methodology, Diagnostics> {
    let source: Arc<str> = text.into();
    let fail = |errors| Err(Diagnostics::new(file_name, &source, errors));
    let (tree, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        return fail(syntax.iter().take(SYNTAX_ERRORS).map(syntax_error).collect());
    }
    let mut errors = Vec::new();
    let root = check::table(tree.get_ref(), tree.span(), &keys::FILE, &mut errors);
    meaning::check(&root, &mut errors);
    if !errors.is_empty() {
        return fail(errors);
    }
    let methodology = Methodology::understood(file_name, Arc::clone(&source), root);
    for form in methodology.forms() {
        let capacity = methodology.file_size(form);
        let shape = TargetShape { capacity, offset_align: Bytes::new(1), guess: SpeedGuess::default() };
        if let Err(found) = attempt(&methodology, form, &shape) {
            errors.extend(found);
        }
    }
    if errors.is_empty() { Ok(methodology) } else { fail(errors) }
}

fn syntax_error(error: &toml::de::Error) -> Diagnostic {
    let at = error.span().unwrap_or(0..0);
    Diagnostic::new(at, "the file is not valid TOML", error.message())
}

impl Methodology {
    /// From a tree whose required keys are all there.
    fn understood(file: &str, source: Arc<str>, root: Table) -> Self {
        let identity = MethodIdentity {
            name: root.text("name").to_owned(),
            version: root.text("version").to_owned(),
            hash: content_hash(&root),
        };
        let source_of =
            |one: &Table| Source { id: one.text("id").to_owned(), citation: one.text("citation").to_owned() };
        let sources = root.tables("sources").iter().map(source_of).collect();
        Methodology { file: file.to_owned(), source, root, identity, sources }
    }

    /// Name, version and content hash: what makes two methodologies the same.
    #[must_use]
    pub const fn identity(&self) -> &MethodIdentity {
        &self.identity
    }

    /// Title for people.
    #[must_use]
    pub fn title(&self) -> &str {
        self.root.text("title")
    }

    /// What it does, in a sentence or two.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.root.text("summary")
    }

    /// Which question it answers well.
    #[must_use]
    pub fn good_for(&self) -> &str {
        self.root.text("good_for")
    }

    /// What its results do not show.
    #[must_use]
    pub fn cannot_tell(&self) -> &str {
        self.root.text("cannot_tell")
    }

    /// What it cites.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether it runs on whatever the command names, and not on files only.
    #[must_use]
    pub fn takes_any_target(&self) -> bool {
        self.root.table("target").is_some_and(|target| target.text("kind") == "any")
    }

    /// Whether it runs on block devices too, of which it uses as much as it wants of a file.
    #[must_use]
    pub fn takes_block_devices(&self) -> bool {
        self.takes_any_target()
            || self.root.table("target").is_some_and(|target| target.text("kind") == "file_or_block")
    }

    /// Whether reads take what the target holds already, instead of what a preparation wrote.
    #[must_use]
    pub fn reads_as_found(&self) -> bool {
        self.root.table("target").is_some_and(|target| target.text("content") == "as_found")
    }

    /// Size of the file that is wanted in a form.
    #[must_use]
    pub fn file_size(&self, form: Form) -> Bytes {
        self.target_size(form, "size")
    }

    /// Size of the target below which the methodology says nothing useful in a form, and is refused.
    #[must_use]
    pub fn minimum_size(&self, form: Form) -> Bytes {
        self.target_size(form, "minimum_size")
    }

    fn target_size(&self, form: Form, key: &str) -> Bytes {
        if form == Form::Smoke {
            return SMOKE_SIZE;
        }
        let own = self.form_table(form).and_then(|table| table.table("target")).and_then(|target| target.size(key));
        let general = || self.root.table("target").and_then(|target| target.size(key));
        own.or_else(general).unwrap_or(SMOKE_SIZE)
    }

    /// The forms in which it exists, smoke last.
    #[must_use]
    pub fn forms(&self) -> Vec<Form> {
        let declared = [Form::Faithful, Form::Quick].into_iter().filter(|form| self.form_table(*form).is_some());
        declared.chain([Form::Smoke]).collect()
    }

    /// The declared form whose values a form uses: smoke rests on quick, or on faithful where there is no quick.
    pub(crate) fn base_form(&self, form: Form) -> Option<Form> {
        match form {
            Form::Faithful | Form::Quick => self.form_table(form).map(|_| form),
            Form::Smoke => [Form::Quick, Form::Faithful].into_iter().find(|form| self.form_table(*form).is_some()),
        }
    }

    fn form_table(&self, form: Form) -> Option<&Table> {
        self.root.table("forms")?.table(form.name())
    }

    /// The text it was read from.
    #[must_use]
    pub fn source_text(&self) -> &str {
        &self.source
    }

    /// What messages call the file.
    #[must_use]
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// Where relative paths of the file begin; `None` where the file's place is not known.
    pub(crate) fn folder(&self) -> Option<&Path> {
        Path::new(&self.file).parent()
    }

    pub(crate) const fn root(&self) -> &Table {
        &self.root
    }

    /// Errors that point into this file.
    pub(crate) fn diagnostics(&self, errors: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(&self.file, &self.source, errors)
    }
}
