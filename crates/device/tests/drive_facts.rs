//! The built-in drive facts files: all can be read, cite existing sources, state what the reviews state, and match
//! the model strings that drives report. Wrong files are refused with the position of the mistake.

use std::path::{Path, PathBuf};

use drivelab_core::drive_facts::{Certainty, DriveFacts};
use drivelab_core::units::Bytes;
use drivelab_device::drive_facts::{BUILT_IN, DriveLibrary, FactsError, Origin, facts_for, json_schema, parse};
use proptest::prelude::*;

/// The five reviews that the built-in files are made from, and a word from the text of each.
const SEEDS: [(&str, &str); 5] =
    [("000", "IEEE1667"), ("001", "970 EVO"), ("002", "SN861"), ("003", "Wachman"), ("004", "Dillon")];

/// What four of the reviews state, written down again by hand: name, capacity in bytes, key, value in the base unit.
const STATED: &[(&str, u64, &str, f64)] = &[
    ("wd-ultrastar-dc-sn861", 7_681_501_126_656, "sequential_read", 13_700e6),
    ("wd-ultrastar-dc-sn861", 7_681_501_126_656, "sequential_write", 7_500e6),
    ("wd-ultrastar-dc-sn861", 1_920_383_410_176, "random_write", 165e3),
    ("wd-ultrastar-dc-sn861", 3_200_631_791_616, "random_read", 3.3e6),
    ("wd-ultrastar-dc-sn861", 3_200_631_791_616, "dwpd", 3.0),
    ("wd-ultrastar-dc-sn861", 3_840_755_982_336, "dwpd", 1.0),
    ("wd-ultrastar-dc-sn861", 6_400_000_000_000, "read_latency", 65e3),
    ("wd-ultrastar-dc-sn861", 6_400_000_000_000, "mttf", 2.5e6),
    ("wd-ultrastar-dc-sn861", 6_400_000_000_000, "uber", 1e-17),
    ("wd-ultrastar-dc-sn655", 0, "sequential_read", 6.8e9),
    ("wd-black-2017", 256_060_514_304, "endurance", 80e12),
    ("wd-black-2017", 512_110_190_592, "endurance", 160e12),
    ("toshiba-xg6", 1_024_209_543_168, "slc_cache", 20e9),
    ("toshiba-bg4", 128_035_676_160, "slc_cache", 15.4e9),
];

