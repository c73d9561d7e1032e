//! `drivelab doctor` on this host: its output is complete and consistent; no speed is asserted.

mod support;

use support::Lab;

#[test]
fn the_document_holds_facts_ceilings_and_findings_with_remedies() {
    let document = Lab::new().json(&["doctor", "--json", "--time", "50 ms", "."]);
    assert_eq!((&document["schema"], &document["schema_version"]), (&"drivelab.doctor".into(), &1.into()));
    assert!(document["testbed"]["host"]["clock_source"].is_string(), "{document}");
    assert!(document["testbed"]["host"]["interrupts_per_second"].is_number());
    let ceilings = document["ceilings"].as_array().expect("a list");
    assert_eq!(ceilings.len(), 8);
    for ceiling in ceilings {
        // A host may or may not have io_uring; what was issued must have figures, what was not issued a reason.
        let issued = ceiling["iops"].as_f64();
        assert_eq!(issued.is_some(), ceiling["error"].is_null(), "{ceiling}");
        assert!(issued.is_none_or(|iops| iops > 0.0), "{ceiling}");
    }
    assert!(ceilings.iter().any(|ceiling| ceiling["iops"].is_number()), "{ceilings:?}");
    for finding in document["findings"].as_array().expect("a list") {
        assert!(finding["statement"].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
        assert!(finding["next_action"].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
    }
}

#[test]
fn what_a_calm_host_could_generate_outlives_a_measurement_of_a_busy_one() {
    let lab = Lab::new();
    let file = lab.data().join("host-ceilings.json");
    lab.ok(&["doctor", "--time", "10 ms"]);
    let mut kept: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).expect("what is kept")).expect("JSON");
    for ceiling in kept["ceilings"].as_array_mut().expect("a list") {
        ceiling["iops"] = 1e12.into();
    }
    std::fs::write(&file, kept.to_string()).expect("written");
    let done = lab.ok(&["doctor", "--json", "--time", "10 ms"]);
    let new: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    let spread = |one: &serde_json::Value| one["spread"].as_f64().expect("a spread");
    let busy = new["ceilings"].as_array().expect("a list").iter().any(|one| spread(one) > 0.2);
    let after: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).expect("what is kept")).expect("JSON");
    assert_eq!(after["ceilings"] == kept["ceilings"], busy, "{}", done.stderr);
    assert_eq!(done.stderr.contains("the earlier measurement stays"), busy, "{}", done.stderr);
}

#[test]
fn what_the_host_can_generate_goes_on_record_with_every_run() {
    let lab = Lab::new();
    let recorded = || {
        lab.ok(&["io", ".", "--size", "4M", "--time", "100ms"]);
        lab.json(&["report", "last", "--format", "json"])["environment"]["ceilings"].clone()
    };
    lab.ok(&["doctor", "--no-measure"]);
    lab.ok(&["doctor", "--time", "10 ms", "--no-save"]);
    assert!(recorded().is_null(), "nothing was measured and kept");
    let measured = lab.json(&["doctor", "--json", "--time", "10 ms"]);
    let kept = recorded();
    assert_eq!((&kept["ceilings"], &kept["kernel"]), (&measured["ceilings"], &measured["testbed"]["kernel"]));
    assert!(kept["measured"].as_str().is_some_and(|when| when.contains('T')), "{kept:#}");

    // Figures of another kernel do not apply to this one.
    let file = lab.data().join("host-ceilings.json");
    let text = std::fs::read_to_string(&file).expect("what is kept");
    let kernel = measured["testbed"]["kernel"].as_str().expect("a kernel");
    std::fs::write(&file, text.replace(kernel, "2.6.32")).expect("written");
    assert!(recorded().is_null(), "an older kernel's");
}

#[test]
fn facts_alone_issue_nothing_and_a_missing_target_is_named() {
    let lab = Lab::new();
    let text = lab.ok(&["doctor", "--no-measure"]).stdout;
    assert!(text.contains("io_uring") && text.contains("memlock") && !text.contains("kIOPS"), "{text}");
    for missing in ["/nowhere/at/all", "/dev/there-is-none"] {
        let done = lab.run(&["doctor", "--no-measure", missing]);
        assert!(done.code == 6 && done.stderr.contains(missing), "{} {}", done.code, done.stderr);
    }
}
