//! Cycles of every kind in made-up crates, and what looks like a cycle but is none.

use super::*;

/// A root that declares two modules and defines nothing.
const ROOT: (&str, &str) = ("lib.rs", "mod a;\nmod b;\n");

fn tree(sources: &[(&str, &str)]) -> Vec<SourceFile> {
    sources.iter().map(|(path, text)| SourceFile::new(&format!("crates/x/src/{path}"), text)).collect()
}

/// The cycles of a crate, each as its ties.
fn ties_of(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
    let files = tree(sources);
    let found = circles("crates/x/src/lib.rs", &texts(&files)).expect("the room is Rust");
    found
        .iter()
        .map(|circle| ties(circle, "crates/x").lines().skip(1).map(|tie| tie.trim().to_owned()).collect())
        .collect()
}

/// The ties of the one cycle of a crate with this root and two files `a` and `b`.
fn both(root: &str, a: &str, b: &str) -> Vec<String> {
    let mut found = ties_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn assert_none(root: &str, a: &str, b: &str) {
    let found = ties_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn by_use() {
    let found =
        both(ROOT.1, "use crate::b::{B, C as D};\npub struct A;\n", "pub struct B;\npub struct C;\nuse super::a::A;\n");
    assert_eq!(found, ["a.rs:1 takes B, C from b.rs", "b.rs:3 takes A from a.rs"]);
}

#[test]
fn by_a_use_within_a_function() {
    let found = both(ROOT.1, "pub fn f() {\n    use crate::b::g;\n    g();\n}\n", "pub fn g() { crate::a::f(); }\n");
    assert_eq!(found, ["a.rs:2 takes g from b.rs", "b.rs:1 takes f from a.rs"]);
}

#[test]
fn by_a_path_in_code() {
    let a = "pub struct A(super::b::B);\n";
    let b = "pub enum B { One }\nimpl From<crate::a::A> for B {}\n";
    assert_eq!(both(ROOT.1, a, b), ["a.rs:1 takes B from b.rs", "b.rs:2 takes A from a.rs"]);
}

#[test]
fn by_a_path_to_a_module_of_its_own() {
    let root = "mod a;\npub struct Hub;\npub fn f() { a::g() }\n";
    let found = ties_of(&[("lib.rs", root), ("a.rs", "use super::Hub;\npub fn g() {}\n")]);
    assert_eq!(found, [["a.rs:1 takes Hub from lib.rs", "lib.rs:3 takes g from a.rs"]]);
}

#[test]
fn by_an_alias() {
    let a = "use crate::b as other;\npub fn f() { other::g() }\n";
    let b = "use super::{self as top};\npub fn g() { top::a::f() }\n";
    assert_eq!(both(ROOT.1, a, b), ["a.rs:2 takes g from b.rs", "b.rs:2 takes f from a.rs"]);
}

#[test]
fn through_a_re_export() {
    let root = "mod a;\nmod b;\npub use a::A;\npub use b::B as Bee;\n";
    let found = both(root, "use crate::Bee;\npub struct A;\n", "pub struct B(crate::A);\n");
    assert_eq!(found, ["a.rs:1 takes B from b.rs", "b.rs:1 takes A from a.rs"]);
}

#[test]
fn through_a_chain_of_re_exports() {
    let found = ties_of(&[
        ("lib.rs", "mod a;\nmod first;\npub use first::B;\n"),
        ("a.rs", "use crate::B;\npub struct A;\n"),
        ("first/mod.rs", "mod second;\npub use second::*;\n"),
        ("first/second.rs", "mod b;\npub use self::b::Inner as B;\n"),
        ("first/second/b.rs", "pub struct Inner(crate::a::A);\n"),
    ]);
    assert_eq!(found, [["a.rs:1 takes Inner from first/second/b.rs", "first/second/b.rs:1 takes A from a.rs"]]);
}

#[test]
fn by_a_glob_as_far_as_its_names_are_used() {
    let a = "use crate::b::*;\npub struct A;\npub fn f(b: &B) {}\n";
    let b = "use crate::a::A;\npub struct B;\npub struct Unused;\n";
    assert_eq!(both(ROOT.1, a, b), ["a.rs:3 takes B from b.rs", "b.rs:1 takes A from a.rs"]);
    assert_none(ROOT.1, "use crate::b::*;\npub struct A;\n", b);
    assert_none(
        ROOT.1,
        "use crate::b::*;\npub struct A;\nfn f(b: u8) { let g = b; h(g) }\n",
        "pub fn g(a: crate::a::A) {}\n",
    );
}

#[test]
fn by_the_variants_of_a_kind() {
    let a = "use crate::b::Kind::*;\npub fn f() { First; }\n";
    let b = "pub enum Kind { First }\npub fn g() { crate::a::f() }\n";
    assert_eq!(both(ROOT.1, a, b), ["a.rs:1 takes Kind from b.rs", "b.rs:2 takes f from a.rs"]);
}

#[test]
fn by_a_macro_where_it_is_defined() {
    let body = "macro_rules! say { () => { $crate::a::f() } }\n";
    let said = ["a.rs:1 takes say from b.rs", "b.rs:1 takes f from a.rs"];
    assert_eq!(both("#[macro_use]\nmod b;\nmod a;\n", "pub fn f() { say!() }\n", body), said);
    let passed_on = format!("{body}pub(crate) use say;\n");
    assert_eq!(both(ROOT.1, "pub fn f() { crate::b::say!() }\n", &passed_on), said);
    assert_eq!(both(ROOT.1, "use crate::b::say; pub fn f() { say!() }\n", &passed_on), said);
    let exported = format!("#[macro_export]\n{body}");
    let found = both(ROOT.1, "pub fn f() { crate::say!() }\n", &exported);
    assert_eq!(found, ["a.rs:1 takes say from b.rs", "b.rs:2 takes f from a.rs"]);
}

#[test]
fn by_what_is_given_to_a_macro() {
    let a = "use crate::b;\npub fn f() { println!(\"{}\", [1].map(|x| b::g(x)).len()) }\n";
    let found = both(ROOT.1, a, "pub fn g(_: u8) { vec![crate::a::f()]; }\n");
    assert_eq!(found, ["a.rs:2 takes g from b.rs", "b.rs:1 takes f from a.rs"]);
}

#[test]
fn by_what_a_macro_makes() {
    let b = "make! { Made, \"title\" }\nuse crate::a::A;\n";
    let root = "mod a;\nmod b;\npub use b::*;\n";
    let found = both(root, "pub struct A(crate::Made);\n", b);
    assert_eq!(found, ["a.rs:1 takes Made from b.rs", "b.rs:2 takes A from a.rs"]);
}

#[test]
fn by_a_path_in_an_attribute() {
    let a = "#[derive(Serialize)]\npub struct A {\n    #[serde(with = \"crate::b::text\")]\n    a: u8,\n}\n";
    let b = "pub mod text {}\n#[derive(Parser)]\npub struct B {\n    #[arg(value_parser = crate::a::A::of)]\n    b: u8,\n}\n";
    assert_none(ROOT.1, a, b);
    let b = b.replace("pub mod text {}", "pub fn text() {}");
    assert_eq!(both(ROOT.1, a, &b), ["a.rs:3 takes text from b.rs", "b.rs:4 takes A from a.rs"]);
}

#[test]
fn from_and_to_an_inline_module() {
    let a = "pub mod inner {\n    use super::super::b::B;\n    pub struct A;\n}\n";
    let found = both(ROOT.1, a, "pub struct B(crate::a::inner::A);\n");
    assert_eq!(found, ["a.rs:2 takes B from b.rs", "b.rs:1 takes A from a.rs"]);
}

#[test]
fn a_file_that_re_exports_and_defines_takes_what_it_passes_on() {
    let found = both("mod a;\nmod b;\n", "pub use super::b::*;\npub struct A;\n", "pub struct B(crate::a::A);\n");
    assert_eq!(found, ["a.rs:1 takes B from b.rs", "b.rs:1 takes A from a.rs"]);
}

#[test]
fn by_way_of_a_third_and_each_circle_by_itself() {
    let found = ties_of(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\nmod e;\n"),
        ("a.rs", "pub struct A(crate::b::B);\n"),
        ("b.rs", "pub struct B(crate::c::C);\n"),
        ("c.rs", "pub struct C(crate::a::A, crate::d::D);\n"),
        ("d.rs", "pub struct D(crate::e::E);\n"),
        ("e.rs", "pub struct E(crate::d::D);\n"),
    ]);
    let abc = ["a.rs:1 takes B from b.rs", "b.rs:1 takes C from c.rs", "c.rs:1 takes A from a.rs"];
    assert_eq!(found, [abc.to_vec(), vec!["d.rs:1 takes E from e.rs", "e.rs:1 takes D from d.rs"]]);
}

#[test]
fn a_module_and_a_function_of_one_name_are_told_apart() {
    let root = "mod a;\npub mod b;\npub use b::b;\n";
    assert_none(
        root,
        "use crate::b;\npub fn f() { b::other() }\n",
        "pub use std::process::abort as other;\npub fn b() { crate::a::f() }\n",
    );
    let found = both(root, "use crate::b;\npub fn f() { b() }\n", "pub fn b() { crate::a::f() }\n");
    assert_eq!(found, ["a.rs:2 takes b from b.rs", "b.rs:1 takes f from a.rs"]);
}

#[test]
fn a_mod_line_is_no_import() {
    let found = ties_of(&[("lib.rs", "mod a;\npub struct Hub;\n"), ("a.rs", "use super::Hub;\n")]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_face_that_only_declares_and_re_exports_takes_and_gives_nothing() {
    let root = "mod a;\nmod b;\npub use a::A;\npub use b::*;\n";
    assert_none(root, "use crate::B;\npub struct A;\n", "pub struct B;\n");
    let found = ties_of(&[
        ("lib.rs", "mod face;\nmod other;\n"),
        ("face.rs", "mod a;\nmod b;\npub(crate) use a::A;\npub(crate) use crate::other::O;\n"),
        ("face/a.rs", "use super::b::B;\npub struct A;\n"),
        ("face/b.rs", "use super::super::other;\npub struct B;\n"),
        ("other.rs", "use crate::face::A;\npub struct O;\n"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_only_tests_import_is_none() {
    let b = "pub struct B(crate::a::A);\n";
    for test in [
        "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n",
        "#[cfg(test)]\nuse crate::b::B;\n",
        "#[cfg(all(test, unix))]\nfn f(b: crate::b::B) {}\n",
        "#[test]\nfn f() { crate::b::B; }\n",
        "fn f() {\n    #[cfg(test)]\n    crate::b::g();\n}\n",
        "impl A {\n    #[cfg(test)]\n    fn f(b: crate::b::B) {}\n}\n",
    ] {
        assert_none(ROOT.1, &format!("pub struct A;\n{test}"), b);
    }
    let files = [("lib.rs", ROOT.1), ("a.rs", "pub struct A;\n#[cfg(test)]\nmod tests;\n"), ("b.rs", b)];
    let mut with_tests = files.to_vec();
    with_tests.push(("a/tests.rs", "use crate::b::B;\n"));
    assert!(ties_of(&with_tests).is_empty());
    assert_eq!(both(ROOT.1, "pub struct A;\n#[cfg(not(test))]\nuse crate::b::B;\n", b).len(), 2);
}

#[test]
fn other_crates_comments_strings_fields_and_locals_are_none() {
    let b = "pub fn b() { crate::a::f() }\n";
    for a in [
        "use ::b::b;\npub fn f() {}\n",
        "/// [`crate::b::b`]\npub fn f() { \"crate::b::b\"; } // crate::b::b()\n",
        "use super::*;\npub fn f() { let b = 1; x.b(); y.b; z(b); Z { b }; println!(\"{}\", b, b = x.b) }\n",
        "use std::b::*;\npub fn f() { b() }\n",
    ] {
        assert_none("mod a;\nmod b;\nuse b::b;\n", a, b);
    }
}

#[test]
fn a_file_is_found_where_its_declaration_says() {
    let found = ties_of(&[
        ("lib.rs", "#[path = \"odd/place.rs\"]\nmod a;\nmod inner { pub mod b; }\n"),
        ("odd/place.rs", "pub struct A(crate::inner::b::B);\n"),
        ("inner/b.rs", "pub struct B(crate::a::A);\n"),
    ]);
    assert_eq!(found, [["inner/b.rs:1 takes A from odd/place.rs", "odd/place.rs:1 takes B from inner/b.rs"]]);
}

/// A crate with a cycle of two and a cycle of one of these and another file.
fn four() -> Vec<SourceFile> {
    tree(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n"),
        ("a.rs", "pub struct A(crate::b::B);\n"),
        ("b.rs", "//! B.\n\npub struct B(crate::a::A);\n"),
        ("c.rs", "pub struct C(crate::d::D);\n"),
        ("d.rs", "pub struct D(crate::c::C);\n"),
    ])
}

#[test]
fn each_circle_is_a_complaint_that_names_what_ties_it() {
    let found = held_to(&four(), &[]);
    let places: Vec<(&str, usize)> = found.iter().map(|one| (one.path.as_str(), one.line)).collect();
    assert_eq!(places, [("crates/x/src/a.rs", 1), ("crates/x/src/c.rs", 1)]);
    let said = found[0].to_string();
    assert!(said.ends_with("\n    a.rs:1 takes B from b.rs\n    b.rs:3 takes A from a.rs"), "{said}");
    assert!(show(&four()).starts_with("crates/x: 4 files in 2 circle(s)\n  circle of 2:\n"), "{}", show(&four()));
}

#[test]
fn what_is_allowed_may_only_fall() {
    assert!(held_to(&four(), &[("crates/x", 4)]).is_empty());
    assert_eq!(held_to(&four(), &[("crates/x", 3)]).len(), 2);
    let found = held_to(&four(), &[("crates/x", 5)]);
    assert_eq!(
        (found.len(), found[0].path.as_str(), found[0].todo.as_str()),
        (1, TABLE, "lower the row of crates/x to 4")
    );
    let gone = held_to(&[], &[("crates/x", 4)]);
    assert_eq!(gone[0].todo, "remove the row of crates/x");
}

#[test]
fn a_file_that_is_no_rust_is_a_complaint_with_its_line() {
    let found = held_to(&tree(&[("lib.rs", "fn a() {}\nfn 3() {}\n")]), &[]);
    assert_eq!((found.len(), found[0].line), (1, 2));
}