/// Model strings as drives report them (from the probes in 004, with underscores as printed there), and the matching
/// file.
const MODELS: &[(&str, &str)] = &[
    ("SAMSUNG_MZVPV128HDGM-00000", "samsung-sm951-nvme"),
    ("Samsung_SSD_960_EVO_250GB", "samsung-960-evo"),
    ("INTEL SSDPEKKW256G7", "intel-600p"),
    ("TOSHIBA-RD400", "toshiba-ocz-rd400"),
    ("WDC WDS256G1X0C-00ENX0", "wd-black-2017"),
    ("BPX", "mydigitalssd-bpx"),
    ("PLEXTOR_PX-256M8PeG", "plextor-m8pe"),
    ("Samsung SSD 970 EVO 1TB", "samsung-970-evo"),
    ("Samsung SSD 9100 PRO 8TB", "samsung-9100-pro"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all() -> Vec<DriveFacts> {
    BUILT_IN.iter().map(|(path, text)| parse(path, text).unwrap_or_else(|error| panic!("{error}"))).collect()
}

#[test]
fn the_published_schema_is_that_of_the_types_and_every_file_keeps_to_it() {
    let path = root().join("docs/formats/drive-facts.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&json_schema()).expect("JSON"));
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let published = std::fs::read_to_string(&path).expect("the schema");
    assert!(
        published == text,
        "docs/formats/drive-facts.schema.json is not what the types say; UPDATE_SCHEMA=1 writes it"
    );
    let validator = jsonschema::validator_for(&json_schema()).expect("a schema");
    for (path, text) in BUILT_IN {
        let document: serde_json::Value = toml::from_str(text).expect("TOML");
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{path}");
        let mut broken = document;
        broken["figures"]["sequential_raed"] = serde_json::json!({});
        assert!(!validator.is_valid(&broken), "{path}: an unknown figure passes");
    }
}

#[test]
fn every_file_of_the_folder_is_part_of_the_program_and_can_be_read() {
    let entries = std::fs::read_dir(root().join("reference/drives")).expect("the folder");
    let mut there: Vec<String> = entries
        .map(|entry| format!("reference/drives/{}", entry.expect("an entry").file_name().to_string_lossy()))
        .collect();
    there.sort();
    let mut known: Vec<String> = BUILT_IN.iter().map(|(path, _)| (*path).to_owned()).collect();
    known.sort();
    assert_eq!(there, known);
    for ((path, _), facts) in BUILT_IN.iter().zip(all()) {
        assert_eq!(*path, format!("reference/drives/{}.toml", facts.name));
    }
    assert_eq!(DriveLibrary::built_in().all().len(), BUILT_IN.len());
}

/// A run stores the facts of its drive in its record: a value that cannot be read back could not be stored.
#[test]
fn a_document_with_the_facts_of_a_drive_is_read_back() {
    for facts in all() {
        let document = serde_json::to_value(&facts).expect("a document");
        let back: DriveFacts = serde_json::from_value(document).expect("the same facts");
        assert_eq!(back, facts);
    }
}

#[test]
fn every_source_is_cited_and_model_strings_are_marked_by_who_saw_them() {
    for facts in all() {
        let is_review = |id: &str| SEEDS.iter().any(|(seed, _)| *seed == id);
        for source in facts.sources.iter().filter(|source| !is_review(&source.id)) {
            let is_year = |word: &str| word.len() == 4 && (word.starts_with("20") || word.starts_with("19"));
            let mut numbers = source.citation.split(|sign: char| !sign.is_ascii_digit());
            let dated = source.citation.contains("undated") || numbers.any(is_year);
            assert!(source.citation.len() > 15 && dated, "{}: {}", facts.name, source.citation);
        }
        // Of the reviews only 004 prints probes, so only its model strings are stated there.
        let stated =
            facts.models.iter().filter(|model| model.certainty == Certainty::Stated && is_review(&model.source));
        stated.for_each(|model| assert_eq!(model.source, "004", "{}", facts.name));
    }
    let Some(shared) = std::env::var_os("DRIVELAB_SEEDS").map(PathBuf::from) else {
        println!("skipped: the reviews' texts are not part of this repository (DRIVELAB_SEEDS names their folder)");
        return;
    };
    let files: Vec<PathBuf> =
        std::fs::read_dir(shared).expect("seeds").map(|entry| entry.expect("a seed").path()).collect();
    for (id, word) in SEEDS {
        let file =
            files.iter().find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(id)));
        let text = std::fs::read_to_string(file.expect("the review")).expect("its text");
        assert!(text.contains(word), "{id} is another text");
    }
}

#[test]
fn every_capacity_says_who_says_so() {
    for facts in all() {
        for one in &facts.capacities {
            assert!(one.source.is_some() && one.certainty.is_some(), "{}: {}", facts.name, one.capacity.text);
            // A value computed from a number of blocks has a note about it.
            assert_eq!(one.certainty == Some(Certainty::Derived), one.note.is_some(), "{}", facts.name);
        }
    }
    let text = include_str!("../../../reference/drives/toshiba-ocz-rd400.toml");
    let cut = text.replace("certainty = \"derived\"\nnote", "note");
    let error = parse("x.toml", &cut).expect_err("it is wrong");
    assert!(error.mistakes().iter().any(|one| one.title.contains("go together")), "{:?}", error.mistakes());
}

/// Capacities that the reviews of the DragonFly BSD tests give as a number of blocks; they have "128GB" of the SM951 in
/// words.
#[test]
fn what_was_computed_from_blocks_or_read_between_lines_is_derived() {
    let all = all();
    let facts = |name: &str| all.iter().find(|facts| facts.name == name).expect("the drive");
    let of_capacity = |name: &str| facts(name).capacities[0].certainty;
    for name in ["toshiba-ocz-rd400", "mydigitalssd-bpx", "intel-600p"] {
        assert_eq!(of_capacity(name), Some(Certainty::Derived), "{name}");
    }
    assert_eq!(of_capacity("samsung-sm951-nvme"), Some(Certainty::Stated));
    // One sentence names both among the drives with TLC.
    let cells = ["wd-black-2018", "samsung-970-evo"].map(|name| facts(name).figures.cell.clone().expect("its cells"));
    assert!(cells.iter().all(|cell| cell.certainty == Certainty::Derived), "{cells:?}");
    assert_eq!(cells[0].note, cells[1].note);
}

#[test]
fn figures_are_those_of_the_reviews() {
    let all = all();
    for (name, capacity, key, expected) in STATED {
        let facts = all.iter().find(|facts| facts.name == *name).expect("the drive");
        let figures = facts.figures_at(Some(Bytes::new(*capacity)));
        let row = figures.rows().into_iter().find(|row| row.key == *key);
        let number = row.unwrap_or_else(|| panic!("{name} has no {key}")).number.expect("a number");
        assert!((number - expected).abs() <= expected * 1e-9, "{name} {key}: {number}");
    }
    let prices = all.iter().flat_map(|facts| facts.capacities.iter().map(|one| &one.figures).chain([&facts.figures]));
    assert!(prices.into_iter().all(|figures| figures.price.is_none()), "the reviews state no price");
}

#[test]
fn a_drives_model_string_finds_its_facts_and_no_others() {
    for (model, name) in MODELS {
        assert_eq!(facts_for(model, None).map(|facts| facts.name).as_deref(), Some(*name), "{model}");
    }
    for stranger in ["Samsung SSD 971 EVO Plus 1TB", "QEMU NVMe Ctrl", "BPX Pro", "", "Samsung SSD 970 EVO"] {
        assert_eq!(facts_for(stranger, None), None, "{stranger}");
    }
    // A capacity selects its figures; an unknown capacity leaves the figures of the model.
    let black = facts_for("WDC WDS256G1X0C-00ENX0", Some(Bytes::new(256_060_514_304))).expect("known");
    assert!(black.figures_at(Some(Bytes::new(256_060_514_304))).endurance.is_some());
    assert!(black.figures_at(Some(Bytes::new(1_000_204_886_016))).endurance.is_none());
}

/// Each model string that a pattern was made for belongs to its own file, whatever stands for the signs in it.
#[test]
fn no_pattern_of_one_drive_fits_another() {
    for facts in all() {
        for model in &facts.models {
            for (number, text) in [("1", ""), ("2000", "X"), ("512", "A1B")] {
                let string = model.pattern.replace('#', number).replace('*', text);
                let found = facts_for(&string, None).map(|found| found.name);
                assert_eq!(found.as_deref(), Some(facts.name.as_str()), "{string}");
            }
        }
    }
}

/// Drives of which at least one rated speed or endurance is known: the number that docs/guide/drives.md states.
#[test]
fn the_guide_says_of_how_many_drives_rated_figures_are_known() {
    let rated = |facts: &DriveFacts| {
        let every = facts.capacities.iter().map(|one| &one.figures).chain([&facts.figures]);
        every.flat_map(|figures| figures.rows().into_iter().map(|row| row.key).collect::<Vec<_>>()).any(|key| {
            ["sequential_read", "sequential_write", "random_read", "random_write", "endurance", "dwpd"].contains(&key)
        })
    };
    let count = all().iter().filter(|facts| rated(facts)).count();
    let guide = std::fs::read_to_string(root().join("docs/guide/drives.md")).expect("the guide");
    let said = format!("{} drives; {count} have a rated speed or endurance", all().len());
    assert!(guide.contains(&said), "docs/guide/drives.md must say '{said}'");
}

#[test]
fn a_users_file_comes_before_the_built_in_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, text) = BUILT_IN.iter().find(|(path, _)| path.ends_with("/mydigitalssd-bpx.toml")).expect("built in");
    let own = text.replace("mydigitalssd-bpx", "my-bpx").replace("MyDigitalSSD BPX\"", "Mine\"");
    std::fs::write(folder.path().join("mine.toml"), own).expect("written");
    std::fs::write(folder.path().join("notes.txt"), "no facts").expect("written");
    let mut library = DriveLibrary::built_in();
    library.add_folder(folder.path()).expect("the folder is fine");
    let found = library.facts_for("BPX", None).expect("known");
    assert_eq!(found.facts.name, "my-bpx");
    assert!(matches!(found.origin, Origin::File(_)));
    assert_eq!(library.all().len(), BUILT_IN.len() + 1);
    std::fs::write(folder.path().join("bad.toml"), "format = 2").expect("written");
    assert!(DriveLibrary::built_in().add_folder(folder.path()).is_err(), "a wrong file is not left out silently");
    assert!(DriveLibrary::built_in().add_folder(&folder.path().join("none")).is_ok());
}

