//! Entry point of the `drivelab` program; everything else is in the library beside it.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(drivelab::main())
}
