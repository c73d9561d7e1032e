//! A methodology that was read and checked: its identity, its texts and its tree.
//!
//! Owns what is chosen in it (profile, settings, limits, trace files) and its hash. The file that owns a table
//! defines what the table means, with methods of its own. Must not know: how it is expanded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_core::plan::{Form, MethodIdentity, Source};
use drivelab_core::replay::TraceFacts;
use drivelab_core::units::Nanos;

use crate::sources::include::Read;
use crate::sources::profile;
use crate::sources::traces::{Known, TraceDeclared};
use crate::tree::diagnose::Diagnostics;
use crate::tree::errors::Errors;
use crate::tree::hash::{compared_hash, content_hash};
use crate::tree::near::nearest;
use crate::tree::texts::Texts;
use crate::tree::value::Table;

/// Suffix of a methodology's version when parameters were set on the command line.
const SET_MARK: &str = "+set";

/// A methodology, checked.
#[derive(Debug, Clone)]
pub struct Methodology {
    file: String,
    texts: Arc<Texts>,
    root: Table,
    /// The tree with all tests, if `root` has only those of a profile.
    whole: Option<Arc<Table>>,
    identity: MethodIdentity,
    sources: Vec<Source>,
    suite: Vec<Entry>,
    settings: Vec<String>,
    limits: Limits,
    traces: Known,
}

/// Limits of the whole plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Nanos>,
    pub(crate) read_only: Option<String>,
}

/// A methodology whose tests a suite takes over, and what the suite states about it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) table: Table,
    pub(crate) method: Methodology,
}

impl Entry {
    /// Prefix of its tests' names.
    pub(crate) fn prefix(&self) -> &str {
        if self.table.has("prefix") { self.table.text("prefix") } else { &self.method.identity.name }
    }

    /// Whether the suite takes over this test of the methodology.
    pub(crate) fn takes(&self, test: &str) -> bool {
        let wanted = self.table.list("tests");
        wanted.is_empty() || wanted.iter().any(|name| name.value.to_string() == test)
    }
}

impl Methodology {
    /// Made from trees that have all required keys.
    pub(crate) fn understood(read: Read, texts: &Arc<Texts>) -> Self {
        let Read { file, root, suite } = read;
        let suite: Vec<Entry> = suite
            .into_iter()
            .map(|entry| Entry { table: entry.table, method: Methodology::understood(entry.read, texts) })
            .collect();
        let source_of =
            |one: &Table| Source { id: one.text("id").to_owned(), citation: one.text("citation").to_owned() };
        let sources = root.tables("sources").iter().map(source_of).collect();
        let (name, version) = (root.text("name").to_owned(), root.text("version").to_owned());
        let identity = MethodIdentity { name, version, hash: String::new(), compared_hash: None };
        let (texts, settings, limits, traces) = (Arc::clone(texts), Vec::new(), Limits::default(), Known::default());
        let whole = None;
        let all = Methodology { file, texts, root, whole, identity, sources, suite, settings, limits, traces }.hashed();
        profile::first(&all.root).and_then(|name| all.chosen(name)).unwrap_or(all)
    }

    /// The methodology with the tests and values of one of its profiles. Its hash differs from those of other
    /// profiles.
    pub(crate) fn chosen(&self, name: &str) -> Option<Methodology> {
        let whole = self.whole.clone().unwrap_or_else(|| Arc::new(self.root.clone()));
        let root = profile::choose(&whole, name)?;
        Some(Methodology { root, whole: Some(whole), ..self.clone() }.hashed())
    }

    /// Names of its profiles; the default, which applies if none is named, comes first.
    pub(crate) fn profile_names(&self) -> Vec<&str> {
        self.whole().tables("profiles").iter().map(|profile| profile.text("name")).collect()
    }

    /// Name of the chosen profile; empty if there are no profiles.
    #[must_use]
    pub fn profile(&self) -> &str {
        profile::chosen(&self.root).map_or("", |profile| profile.text("name"))
    }

    /// The same methodology with another of its profiles.
    ///
    /// # Errors
    /// There is no such profile; the text names the existing ones.
    pub fn with_profile(&self, name: &str) -> Result<Methodology, String> {
        self.chosen(name).ok_or_else(|| {
            let names = self.profile_names();
            let method = &self.identity.name;
            if names.is_empty() {
                return format!("the methodology '{method}' has no profiles; leave --profile out");
            }
            let near = nearest(name, names.iter().copied());
            let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            format!("the methodology '{method}' has no profile '{name}'{near}\nits profiles are: {}", names.join(", "))
        })
    }

    /// The tree with all tests, whatever the profile.
    pub(crate) fn whole(&self) -> &Table {
        self.whole.as_deref().unwrap_or(&self.root)
    }

    /// Sets the hashes of its content, which cover the methodologies of a suite.
    fn hashed(mut self) -> Self {
        let of_suite = |own: String, of: fn(&MethodIdentity) -> &str| {
            if self.suite.is_empty() {
                return own;
            }
            let mut hasher = blake3::Hasher::new();
            hasher.update(own.as_bytes());
            for entry in &self.suite {
                hasher.update(of(&entry.method.identity).as_bytes());
            }
            hasher.finalize().to_hex().to_string()
        };
        let hash = of_suite(content_hash(&self.root), |part| &part.hash);
        let compared = of_suite(compared_hash(&self.root), MethodIdentity::compared_by);
        (self.identity.hash, self.identity.compared_hash) = (hash, Some(compared));
        self
    }