/// A change to a valid file, where the mistake is shown, and the message.
const WRONG: &[(&str, &str, &str, &str)] = &[
    ("format = 1", "format = 2", "format = ", "reads format 1"),
    ("name = \"mydigitalssd-bpx\"", "name = \"My BPX\"", "name = ", "short name"),
    ("maker = ", "makr = ", "makr = ", "unknown field `makr`"),
    ("controller = {", "controler = {", "controler = ", "unknown field `controler`"),
    ("value = \"Phison\"", "valeu = \"Phison\"", "controller = ", "valeu"),
    ("certainty = \"stated\" },", "certainty = \"sure\" },", "pattern = ", "unknown variant `sure`"),
    ("value = \"no\"", "value = \"perhaps\"", "heat_sink = ", "yes or no"),
    ("capacity = \"240 GB\"", "capacity = \"240\"", "capacity = ", "7.68 TB"),
    ("controller = { value = \"Phison\"", "endurance = { value = \"80 TBW\"", "endurance = ", "a size such as"),
    (
        "source = \"004\", certainty = \"stated\" },",
        "source = \"005\", certainty = \"stated\" },",
        "pattern = ",
        "005 is not among",
    ),
    ("pattern = \"BPX\"", "pattern = \"*B*\"", "pattern = ", "any maker"),
    ("[[sources]]", "[[sources]]\nid = \"x\"\ncitation = \"y\"\n[[sources]]", "id = \"x\"", "nothing here comes from"),
    ("[[capacities]]", "[[capacities]]\ncapacity = \"1 TB\"\n[[capacities]]", "capacity = \"240", "not larger"),
    ("title = \"", "title = ", "title = ", "not valid TOML"),
];

