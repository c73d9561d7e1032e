//! Programs of the system, run to their end.

use std::path::Path;
use std::process::Command;

/// What a program printed, or what went wrong.
pub fn tried(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(words(&output.stdout));
    }
    Err(format!("{program} {arguments:?}: {}", words(&output.stderr)))
}

/// The same, which must succeed.
#[track_caller]
pub fn tool(program: &str, arguments: &[&str]) -> String {
    tried(program, arguments).unwrap_or_else(|why| panic!("{why}"))
}

/// A plain path as text.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a text path")
}

/// A command that is run on drop.
pub struct Undo(Vec<String>);

impl Undo {
    /// By these words.
    pub fn by(words: &[&str]) -> Undo {
        Undo(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let _ = Command::new(&self.0[0]).args(&self.0[1..]).output();
    }
}