    /// The methodology with trees changed by settings: its own tree and those of its suite. `change` changes a tree
    /// and returns the settings that apply to it.
    pub(crate) fn set(
        mut self,
        texts: Texts,
        settings: &[String],
        change: &dyn Fn(&mut Table, &str) -> Vec<String>,
    ) -> Self {
        self.texts = Arc::new(texts);
        change(&mut self.root, "");
        for entry in &mut self.suite {
            let prefix = format!("{}-", entry.prefix());
            let method = &mut entry.method;
            // Scores check this to see whether a setting may have removed a missing step.
            method.settings.extend(change(&mut method.root, &prefix));
            *method = method.clone().hashed();
        }
        self.settings.extend(settings.iter().cloned());
        if !self.identity.version.ends_with(SET_MARK) {
            self.identity.version.push_str(SET_MARK);
        }
        self.hashed()
    }

    /// Name, version and hashes of its content: two methodologies with the same ones are the same.
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

    /// The kind of question that it answers well.
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

    /// The traces that its tests replay, with the files that were given for them.
    #[must_use]
    pub fn traces(&self) -> Vec<TraceDeclared> {
        self.traces.declared(&self.root, self.folder())
    }

    /// Replaces a trace by a file; returns whether a trace of this name exists.
    pub fn give_trace(&mut self, name: &str, file: PathBuf) -> bool {
        let there = self.root.tables("traces").iter().any(|trace| trace.text("name") == name);
        if there {
            self.traces.give(name, file);
        }
        there
    }

    /// Stores what a trace file contains. Without it a plan uses a guess, and nobody may run such a plan.
    pub fn know_trace(&mut self, name: &str, facts: TraceFacts) {
        self.traces.tell(name, facts);
    }

    pub(crate) const fn traces_known(&self) -> &Known {
        &self.traces
    }

    /// The forms in which it exists, smoke last.
    #[must_use]
    pub fn forms(&self) -> Vec<Form> {
        let declared = [Form::Faithful, Form::Quick].into_iter().filter(|form| self.form_table(*form).is_some());
        declared.chain([Form::Smoke]).collect()
    }

    /// The forms that the file declares; none for a suite.
    pub(crate) fn declared_forms(&self) -> Vec<Form> {
        self.forms().into_iter().filter(|form| *form != Form::Smoke).collect()
    }

    /// Whether neither it nor a methodology of its suite has a longer form.
    pub(crate) fn is_longest(&self, form: Form) -> bool {
        let has_faithful = self.form_table(Form::Faithful).is_some();
        match form {
            Form::Faithful => true,
            Form::Quick => !has_faithful && self.suite.iter().all(|entry| entry.method.is_longest(form)),
            Form::Smoke => false,
        }
    }

    /// Why a form cannot be used, if the methodology does not declare it. A suite declares none: the forms of its
    /// methodologies count.
    #[must_use]
    pub fn without_form(&self, form: Form) -> Option<String> {
        let lacks = !self.declared_forms().is_empty() && !self.forms().contains(&form);
        lacks.then(|| {
            let (title, forms) = self.lacks_form(form);
            format!("{title}; {forms}")
        })
    }

    /// The message about a form that it does not have, and the forms that it has.
    pub(crate) fn lacks_form(&self, form: Form) -> (String, String) {
        let names: Vec<&str> = self.forms().into_iter().map(Form::name).collect();
        let title = format!("the methodology '{}' has no {} form", self.identity().name, form.name());
        (title, format!("its forms are: {}", names.join(", ")))
    }

    /// The declared form whose values a form uses: smoke uses quick, or faithful if there is no quick form.
    pub(crate) fn base_form(&self, form: Form) -> Option<Form> {
        match form {
            Form::Faithful | Form::Quick => self.form_table(form).map(|_| form),
            Form::Smoke => [Form::Quick, Form::Faithful].into_iter().find(|form| self.form_table(*form).is_some()),
        }
    }

    pub(crate) fn form_table(&self, form: Form) -> Option<&Table> {
        self.root.table("forms")?.table(form.name())
    }

    /// The text it was read from, without included texts.
    #[must_use]
    pub fn source_text(&self) -> &str {
        self.texts.first().1
    }

    /// What was set on the command line.
    #[must_use]
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// The methodology with limits: a time, and a reason why nothing may be written. Its plans contain what fits, by
    /// priority, and name what they leave out.
    #[must_use]
    pub fn within(mut self, time: Option<Nanos>, read_only: Option<String>) -> Self {
        self.limits = Limits { time, read_only };
        self
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The methodologies of its suite.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.suite
    }

    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// What messages call the file.
    #[must_use]
    pub fn file_name(&self) -> &str {
        &self.file
    }

    /// The folder in which relative paths of the file begin; `None` if the file's place is not known.
    pub(crate) fn folder(&self) -> Option<&Path> {
        Path::new(&self.file).parent()
    }

    pub(crate) const fn root(&self) -> &Table {
        &self.root
    }

    /// Errors that point into this file, or into an included one.
    pub(crate) fn diagnostics(&self, errors: Errors) -> Diagnostics {
        Diagnostics::new(&self.texts, errors)
    }
}
