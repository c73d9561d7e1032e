//! The rules for verdicts: those that are part of the program (`reference/verdicts.toml`), or the user's own in the
//! data folder, which replace them.

use std::path::Path;

use drivelab_core::excerpt::line_and_column;
use drivelab_core::input;
use drivelab_core::verdict_rules::VerdictRules;

/// The user's own rules in the data folder.
const FILE: &str = "verdicts.toml";
/// Most bytes of such a file.
const LONGEST: u64 = 1 << 20;
/// The rules that are part of the program.
const BUILT_IN: &str = include_str!("../../../reference/verdicts.toml");

/// The rules that apply to runs in this data folder.
///
/// # Errors
/// What is wrong with the user's own file, in words.
pub fn read_verdict_rules(data: &Path) -> Result<VerdictRules, String> {
    let path = data.join(FILE);
    // A pipe or a folder of this name is a mistake that the reader names.
    if std::fs::symlink_metadata(&path).is_err() {
        return parse(BUILT_IN);
    }
    let wrong = |why: String| format!("{FILE} in the data folder cannot be used: {}", why.trim_end());
    let text = input::read_text(&path, LONGEST).map_err(|error| wrong(error.to_string()))?;
    parse(&text).map_err(wrong)
}

fn parse(text: &str) -> Result<VerdictRules, String> {
    let rules: VerdictRules = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_and_column(text, span.start).0);
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        format!("line {line}: {message}")
    })?;
    rules.check().map(|()| rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rules_are_sound_and_a_file_of_the_users_own_replaces_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let built_in = read_verdict_rules(folder.path()).expect("sound rules");
        assert!(built_in.uses.len() >= 5 && built_in.rules.len() >= 10);
        for one in &built_in.uses {
            assert!(built_in.rules.iter().any(|rule| rule.uses.contains(&one.id)), "no rule is about {}", one.id);
        }
        let own = folder.path().join(FILE);
        std::fs::write(&own, "uses = [{ id = \"a\", title = \"A\", needs = [\"hottest\"] }]\nrules = []\n")
            .expect("written");
        let read = read_verdict_rules(folder.path()).expect("sound rules");
        assert_eq!((read.uses.len(), read.rules.len()), (1, 0));
        std::fs::write(&own, "uses = []\nrules = [{ fact = \"speed\" }]\n").expect("written");
        let why = read_verdict_rules(folder.path()).expect_err("a mistake");
        assert!(
            why.contains("verdicts.toml in the data folder") && why.contains("line 2") && why.contains("speed"),
            "{why}"
        );
        std::fs::remove_file(&own).and_then(|()| std::fs::create_dir(&own)).expect("a folder");
        assert!(read_verdict_rules(folder.path()).is_err());
    }
}
