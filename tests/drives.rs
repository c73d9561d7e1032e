//! `drivelab drives`: the list, one drive by name and by model string, a user's own file, a wrong file.

mod support;

use support::Lab;

#[test]
fn drives_are_listed_and_found_by_name_and_by_model_string() {
    let lab = Lab::new();
    let list = lab.ok(&["drives"]).stdout;
    assert!(list.contains("samsung-960-evo") && list.contains("7.68 TB"), "{list}");
    let all = lab.json(&["drives", "--json"]);
    assert_eq!(all["drives"].as_array().expect("drives").len(), list.lines().count());
    let by_name = lab.json(&["drives", "wd-black-2017", "--json"]);
    let by_model = lab.json(&["drives", "WDC WDS256G1X0C-00ENX0", "--json"]);
    assert_eq!(by_name, by_model);
    let endurance = &by_name["drives"][0]["facts"]["capacities"][0]["figures"]["endurance"];
    assert_eq!(endurance["value"]["number"], 80e12);
    assert_eq!(endurance["value"]["unit"], "B");
    assert_eq!(endurance["source"], "004");
    let shown = lab.ok(&["drives", "wd-black-2017", "-v"]).stdout;
    assert!(shown.contains("80 TB") && shown.contains("stated, 004") && shown.contains("Dillon"), "{shown}");
    let daily = lab.ok(&["drives", "wd-black-2017", "--daily", "50GB"]).stdout;
    assert!(daily.contains("At 50 GB a day") && daily.contains("4.4 years") && !daily.contains("Dillon"), "{daily}");
    let unrated = lab.ok(&["drives", "toshiba-bg4", "--daily", "50GB"]).stdout;
    assert!(unrated.contains("--daily has no effect: this drive's rated endurance is not known."), "{unrated}");
    for wrong in [&["--daily", "50"][..], &["--daily", "50GB", "--json"]] {
        assert_eq!(lab.run(&[&["drives", "wd-black-2017"], wrong].concat()).code, 2, "{wrong:?}");
    }
    let unknown = lab.run(&["drives", "ultrastar-dc-sn86"]);
    assert_eq!(unknown.code, 4, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("wd-ultrastar-dc-sn861"), "{}", unknown.stderr);
}

#[test]
fn a_file_of_the_users_own_is_checked_and_found() {
    let lab = Lab::new();
    let page = include_str!("../docs/guide/drives.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the example");
    lab.write("mine.toml", example);
    let fine = lab.ok(&["drives", "--check", "mine.toml"]);
    assert!(fine.stdout.contains("maker-model-9 is fine"), "{}", fine.stdout);
    let folder = lab.data().join("config/drivelab/drives");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("mine.toml"), example).expect("a file");
    let ask = |name: &str| {
        let mut command = lab.command(&["drives", name]);
        command.env("XDG_CONFIG_HOME", lab.data().join("config")).env_remove("SUDO_UID");
        support::done(command.output().expect("drivelab starts"))
    };
    let found = ask("MAKER_MODEL_9_500GB");
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert!(found.stdout.contains("54.90 EUR on 2026-11-20") && found.stdout.contains("mine.toml"), "{}", found.stdout);
    std::fs::write(folder.join("mine.toml"), example.replace("3500 MB/s", "3500")).expect("a file");
    let wrong = ask("MAKER_MODEL_9_500GB");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("mine.toml:") && wrong.stderr.contains("13700 MB/s"), "{}", wrong.stderr);
    lab.write("mine.toml", example.replace("warranty", "waranty"));
    let wrong = lab.run(&["drives", "--check", "mine.toml", "--json"]);
    assert_eq!(wrong.code, 2);
    let document: serde_json::Value = serde_json::from_str(&wrong.stdout).expect("one JSON document");
    let line = example.lines().position(|line| line.starts_with("warranty")).expect("the line") + 1;
    assert_eq!(document["errors"][0]["line"], line, "{document:#}");
    assert_eq!(lab.run(&["drives", "--check", "none.toml"]).code, 4);
}
