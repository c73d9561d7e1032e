//! The results that docs/methods keeps as examples belong to the current methodologies.

use std::path::Path;

use drivelab_method::{library, parse};

/// An example belongs to the current methodology: a change of its steps raises the first or the second version number.
#[test]
fn examples_are_of_the_versions_that_the_files_have() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods");
    let mut old = Vec::new();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).expect("a built-in methodology");
        let identity = method.identity();
        let file = format!("example-{}.md", identity.name);
        let text = std::fs::read_to_string(folder.join(&file)).unwrap_or_else(|_| panic!("there is no {file}"));
        let numbers = |version: &str| {
            let numbers: Option<Vec<u32>> =
                version.trim_end_matches(',').split('.').map(|number| number.parse().ok()).collect();
            numbers.filter(|numbers| numbers.len() == 3)
        };
        // The line below the heading names the methodology and its version.
        let shown = text.lines().take(12).flat_map(|line| line.split_whitespace()).find_map(numbers);
        let today = numbers(&identity.version).expect("a version");
        if shown.as_ref().map(|shown| &shown[..2]) != Some(&today[..2]) {
            old.push(format!("{file}: {shown:?}, and the file has {}", identity.version));
        }
    }
    assert!(old.is_empty(), "run the quick form again and keep its brief report:\n{}", old.join("\n"));
}
