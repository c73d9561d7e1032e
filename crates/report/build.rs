//! Bundles web/ (charts and style sheet of the report) with Node and esbuild, for `src/formats/asset.rs` to embed.
//!
//! Needs Node.js 18 and npm; without them the build stops with one sentence. `npm ci` installs packages from the
//! committed lock file, only if they are missing. Concurrent builds wait for each other.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What to do if Node or npm is missing.
const NEEDS_NODE: &str = "drivelab needs Node.js 18 or newer and npm to build its report charts; install them \
                          (Debian: apt-get install nodejs npm) and build again.";
/// Smallest major version of Node.js (required by esbuild).
const LEAST_NODE: u32 = 18;

fn main() -> ExitCode {
    match bundle() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // cargo repeats this line in its summary.
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn bundle() -> Result<(), String> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).ok_or(format!("{name} is not set by cargo"));
    let web = variable("CARGO_MANIFEST_DIR")?.join("../../web");
    let out = variable("OUT_DIR")?;
    for watched in ["src", "package.json", "package-lock.json", "build.mjs", "installed.mjs", ".npmrc"] {
        println!("cargo::rerun-if-changed={}", web.join(watched).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=templates");
    check_node()?;
    install(&web)?;
    run(Command::new("node").arg("build.mjs").arg(&out).current_dir(&web), "bundling the report's charts")
}

/// Checks that Node is present and new enough, and that npm is present.
fn check_node() -> Result<(), String> {
    let answer =
        |program: &str| Command::new(program).arg("--version").output().ok().filter(|out| out.status.success());
    let node = answer("node").ok_or(NEEDS_NODE)?;
    let version = String::from_utf8_lossy(&node.stdout).trim().trim_start_matches('v').to_owned();
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < LEAST_NODE) {
        return Err(format!("{NEEDS_NODE} (found Node.js {version})"));
    }
    answer("npm").ok_or(NEEDS_NODE)?;
    Ok(())
}

/// Installs the packages of the lock file that node_modules lacks. The lock is released with the file handle.
fn install(web: &Path) -> Result<(), String> {
    let path = web.join(".install.lock");
    let lock = File::create(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
    lock.lock().map_err(|error| format!("cannot lock {}: {error}", path.display()))?;
    let installed = Command::new("node").arg("installed.mjs").current_dir(web).output();
    if installed.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    // The tools for checks and tests are not needed to build; `npm test` installs them itself.
    npm.args(["ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(web);
    run(&mut npm, "installing the report's charts library with `npm ci` (is the npm registry reachable?)")
}

fn run(command: &mut Command, what: &str) -> Result<(), String> {
    let output =
        command.output().map_err(|error| format!("{what}: cannot run {:?}: {error}", command.get_program()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{what} failed ({}):\n{}", output.status, String::from_utf8_lossy(&said).trim()))
}
