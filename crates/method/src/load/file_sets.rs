//! `[[file_sets]]`: file sets, in each form.
//!
//! Owns what a set's keys mean together. Must not know: folders, what is done with a set.

use drivelab_core::files::{FileSet, FileSizes};
use drivelab_core::plan::{Approximation, Form};
use drivelab_core::units::{Bytes, Percent};

use crate::load::seed::derived_seed;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::{Mark, mark_in};
use crate::tree::value::{Table, name_at};
use crate::vocabulary::files::SET;
use crate::vocabulary::load::SEED;

/// The smoke form: most files and bytes of a set.
const SMOKE: (u32, Bytes) = (48, Bytes::new(2 << 20));

/// Keys that state how large files are: exactly one of them, alone or with the keys that belong to it.
const LAWS: [&str; 3] = ["size", "median", "smallest"];

/// A set's table, with the values of a form on top.
pub(crate) struct SetTable<'m> {
    own: &'m Table,
    form: Option<&'m Table>,
    /// The faithful form's table, for the quick form: a value that the quick form shortens needs no mark of its own.
    faithful: Option<Box<SetTable<'m>>>,
}

impl<'m> SetTable<'m> {
    pub(crate) fn in_form(root: &Table, own: &'m Table, base: Form) -> Self {
        let form = own.table("forms").and_then(|forms| forms.table(base.name()));
        let shortened = base == Form::Quick && root.table("forms").is_some_and(|it| it.has("faithful"));
        let faithful = shortened.then(|| Box::new(SetTable::in_form(root, own, Form::Faithful)));
        SetTable { own, form, faithful }
    }

    pub(crate) fn of(&self, key: &str) -> &'m Table {
        self.form.filter(|form| form.has(key)).unwrap_or(self.own)
    }

    fn has(&self, key: &str) -> bool {
        self.of(key).has(key)
    }

    fn size(&self, key: &str) -> Option<Bytes> {
        self.of(key).size(key)
    }

    fn at(&self, key: &str) -> std::ops::Range<usize> {
        self.of(key).get(key).map_or_else(|| name_at(self.own), |value| value.at.clone())
    }

    /// Where a value comes from.
    pub(crate) fn mark(&self, key: &str) -> Mark {
        let form = self.form.filter(|form| form.has(key));
        if let Some(mark) = self.form.and_then(|form| mark_in(form, key)) {
            return mark;
        }
        match (form, &self.faithful) {
            (Some(_), Some(faithful)) => Mark::shortened(&faithful.mark(key)),
            (Some(_), None) => Mark::Unmarked,
            (None, _) => mark_in(self.own, key).unwrap_or(Mark::Unmarked),
        }
    }

    /// Every value of the set that no source states, with the reason.
    fn approximations(&self) -> Vec<Approximation> {
        let keys = SET.iter().map(|key| key.name).filter(|key| self.has(key));
        let mark = |key: &str| match self.mark(key) {
            Mark::Approximation(reason) => Some(Approximation { parameter: key.to_owned(), reason }),
            Mark::Stated(_) | Mark::Derived(_) | Mark::Unmarked => None,
        };
        keys.filter_map(mark).collect()
    }
}

/// The sets of a methodology in a form; wrong ones are left out.
pub(crate) fn sets(scope: &Scope<'_>, errors: &mut Errors) -> Vec<(FileSet, Vec<Approximation>)> {
    let mut sets = Vec::new();
    for table in scope.root().tables("file_sets") {
        let table = SetTable::in_form(scope.root(), table, scope.base);
        match set(scope, &table) {
            Ok(set) => sets.push((set, table.approximations())),
            Err(error) => errors.push(error),
        }
    }
    sets
}

fn set(scope: &Scope<'_>, table: &SetTable<'_>) -> Result<FileSet, Diagnostic> {
    let name = table.own.text("name");
    let wrong = |at, title: String, label: &str| Err(Diagnostic::new(at, title, label));
    let Some(count) = table.of("count").whole("count").and_then(|count| u32::try_from(count).ok()) else {
        return wrong(name_at(table.own), format!("the set '{name}' does not say how many files"), "expected `count`");
    };
    let stated: Vec<&str> = LAWS.into_iter().filter(|law| table.has(law)).collect();
    let [law] = stated[..] else {
        let title = format!("the set '{name}' does not state in exactly one way how large its files are");
        return wrong(name_at(table.own), title, "expected `size`, or `median`, or `smallest` and `largest`");
    };
    let seed = derived_seed(table.of("seed").whole("seed").unwrap_or(SEED), &format!("files/{name}"));
    let total = table.size("total");
    let sizes = match law {
        "size" => fixed(table)?,
        "median" => log_normal(table, count, total, seed)?,
        _ => log_uniform(table)?,
    };
    if let Some(total) = total.filter(|total| total.get() < u64::from(count)) {
        return wrong(
            table.at("total"),
            format!("{total} are too few for {count} files"),
            "expected at least one byte for each",
        );
    }
    let compress = table.of("compress_percent").whole("compress_percent").unwrap_or(0);
    let compress_percent = Percent::new(compress).unwrap_or_default();
    let set = FileSet { name: name.to_owned(), count, sizes, total, seed, compress_percent };
    Ok(if scope.smoke() { set.at_most(SMOKE.0, SMOKE.1) } else { set })
}

fn only(table: &SetTable<'_>, law: &str, others: &[&str]) -> Result<(), Diagnostic> {
    match others.iter().find(|key| table.has(key)) {
        None => Ok(()),
        Some(key) => {
            let title = format!("`{key}` does not apply to files whose sizes follow from `{law}`");
            Err(Diagnostic::new(table.at(key), title, "remove it"))
        }
    }
}

fn fixed(table: &SetTable<'_>) -> Result<FileSizes, Diagnostic> {
    only(table, "size", &["sigma", "largest", "total"])?;
    let size = table.size("size").unwrap_or_default();
    if size.get() == 0 {
        return Err(Diagnostic::new(table.at("size"), "an empty file moves nothing", "expected at least 1 B"));
    }
    Ok(FileSizes::Fixed { size })
}

fn log_normal(table: &SetTable<'_>, count: u32, total: Option<Bytes>, seed: u64) -> Result<FileSizes, Diagnostic> {
    only(table, "median", &["largest"])?;
    let median = table.size("median").unwrap_or_default();
    let sigma = table.of("sigma").decimal("sigma").and_then(|sigma| u32::try_from(sigma * 1000).ok());
    match (sigma, total) {
        (Some(sigma_millionths), None) => Ok(FileSizes::LogNormal { median, sigma_millionths }),
        (None, Some(total)) => FileSizes::log_normal_of_total(median, count, total, seed).ok_or_else(|| {
            let title = format!("{count} files with a median of {median} cannot total {total}");
            Diagnostic::new(table.at("total"), title, "expected more than the median times their number")
        }),
        _ => {
            let title = "the spread of log-normal sizes is not stated in exactly one way";
            Err(Diagnostic::new(table.at("median"), title, "expected `sigma` or `total` beside it"))
        }
    }
}

fn log_uniform(table: &SetTable<'_>) -> Result<FileSizes, Diagnostic> {
    only(table, "smallest", &["sigma"])?;
    match (table.size("smallest"), table.size("largest")) {
        (Some(smallest), Some(largest)) if smallest.get() > 0 && smallest < largest => {
            Ok(FileSizes::LogUniform { smallest, largest })
        }
        _ => {
            let title = "the bounds of the sizes are not stated, or not in order";
            Err(Diagnostic::new(table.at("smallest"), title, "expected `largest` above it, and more than 0 B"))
        }
    }
}
