//! docs/loads.md says each load twice: the command and the TOML above it must come to the same load.

use clap::Parser;
use drivelab_core::plan::{Action, Form, Plan, Rounds, StopRule};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;
use drivelab_method::{SpeedGuess, TargetShape, expand, parse};

use super::flags::Defaults;
use super::load::{self, Ground};
use crate::args::{Cli, Command};

const CAPACITY: Bytes = Bytes::new(64 << 30);

/// Words of a command line: blanks part them, quotes and a backslash at the end of a line do not.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for sign in command.replace("\\\n", " ").trim().chars() {
        match sign {
            '\'' => quoted = !quoted,
            sign if sign.is_whitespace() && !quoted => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()))
            }
            sign => word.push(sign),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

fn plan_of(text: &str, form: Form) -> Plan {
    let shape = TargetShape { capacity: CAPACITY, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
    let methodology = parse("docs/loads.md", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    expand(&methodology, form, &shape).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// What the first measured step issues, and how often; names and seeds, which follow from names, left out.
fn load_of(plan: &Plan) -> (Workload, StopRule, Nanos, Rounds) {
    let test = plan.tests.iter().find(|test| test.name != "prepare").expect("a test");
    let Some(Action::Io { workload, stop, ramp }) = test.steps.first().map(|step| step.action.clone()) else {
        panic!("no load")
    };
    let plain = |load: Workload| Workload { seed: 0, ..load };
    let beside = workload.beside.iter().cloned().map(plain).collect();
    (Workload { beside, ..plain(workload) }, stop, ramp, test.rounds.clone())
}

fn by_flags(command: &str) -> (Workload, StopRule, Nanos, Rounds) {
    let cli = Cli::try_parse_from(words(command)).unwrap_or_else(|wrong| panic!("{command}\n{wrong}"));
    let Command::Io(arguments) = cli.command else { panic!("{command} is another command") };
    let written = load::written(&arguments, &Ground::File { length: CAPACITY }, &Defaults::default());
    let text = written.map_or_else(|_| panic!("{command} is refused"), |written| written.text);
    load_of(&plan_of(&text, Form::Faithful))
}

fn by_keys(example: &str) -> (Workload, StopRule, Nanos, Rounds) {
    let text = format!(
        "format = 1\nname = \"page\"\ntitle = \"T\"\nversion = \"1.0.0\"\nsummary = \"s\"\ngood_for = \"g\"\ncannot_tell = \
         \"c\"\n[[sources]]\nid = \"own\"\ncitation = \"docs/loads.md\"\n[target]\nkind = \"file\"\nsize = \"64 GiB\"\n\
         minimum_size = \"8 MiB\"\ncontent = \"as_found\"\n[forms.quick]\n[[tests]]\nname = \"example\"\ntitle = \"T\"\n\
         purpose = \"p\"\nsources = [\"own\"]\n{example}"
    );
    load_of(&plan_of(&text, Form::Quick))
}

#[test]
fn commands_and_keys_of_the_page_come_to_the_same_load() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/loads.md")).expect("the page");
    let mut pairs = 0;
    for rest in page.split("```toml\n").skip(1) {
        let (example, behind) = rest.split_once("```").expect("a block that ends");
        let Some((_, command)) = behind.split_once("```sh\n") else { continue };
        let command = command.split("```").next().expect("a block that ends");
        assert_eq!(by_flags(command), by_keys(example), "{example}\n{command}");
        pairs += 1;
    }
    assert!(pairs >= 15, "the page has lost pairs: {pairs}");
}
