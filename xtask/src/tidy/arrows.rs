//! Rule *arrows*: crates use each other only as the design's table allows, and pure crates stay pure.
//!
//! Facts come from `cargo metadata` (dependencies) and from the sources (names in code). The table is `layers.rs`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Complaint;
use super::layers::{FOR_TESTS, IMPURE, LAYERS, PURE_EXCEPTIONS, PURE_ROOMS, TEST_ARROWS};
use crate::shell::cargo;
use crate::source::SourceFile;

/// What `cargo metadata --no-deps` says about the workspace, as far as it is needed.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or absent for an ordinary one.
    kind: Option<String>,
    /// Set for crates of this workspace.
    path: Option<String>,
}

/// Asks cargo.
pub(crate) fn workspace(root: &Path) -> Result<Workspace> {
    let output = cargo(root, &["metadata", "--no-deps", "--format-version", "1", "--locked"])
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    serde_json::from_slice(&output.stdout).context("cargo metadata printed something unexpected")
}

/// Arrows between crates.
pub(crate) fn between_crates(workspace: &Workspace) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in &workspace.packages {
        let manifest = if package.name == "xtask" {
            "xtask/Cargo.toml".to_owned()
        } else {
            let folder = package.name.strip_prefix("drivelab-").unwrap_or("cli");
            format!("crates/{folder}/Cargo.toml")
        };
        let Some(layer) = LAYERS.iter().find(|layer| layer.room == package.name) else {
            let what = format!("the crate {} has no row in the table of rooms", package.name);
            let todo = "give it a row in ARCHITECTURE.md and in xtask/src/tidy/layers.rs";
            complaints.push(Complaint::new(&manifest, 1, "arrows", &what, "nobody would hold its arrows", todo));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.path.is_some()) {
            let test = dependency.kind.as_deref() == Some("dev");
            let excused = || TEST_ARROWS.iter().any(|arrow| arrow.from == package.name && arrow.to == dependency.name);
            let for_tests = test && FOR_TESTS.contains(&dependency.name.as_str());
            if layer.may_use.contains(&dependency.name.as_str()) || for_tests || (test && excused()) {
                continue;
            }
            let what = format!("{} uses {}", package.name, dependency.name);
            let why = format!("ARCHITECTURE.md lets it use only: {}", list(layer.may_use));
            let todo = "move the shared type to core, or pass the data through the caller";
            complaints.push(Complaint::new(&manifest, 1, "arrows", &what, &why, todo));
        }
    }
    complaints
}

fn list(rooms: &[&str]) -> String {
    if rooms.is_empty() { "nothing".to_owned() } else { rooms.join(", ") }
}

/// Names in the code of pure crates that do I/O, wait, or look at the world.
pub(crate) fn purity(file: &SourceFile) -> Vec<Complaint> {
    if !PURE_ROOMS.iter().any(|room| file.path.starts_with(room)) {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    for (line, code) in file.product_code() {
        for (name, todo) in IMPURE.iter().filter(|(name, _)| code.contains(name)) {
            let excused = PURE_EXCEPTIONS.iter().any(|one| one.path == file.path && one.names.contains(name));
            if !excused {
                let what = format!("`{name}` in a pure room");
                let why = "the same records must give the same figures anywhere";
                complaints.push(Complaint::new(&file.path, line, "arrows", &what, why, todo));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace_of(json: &str) -> Workspace {
        serde_json::from_str(json).expect("the snippet is valid")
    }

    #[test]
    fn an_arrow_against_the_table_is_named_and_an_allowed_one_is_not() {
        let json = r#"{"packages":[{"name":"drivelab-analysis","dependencies":[
            {"name":"drivelab-core","kind":null,"path":"p"},
            {"name":"drivelab-store","kind":null,"path":"p"},
            {"name":"serde","kind":null,"path":null}]}]}"#;
        let complaints = between_crates(&workspace_of(json));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].what.contains("drivelab-store"));
        assert_eq!(complaints[0].path, "crates/analysis/Cargo.toml");
    }

    #[test]
    fn tests_are_held_to_the_same_arrows() {
        let json = r#"{"packages":[{"name":"drivelab-store","dependencies":[
            {"name":"drivelab","kind":"dev","path":"p"}]}]}"#;
        assert_eq!(between_crates(&workspace_of(json)).len(), 1);
    }

    #[test]
    fn a_room_without_a_row_is_a_complaint() {
        let json = r#"{"packages":[{"name":"drivelab-attic","dependencies":[]}]}"#;
        assert!(between_crates(&workspace_of(json))[0].what.contains("drivelab-attic"));
    }

    #[test]
    fn a_pure_room_names_no_files_outside_its_tests_and_comments() {
        let text = "//! Reads std::fs.\nuse std::fs;\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        let lines = |path| purity(&SourceFile::new(path, text)).iter().map(|c| c.line).collect::<Vec<_>>();
        assert_eq!(lines("crates/analysis/src/a.rs"), [2]);
        assert!(lines("crates/store/src/a.rs").is_empty());
    }

    #[test]
    fn only_the_clock_may_wait() {
        let text = "fn f() { std::thread::sleep(x) }\n";
        assert!(purity(&SourceFile::new("crates/core/src/base/clock.rs", text)).is_empty());
        assert_eq!(purity(&SourceFile::new("crates/core/src/plan.rs", text)).len(), 1);
    }
}
