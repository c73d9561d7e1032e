//! One door for developers.
fn main() {}
