//! The `drivelab` program.
fn main() {}
