//! docs/loads.md: every example is a load that parses and expands, and every parameter of a load is mentioned.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;
use drivelab_method::{SpeedGuess, TargetShape, expand, json_schema, parse};

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/loads.md")).unwrap()
}

#[test]
fn every_example_expands() {
    let page = page();
    let examples: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 16, "the page has lost examples: {}", examples.len());
    for example in examples {
        let text = format!(
            "format = 1\nname = \"page\"\ntitle = \"T\"\nversion = \"1.0.0\"\nsummary = \"s\"\ngood_for = \"g\"\n\
             cannot_tell = \"c\"\n[[sources]]\nid = \"own\"\ncitation = \"docs/loads.md\"\n[target]\nkind = \"file\"\n\
             size = \"16 GiB\"\nminimum_size = \"8 MiB\"\n[forms.quick]\n[[prepare]]\naction = \"fill\"\n[[tests]]\n\
             name = \"example\"\ntitle = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\n{example}"
        );
        let methodology = parse("docs/loads.md", &text).unwrap();
        let shape =
            TargetShape { capacity: Bytes::new(1 << 40), offset_align: Bytes::new(4096), guess: SpeedGuess::default() };
        for form in [Form::Quick, Form::Smoke] {
            let plan = expand(&methodology, form, &shape).unwrap();
            assert!(!plan.tests[1].steps.is_empty());
        }
    }
}

/// Every section has an example, states what it is good for and what it cannot tell, and names other tools' words. A
/// command that needs a file which the page does not contain is plain text, because it cannot be run as it is.
#[test]
fn every_section_is_whole() {
    let page = page();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert!(sections.len() >= 14);
    for section in sections {
        let title = section.lines().next().unwrap();
        let shown = ["```sh\ndrivelab io ", "```text\ndrivelab io "].iter().any(|command| section.contains(command));
        assert!(shown, "'{title}' lacks a command");
        for part in ["```toml", "\nGood for: ", "\nCannot tell: ", "\nfio: "] {
            assert!(section.contains(part), "'{title}' lacks {part:?}");
        }
    }
}

#[test]
fn every_parameter_of_a_load_is_spoken_of() {
    let page = page();
    let schema = json_schema();
    let group = &schema["properties"]["tests"]["items"]["properties"]["groups"]["items"]["properties"];
    let keys: Vec<&String> = group.as_object().unwrap().keys().filter(|key| *key != "name" && *key != "seed").collect();
    assert!(keys.len() > 30, "the walk over the schema has lost its way");
    let absent: Vec<&&String> = keys.iter().filter(|key| !page.contains(key.as_str())).collect();
    assert!(absent.is_empty(), "docs/loads.md does not speak of: {absent:?}");
}
