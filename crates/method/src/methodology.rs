//! A methodology that was read and understood: its identity, its texts and its checked tree.
//!
//! Owns what is chosen in it (profile, settings, limits, files of traces) and its hash. What a table of it means is
//! said in the file that owns the table, with methods of its own. Must not know: how it is expanded.

use std::fmt::Write as _;
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
use crate::tree::hash::content_hash;
use crate::tree::near::nearest;
use crate::tree::texts::Texts;
use crate::tree::value::Table;

/// What the version of a methodology ends with when parameters were set on the command line.
const SET_MARK: &str = "+set";

/// A methodology, checked.
#[derive(Debug, Clone)]
pub struct Methodology {
    file: String,
    texts: Arc<Texts>,
    root: Table,
    /// The tree with all tests, where `root` has those of a profile.
    whole: Option<Arc<Table>>,
    identity: MethodIdentity,
    sources: Vec<Source>,
    suite: Vec<Entry>,
    settings: Vec<String>,
    limits: Limits,
    traces: Known,
}

/// What a whole plan is held to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Nanos>,
    pub(crate) read_only: Option<String>,
}

/// A methodology whose tests a suite takes over, and what the suite says of it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) table: Table,
    pub(crate) method: Methodology,
}

impl Entry {
    /// What the names of its tests begin with.
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
    /// From trees whose required keys are all there.
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
        let identity = MethodIdentity { name, version, hash: String::new() };
        let (texts, settings, limits, traces) = (Arc::clone(texts), Vec::new(), Limits::default(), Known::default());
        let whole = None;
        let all = Methodology { file, texts, root, whole, identity, sources, suite, settings, limits, traces }.hashed();
        profile::first(&all.root).and_then(|name| all.chosen(name)).unwrap_or(all)
    }

    /// With the tests and values of one of its profiles. Its hash tells it from the others.
    pub(crate) fn chosen(&self, name: &str) -> Option<Methodology> {
        let whole = self.whole.clone().unwrap_or_else(|| Arc::new(self.root.clone()));
        let root = profile::choose(&whole, name)?;
        Some(Methodology { root, whole: Some(whole), ..self.clone() }.hashed())
    }

    /// Names of its profiles, the one that holds where none is named first.
    pub(crate) fn profile_names(&self) -> Vec<&str> {
        self.whole().tables("profiles").iter().map(|profile| profile.text("name")).collect()
    }

    /// Name of the profile that was chosen; empty where there are none.
    #[must_use]
    pub fn profile(&self) -> &str {
        profile::chosen(&self.root).map_or("", |profile| profile.text("name"))
    }

    /// The same methodology with another of its profiles.
    ///
    /// # Errors
    /// No such profile: which there are, in words.
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

    /// With the hash of its content, that of a suite's methodologies among it.
    fn hashed(mut self) -> Self {
        self.identity.hash = content_hash(&self.root);
        if !self.suite.is_empty() {
            let mut hasher = blake3::Hasher::new();
            let parts = self.suite.iter().map(|entry| &entry.method.identity.hash);
            std::iter::once(&self.identity.hash).chain(parts).for_each(|hash| {
                hasher.update(hash.as_bytes());
            });
            self.identity.hash = hasher.finalize().to_hex().to_string();
        }
        self
    }

    /// The same with other trees: its own, and those of its suite, which were changed by settings.
    /// `change` tells which of them are about a tree.
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
            // Scores ask it whether a step that is missing may have been set away.
            entry.method.settings.extend(change(&mut entry.method.root, &prefix));
            entry.method.identity.hash = content_hash(&entry.method.root);
        }
        self.settings.extend(settings.iter().cloned());
        if !self.identity.version.ends_with(SET_MARK) {
            self.identity.version.push_str(SET_MARK);
        }
        self.hashed()
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

    /// The traces that its tests replay, with the files that were given for them.
    #[must_use]
    pub fn traces(&self) -> Vec<TraceDeclared> {
        self.traces.declared(&self.root, self.folder())
    }

    /// Replaces a trace by a file; whether there is a trace of this name.
    pub fn give_trace(&mut self, name: &str, file: PathBuf) -> bool {
        let there = self.root.tables("traces").iter().any(|trace| trace.text("name") == name);
        if there {
            self.traces.give(name, file);
        }
        there
    }

    /// Tells what is in the file of a trace. Without it a plan takes a guess at it, which nobody may run.
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

    /// The forms that the file declares.
    pub(crate) fn declared_forms(&self) -> Vec<Form> {
        self.forms().into_iter().filter(|form| *form != Form::Smoke).collect()
    }

    /// The declared form whose values a form uses: smoke rests on quick, or on faithful where there is no quick.
    pub(crate) fn base_form(&self, form: Form) -> Option<Form> {
        match form {
            Form::Faithful | Form::Quick => self.form_table(form).map(|_| form),
            Form::Smoke => [Form::Quick, Form::Faithful].into_iter().find(|form| self.form_table(*form).is_some()),
        }
    }

    pub(crate) fn form_table(&self, form: Form) -> Option<&Table> {
        self.root.table("forms")?.table(form.name())
    }

    /// The text it was read from, without what it includes.
    #[must_use]
    pub fn source_text(&self) -> &str {
        self.texts.first().1
    }

    /// The text for the record: that of the file, and behind it, as comments, what was set and every text that it
    /// includes, so that it is known what ran.
    #[must_use]
    pub fn recorded_text(&self) -> String {
        let mut text = self.source_text().to_owned();
        for other in self.texts.others() {
            let _ = write!(text, "\n# ---- {}\n", other.name);
            for line in other.text.lines() {
                let _ = writeln!(text, "# {line}");
            }
        }
        text
    }

    /// What was set on the command line.
    #[must_use]
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// The same for so much time, and where `read_only` says why nothing may be written, without what writes: its plans
    /// hold what fits, by priority, and name what they leave out.
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

    /// Where relative paths of the file begin; `None` where the file's place is not known.
    pub(crate) fn folder(&self) -> Option<&Path> {
        Path::new(&self.file).parent()
    }

    pub(crate) const fn root(&self) -> &Table {
        &self.root
    }

    /// Errors that point into this file, or into one that it includes.
    pub(crate) fn diagnostics(&self, errors: Errors) -> Diagnostics {
        Diagnostics::new(&self.texts, errors)
    }
}
