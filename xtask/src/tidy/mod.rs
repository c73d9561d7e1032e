//! Tidy: the house's rules as a test. One file per rule; exceptions stand in the rule's code with their reason.
//!
//! Owns: collecting complaints and printing them. Must not know: what a single rule looks for. The rules come from
//! DESIGN.md ("The house") and style.md section 6.

mod arrows;
mod guard;
mod heads;
mod layers;
mod pairs;
mod sizes;
mod words;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use crate::source::tree;

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// File, from the root of the tree.
    pub(crate) path: String,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Name of the rule.
    pub(crate) rule: &'static str,
    /// What is wrong.
    pub(crate) what: String,
    /// Why that is a problem.
    pub(crate) why: String,
    /// What to do instead.
    pub(crate) todo: String,
}

impl Complaint {
    /// All its parts.
    pub(crate) fn new(path: &str, line: usize, rule: &'static str, what: &str, why: &str, todo: &str) -> Self {
        Complaint {
            path: path.to_owned(),
            line,
            rule,
            what: what.to_owned(),
            why: why.to_owned(),
            todo: todo.to_owned(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint { path, line, rule, what, why, todo } = self;
        write!(f, "{path}:{line}: {rule}: {what}; {why}; {todo}")
    }
}

/// Holds the tree at `root` against every rule.
pub(crate) fn complaints(root: &Path) -> Result<Vec<Complaint>> {
    let files = tree(root)?;
    let mut all = arrows::between_crates(&arrows::workspace(root)?);
    for file in &files {
        all.extend(arrows::purity(file));
        all.extend(sizes::check(file));
        all.extend(heads::check(file));
        all.extend(words::check(file));
        all.extend(guard::check(file));
    }
    all.extend(heads::links(&files));
    all.extend(pairs::check(&files));
    all.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
    Ok(all)
}

/// Prints what is wrong; an error where anything is.
pub(crate) fn run(root: &Path) -> Result<()> {
    let all = complaints(root)?;
    for complaint in &all {
        eprintln!("{complaint}");
    }
    anyhow::ensure!(all.is_empty(), "tidy has {} complaint(s); each line says what to do", all.len());
    println!("tidy: nothing to complain about");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules hold for this very tree, so `cargo test` alone is enough to learn of a broken one.
    #[test]
    fn the_tree_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent");
        let all = complaints(root).expect("git and cargo answer");
        let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "cargo xtask tidy:\n{}", lines.join("\n"));
    }
}
