//! Tells the binary which commit it was built from, so that a result can name its instrument.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).map_or_else(
        || "unknown".to_owned(),
        |commit| {
            let dirty =
                git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| !changes.is_empty());
            if dirty { format!("{commit}-dirty") } else { commit }
        },
    );
    println!("cargo::rustc-env=DRIVELAB_COMMIT={commit}");
    println!("cargo::rustc-env=DRIVELAB_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=DRIVELAB_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(path) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={path}");
    }
}
