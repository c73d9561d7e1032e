//! Files of published figures: those that are part of the program (`reference/results`), and the user's own in the
//! folder `published` of the data folder.

use std::path::Path;

use drivelab_core::input;
use drivelab_core::published::Published;
use drivelab_core::units::Bytes;

/// Folder of the user's own files in the data folder.
const FOLDER: &str = "published";

/// Most bytes of such a file.
const LONGEST: u64 = 4 << 20;

/// A file of `reference/results`: its path in the repository and its text.
macro_rules! files {
    ($($name:literal)+) => {
        &[$((
            concat!("reference/results/", $name, ".toml"),
            include_str!(concat!("../../../reference/results/", $name, ".toml")),
        ),)+]
    };
}

/// All of them.
const BUILT_IN: &[(&str, &str)] = files! {
    "beeler-sn861"
    "dillon-nvme"
    "rand-8tb-gen5"
    "wachman-scaling"
};

/// The figures in a file.
///
/// # Errors
/// What is wrong, with its line.
fn parse(file: &str, text: &str) -> Result<Published, String> {
    let published: Published = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
    match published.figures.iter().find(|figure| !(figure.value.is_finite() && figure.value > 0.0)) {
        Some(wrong) => {
            Err(format!("{file}: {} of '{}' is {}; a figure is above zero", wrong.metric, wrong.drive, wrong.value))
        }
        None => match published.setup.span.as_ref().map(|span| span.parse::<Bytes>()) {
            Some(Err(wrong)) => Err(format!("{file}: span: {wrong}")),
            _ => Ok(published),
        },
    }
}

/// All published figures: the built-in files, then the user's own in this data folder, which replace built-in ones of
/// their name. A file that cannot be read gives its mistake instead.
#[must_use]
pub fn read_published(data: &Path) -> Vec<Result<Published, String>> {
    let mut all: Vec<Result<Published, String>> = BUILT_IN.iter().map(|(path, text)| parse(path, text)).collect();
    let Ok(entries) = std::fs::read_dir(data.join(FOLDER)) else { return all };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    for path in files {
        let name = path.display().to_string();
        let read = input::read_text(&path, LONGEST).map_err(|error| format!("{name}: {error}"));
        let read = read.and_then(|text| parse(&name, &text));
        if let Ok(own) = &read {
            all.retain(|known| known.as_ref().map_or(true, |known| known.name != own.name));
        }
        all.push(read);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_files_are_read_and_a_file_of_the_users_own_replaces_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let built_in = read_published(folder.path());
        let names: Vec<&str> =
            built_in.iter().map(|read| read.as_ref().unwrap_or_else(|error| panic!("{error}")).name.as_str()).collect();
        assert!(BUILT_IN.iter().zip(&names).all(|((path, _), name)| path.ends_with(&format!("/{name}.toml"))));
        std::fs::create_dir(folder.path().join(FOLDER)).expect("the folder");
        let own = "name = \"dillon-nvme\"\ntitle = \"T\"\nauthor = \"A\"\nmethod = \"M\"\nfigures = []\n";
        std::fs::write(folder.path().join(FOLDER).join("a.toml"), own).expect("room");
        std::fs::write(folder.path().join(FOLDER).join("b.toml"), "name = 1\n").expect("room");
        let figure = "[[figures]]\ndrive = \"X\"\ntest = \"T\"\nmetric = \"read.iops\"\nvalue = nan\nunit = \"IOPS\"\nplace = \"p\"\n";
        let wrong = own.replace("dillon-nvme", "mine").replace("figures = []\n", figure);
        let error = parse("c.toml", &wrong).expect_err("no number");
        assert!(error.contains("read.iops of 'X' is NaN; a figure is above zero"), "{error}");
        let all = read_published(folder.path());
        assert_eq!(all.len(), names.len() + 1);
        let replaced = all.iter().flatten().find(|known| known.name == "dillon-nvme").expect("it");
        assert_eq!((replaced.title.as_str(), replaced.figures.len()), ("T", 0));
        assert!(all.iter().filter_map(|read| read.as_ref().err()).all(|error| error.contains("b.toml")));
    }
}
