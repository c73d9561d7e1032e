//! Running other programs: they are shown before they run, and errors name them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A command in the root of the checkout.
pub(crate) fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).stdin(Stdio::null());
    command
}

/// Cargo, the same one that runs this program.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    command(root, &cargo_program(), arguments)
}

/// The folder where cargo builds.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// The cargo that runs this program; cargo passes it in the environment.
pub(crate) fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Shows and runs a command; an error if it cannot start or fails.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let shown = show(&command);
    println!("  $ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`: is it installed?"))?;
    if status.success() {
        return Ok(());
    }
    bail!("`{shown}` ended with {status}")
}

/// Whether a program succeeds with these arguments; its output is dropped.
pub(crate) fn answers(program: &str, arguments: &[&str]) -> bool {
    let asked = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    asked.is_ok_and(|output| output.status.success())
}

/// Whether a program is in one of the program folders.
pub(crate) fn is_installed(program: &str) -> bool {
    find_program(program).is_some()
}

/// The file of a program, from the program folders, including those for root.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(Into::into));
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| file.is_file()))
}

/// A command as a person would type it.
fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}
