//! docs/methods is what the built-in methodologies print, and each entry in the hand-written list of approximations is
//! marked in its file.
//!
//! `DRIVELAB_UPDATE_DOCS=1 cargo test -p drivelab-method --test pages` updates the pages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drivelab_core::plan::Form;
use drivelab_method::{Mark, Methodology, Parameter, library, overview, parse};
use serde::Deserialize;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods")
}

fn methods() -> Vec<Methodology> {
    library::all().iter().map(|built_in| parse(built_in.name, built_in.text).expect("a built-in methodology")).collect()
}

/// A kept result of a methodology, by its file name in docs/methods.
fn example(name: &str) -> Option<String> {
    let file = format!("example-{name}.md");
    folder().join(&file).is_file().then_some(file)
}

#[test]
fn docs_methods_is_what_the_files_print() {
    let methods = methods();
    let mut pages = vec![("README.md".to_owned(), overview(&methods))];
    for method in &methods {
        let name = &method.identity().name;
        pages.push((format!("{name}.md"), method.page(example(name).as_deref())));
    }
    let mut wrong = Vec::new();
    for (name, printed) in &pages {
        let path = folder().join(name);
        if std::env::var_os("DRIVELAB_UPDATE_DOCS").is_some() {
            std::fs::write(&path, printed).expect("the page can be written");
        }
        if std::fs::read_to_string(&path).ok().as_ref() != Some(printed) {
            wrong.push(name.as_str());
        }
    }
    assert!(
        wrong.is_empty(),
        "docs/methods: {wrong:?} are not what the files print; renew them with cargo xtask generate"
    );
    let known: BTreeSet<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let of_ours = name.starts_with("example-") || name == "approximations.toml";
        assert!(of_ours || known.contains(name.as_str()), "docs/methods/{name} belongs to no methodology");
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    approximation: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    method: String,
    certainty: String,
    what: String,
    parameters: Vec<String>,
    /// Where it is stated, if no parameter states it.
    #[serde(default)]
    because: String,
}

/// Whether a parameter is marked as ours in its strictest form; values that the quick form shortens do not count.
fn is_ours(parameter: &Parameter) -> bool {
    let strictest = parameter.forms.iter().find(|value| value.form == Form::Faithful).or(parameter.forms.first());
    strictest.is_some_and(|value| matches!(value.mark, Mark::Approximation(_)))
}

/// Every place of a methodology that is marked as ours, as `TEST.PARAMETER`. One preparation step is `prepare N`;
/// `prepare` means all steps that have the parameter, each of which must be marked.
fn marked(method: &Methodology) -> BTreeSet<String> {
    let (mut marked, mut not_in_each) = (BTreeSet::new(), BTreeSet::new());
    for test in method.tests() {
        for parameter in &test.parameters {
            let ours = is_ours(parameter);
            let all_steps = format!("prepare.{}", parameter.name);
            if test.is_preparation() {
                if ours {
                    marked.insert(all_steps)
                } else {
                    not_in_each.insert(all_steps)
                };
            }
            if ours {
                marked.insert(format!("{}.{}", test.name, parameter.name));
            }
        }
    }
    for profile in method.profiles() {
        let ours = profile.parameters.iter().filter(|parameter| is_ours(parameter));
        marked.extend(ours.map(|parameter| format!("profile {}.{}", profile.name, parameter.name)));
    }
    marked.difference(&not_in_each).cloned().collect()
}

#[test]
fn what_no_source_states_is_marked_in_its_file() {
    let text = std::fs::read_to_string(folder().join("approximations.toml")).expect("the list");
    let list: List = toml::from_str(&text).expect("the list is TOML of this shape");
    let methods = methods();
    let mut wrong = Vec::new();
    for Entry { method: name, certainty, what, parameters, because } in &list.approximation {
        assert!(matches!(certainty.as_str(), "ours" | "unchecked"), "{name}: certainty {certainty}");
        let Some(method) = methods.iter().find(|method| method.identity().name == *name) else {
            wrong.push(format!("there is no methodology {name}: {what}"));
            continue;
        };
        if parameters.is_empty() && because.is_empty() {
            wrong.push(format!("{name}: no parameter says it, and no reason why: {what}"));
        }
        let marked = marked(method);
        for missing in parameters.iter().filter(|parameter| !marked.contains(*parameter)) {
            wrong.push(format!("{name}: {missing} is not marked: {what}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The language has defaults for what a preparation leaves out, but a built-in methodology states what it does.
#[test]
fn every_fill_says_its_blocks_its_depth_and_how_often() {
    let mut silent = Vec::new();
    for method in methods() {
        for test in method.tests().iter().filter(|test| test.is_preparation()) {
            let states = |name: &str| test.parameters.iter().any(|one| one.name == name);
            let fills = test
                .parameters
                .iter()
                .any(|one| one.name == "action" && one.forms.iter().any(|form| form.value.as_deref() == Some("fill")));
            let lacking = ["block_size", "queue_depth", "passes"].into_iter().filter(|name| fills && !states(name));
            silent.extend(lacking.map(|name| format!("{}: {}: {name}", method.identity().name, test.name)));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// "Published" may only be stated of the faithful form's value if a source states it.
#[test]
fn a_shortened_value_says_of_the_longer_one_only_what_its_mark_says() {
    let (mut published, mut ours) = (0, 0);
    for method in methods() {
        for parameter in method.tests().iter().flat_map(|test| &test.parameters) {
            let value = |form| parameter.forms.iter().find(|value| value.form == form);
            let (Some(faithful), Some(quick)) = (value(Form::Faithful), value(Form::Quick)) else { continue };
            let Mark::Approximation(reason) = &quick.mark else { continue };
            let name = format!("{}: {}: {reason}", method.identity().name, parameter.name);
            if reason.contains("the published value") {
                published += 1;
                assert!(matches!(&faithful.mark, Mark::Stated(source) if source != "own"), "{name}");
            }
            ours += usize::from(reason.contains("the faithful form's value is ours too"));
        }
    }
    assert!(published > 50 && ours > 20, "{published} and {ours}: the words are others now");
}