#[test]
fn a_wrong_file_is_refused_where_it_is_wrong() {
    let (_, sound) = BUILT_IN.iter().find(|(path, _)| path.ends_with("/mydigitalssd-bpx.toml")).expect("built in");
    for (before, after, line, words) in WRONG {
        assert!(sound.contains(before), "the file has changed: {before}");
        let text = sound.replacen(before, after, 1);
        let error = parse("bpx.toml", &text).expect_err(after);
        let shown = error.render(false);
        assert!(shown.contains(words), "{after}: {shown}");
        assert!(shown.contains("--> bpx.toml:"), "{after}: no place in {shown}");
        let at = error.line_and_column(&error.mistakes()[0]).0;
        let wrong = text.lines().nth(at - 1).unwrap_or_default();
        assert!(wrong.contains(line) || wrong == "[[sources]]", "{after}: points at {wrong:?}");
    }
    let error = parse("bpx.toml", &sound.replacen("format = 1", "format = 2", 1)).expect_err("a format");
    assert!(matches!(error, FactsError::Wrong { .. }) && error.render(true).contains('\u{1b}'));
}

proptest! {
    /// Any text, and any truncated or changed built-in file: a result, never a panic, and errors can be shown.
    #[test]
    fn no_file_makes_the_reader_panic(which in 0..BUILT_IN.len(), cut in 0..4000usize, put in ".{0,20}", any in "\\PC{0,200}") {
        let (_, text) = BUILT_IN[which];
        let mut at = cut.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        for text in [format!("{}{put}{}", &text[..at], &text[at..]), text[..at].to_owned(), any] {
            if let Err(error) = parse("any.toml", &text) {
                prop_assert!(!error.render(false).is_empty());
                for mistake in error.mistakes() {
                    prop_assert!(error.line_and_column(mistake).0 >= 1);
                }
            }
        }
    }
}
