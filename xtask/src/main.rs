//! One door for developers: `cargo xtask check` and what it is made of, `vm-test`, `fuzz`.
//!
//! Owns: the order of checks, the rules of the house (tidy), what the tests need from the machine. Must not know: the
//! product; it uses no crate of the workspace, so it works while they do not compile.

mod bench;
mod check;
mod compare;
mod fuzz;
mod generate;
mod pictures;
mod setup;
mod shell;
mod source;
mod tidy;
mod vm;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// One door for developers of drivelab.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Everything that must hold before a commit, quickest first; lists every failure at the end
    Check {
        /// Only these parts, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "PART,…")]
        only: Vec<check::Part>,
    },
    /// The rules of the house: arrows, circles, dependencies, folders, sizes, heads, words, pairs, the write guard
    Tidy {
        /// Prints every circle of imports instead, with the names that tie it, also those that are still allowed
        #[arg(long)]
        circles: bool,
    },
    /// Writes the files that are made from code (docs/metrics.md, schemas) anew
    Generate,
    /// What drivelab costs beside its peers on this machine, in ratios
    Bench {
        #[command(subcommand)]
        what: bench::What,
    },
    /// fio against drivelab on a throttled loop device: the same loads in turn, at most 2 % apart (needs root)
    CompareFio(compare::CompareFio),
    /// The decoders against made-up bytes, a set time each (needs cargo-fuzz)
    Fuzz(fuzz::Fuzz),
    /// Makes the pictures of the README anew (needs chromium, and a calm machine for three minutes)
    Pictures(pictures::Pictures),
    /// Lists what the tests need from the machine and offers to install it (asks, unless CI=true)
    Setup,
    /// Boots small virtual machines with the shipped binary and checks what it does there
    VmTest(vm::VmTest),
}

fn main() -> ExitCode {
    let root = root();
    let done = match Arguments::parse().task {
        Task::Check { only } => check::run(&root, &only),
        Task::Tidy { circles: true } => tidy::show_circles(&root),
        Task::Tidy { circles: false } => tidy::run(&root),
        Task::Generate => generate::run(&root),
        Task::Bench { what } => bench::run(&root, &what),
        Task::CompareFio(options) => compare::run(&root, &options),
        Task::Fuzz(options) => fuzz::run(&root, &options),
        Task::Pictures(options) => pictures::run(&root, &options),
        Task::Setup => setup::run(&root),
        Task::VmTest(options) => vm::run(&root, &options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the checkout: the folder above this package.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}
