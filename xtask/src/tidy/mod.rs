//! Tidy: the project's rules as a test. One file per rule; exceptions are in the rule's code with their reason.
//!
//! Owns: collecting complaints and printing them. Must not know: what a single rule looks for. The rules come from
//! DESIGN.md ("The house") and style.md section 6.

mod arrows;
mod baseline;
mod circles;
mod complaint;
mod folders;
mod guard;
mod heads;
mod layers;
mod pairs;
mod sizes;
mod unused;
mod words;

use std::path::Path;

use anyhow::Result;

use self::complaint::Complaint;
use crate::source::tree;

/// Checks the tree at `root` against every rule.
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
    all.extend(circles::check(&files));
    all.extend(folders::check(&files));
    all.extend(unused::check(&files));
    all.sort_by(|a, b| (&a.path, a.line, a.rule).cmp(&(&b.path, b.line, b.rule)));
    Ok(all)
}

/// Prints what is wrong; an error if anything is.
pub(crate) fn run(root: &Path) -> Result<()> {
    let all = complaints(root)?;
    for complaint in &all {
        eprintln!("{complaint}");
    }
    anyhow::ensure!(all.is_empty(), "tidy has {} complaint(s); each line says what to do", all.len());
    println!("tidy: nothing to complain about");
    Ok(())
}

/// Prints every import cycle, including those that are still allowed.
pub(crate) fn show_circles(root: &Path) -> Result<()> {
    print!("{}", circles::show(&tree(root)?));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules apply to this very tree, so `cargo test` alone is enough to find a broken rule.
    #[test]
    fn the_tree_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent");
        let all = complaints(root).expect("git and cargo answer");
        let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "cargo xtask tidy:\n{}", lines.join("\n"));
    }
}
