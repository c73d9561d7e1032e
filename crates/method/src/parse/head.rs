//! The first lines of a built-in methodology: what a list shows about it, without checking the whole file.

use toml::de::{DeTable, DeValue};

use crate::methodology::Methodology;
use crate::parse::read::unexpanded;
use crate::sources::library::BuiltIn;
use crate::target::wanted::MethodTarget;

/// What a list shows about a methodology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its title.
    pub title: String,
    /// What it runs on; in its first profile, if it has profiles.
    pub target: MethodTarget,
}

impl BuiltIn {
    /// The whole methodology, without checking whether its forms can be expanded: that takes most of the time of
    /// [`crate::parse()`], and tests do it for built-in files. `None` for a wrong built-in file.
    #[must_use]
    pub fn whole(&self) -> Option<Methodology> {
        unexpanded(self.name, self.text).ok()
    }

    /// What a list shows about it. A file that derives from another one is read completely, because the other one
    /// states the rest. `None` for a wrong built-in file, which tests rule out.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        let tree = DeTable::parse(self.text).ok()?;
        let tree = tree.get_ref();
        if tree.contains_key("include") {
            let whole = self.whole()?;
            let identity = whole.identity();
            let (name, version) = (identity.name.clone(), identity.version.clone());
            return Some(Head { name, version, title: whole.title().to_owned(), target: whole.target() });
        }
        let text = |key: &str| tree.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
        let kind_in = |table: &DeTable<'_>| {
            let target = table.get("target").and_then(|target| target.get_ref().as_table())?;
            let kind = target.get("kind").and_then(|kind| kind.get_ref().as_str())?;
            MethodTarget::of_name(kind)
        };
        let first_profile = || match tree.get("profiles")?.get_ref() {
            DeValue::Array(profiles) => kind_in(profiles.first()?.get_ref().as_table()?),
            _ => None,
        };
        let target = first_profile().or_else(|| kind_in(tree)).unwrap_or(MethodTarget::File);
        Some(Head { name: text("name")?, version: text("version")?, title: text("title")?, target })
    }
}

#[cfg(test)]
mod tests {
    use crate::sources::library;

    #[test]
    fn a_head_says_what_the_whole_file_says() {
        for built_in in library::all() {
            let whole = crate::parse(built_in.name, built_in.text).expect("a built-in methodology");
            let unexpanded = built_in.whole().expect("a built-in methodology");
            assert_eq!(unexpanded.identity(), whole.identity(), "the hash is of all that it says");
            let head = built_in.head().expect("a built-in methodology");
            assert_eq!((&head.name, &head.version), (&whole.identity().name, &whole.identity().version));
            assert_eq!((head.title.as_str(), head.target), (whole.title(), whole.target()), "{}", built_in.name);
        }
    }
}
