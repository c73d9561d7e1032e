//! Runs of one plan that left out different parts: every step has its row, and what is lacking is said.

use drivelab_analysis::analyse;
use drivelab_core::run::RunRecords;
use drivelab_samples as testing;

use super::*;

fn lacking(change: impl FnOnce(&mut RunRecords)) -> RunRecords {
    let mut run = testing::sample_run();
    change(&mut run);
    let known = run.plan.clone();
    run.steps.retain(|record| known.step(&record.key.step).is_some());
    run
}

fn compared(runs: &[RunRecords]) -> Group {
    let analyses: Vec<_> = runs.iter().map(analyse).collect();
    let inputs: Vec<ReportInput<'_>> =
        runs.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    compare(&inputs).groups.remove(0)
}

fn rows(group: &Group) -> Vec<[String; 3]> {
    let row = |row: &Vec<crate::figure::table::Cell>| [0, 1, 2].map(|at| row[at].plain());
    group.tables[0].rows.iter().map(row).filter(|[name, ..]| !name.ends_with(':')).collect()
}

#[test]
fn steps_that_only_a_later_run_has_get_rows_at_the_end_of_their_test() {
    let whole = testing::sample_run();
    let first_of = |run: &mut RunRecords, test: &str| {
        run.plan.tests.iter_mut().filter(|one| one.name == test).for_each(|test| drop(test.steps.remove(0)));
    };
    let shorter = lacking(|run| first_of(run, "depths"));
    let alike = rows(&compared(&[whole.clone(), whole.clone()]));
    let group = compared(&[shorter, whole]);
    let got = rows(&group);
    assert_eq!(got.len(), alike.len(), "no step vanishes: {got:?}");
    let depths = |rows: &[[String; 3]]| {
        let at = rows.iter().rposition(|row| row[0] == "RND 4 KiB Q64T1 read").expect("the deepest");
        (at, rows[at - 1][0].clone())
    };
    let ((deepest, _), (before, _)) = (depths(&got), depths(&alike));
    assert_eq!(deepest + 1, before, "the others of the test come first");
    let [name, first, second] = &got[before];
    assert_eq!((name.as_str(), first.as_str(), second.is_empty()), ("RND 4 KiB Q1T1 read", "", false));
    let lacks = "tests left out: A 1 of 7 steps of Random reads by queue depth, B none";
    assert!(group.differences.iter().any(|one| one == lacks), "{:?}", group.differences);
}

#[test]
fn a_test_that_one_run_lacks_is_named_and_keeps_its_rows() {
    let whole = testing::sample_run();
    let lacks = |name: &str| lacking(|run| run.plan.tests.retain(|test| test.name != name));
    let title = |name: &str| whole.plan.tests.iter().find(|test| test.name == name).expect("it").title.clone();
    let group = compared(&[lacks("depths"), lacks("mixes")]);
    let all = compared(&[whole.clone(), whole.clone()]);
    assert_eq!(rows(&group).len(), rows(&all).len());
    assert!(rows(&group).iter().all(|[_, first, second]| !(first.is_empty() && second.is_empty())));
    assert_eq!(group.differences, [format!("tests left out: A {}, B {}", title("depths"), title("mixes"))]);
    assert_eq!(all.differences, Vec::<String>::new());
}

#[test]
fn what_the_marks_mean_is_no_difference() {
    let run = testing::sample_run();
    let mut analysis = analyse(&run);
    let legend = |analysis: &drivelab_analysis::Analysis| {
        let input = ReportInput { records: &run, analysis };
        let group = compare(&[input, input]).groups.remove(0);
        (group.differences, group.legend)
    };
    let approximated = "≈ marks a figure with a parameter that the source does not state or that drivelab changed.";
    assert_eq!(legend(&analysis), (Vec::new(), approximated.to_owned()));
    analysis.metrics.iter_mut().for_each(|metric| metric.wrong = Some(drivelab_core::metric::Wrong::TooLow));
    let disturbed = crate::figure::signs::DISTURBED;
    assert_eq!(legend(&analysis), (Vec::new(), format!("{disturbed} {approximated}")));
}

#[test]
fn a_condition_that_differs_is_listed_once_for_each_side_or_for_each_run() {
    let run = testing::sample_run();
    let digest = Digest::of(&run, &analyse(&run));
    let listed = |cooling: [&str; 3]| {
        let stated = cooling.map(|text| std::iter::once(("cooling".to_owned(), text.to_owned())).collect());
        let sides = Sides { runs: vec![vec![0, 1], vec![2]], stated: stated.into(), ..Sides::alone(2) };
        of_digests(&[&digest; 3], &sides).groups.remove(0).differences.concat()
    };
    assert_eq!(listed(["fan", "fan", "none"]), "cooling (stated): A fan, B none");
    assert_eq!(listed(["fan", "none", "none"]), "cooling (stated): A1 fan, A2 none, B none");
    assert_eq!(listed(["fan", "fan", "fan"]), "");
}

#[test]
fn a_redacted_comparison_names_no_folder_of_a_parameter() {
    let (plain, mut from_file) = (testing::sample_run(), testing::sample_run());
    from_file.plan.methodology.hash = "77".repeat(32);
    from_file.plan.set = vec!["data_file=/media/anna/sample.bin".to_owned()];
    let digests = [&plain, &from_file].map(|run| Digest::of(run, &analyse(run)));
    let refused = |redact: bool| {
        let sides = Sides { redact, ..Sides::alone(2) };
        of_digests(&digests.iter().collect::<Vec<_>>(), &sides).refused.concat()
    };
    assert!(refused(false).contains("anna"), "{}", refused(false));
    assert!(refused(true).contains("sample.bin") && !refused(true).contains("anna"), "{}", refused(true));
}

#[test]
fn only_sides_that_differ_from_the_base_in_what_was_allowed_are_marked() {
    let (whole, mut other) = (testing::sample_run(), testing::sample_run());
    other.environment.testbed.cpu_model = Some("Another CPU".to_owned());
    let digests = [&whole, &other, &whole].map(|run| Digest::of(run, &analyse(run)));
    let sides = Sides { allowed: vec![Kind::Testbed], ..Sides::alone(3) };
    let found = contrasts(&digests.each_ref(), &sides);
    assert_eq!(found[0].touched_sides, [false, true, false]);
    let table = against::view(&found[0], &sides, false).table;
    let column = |title: &str| table.columns.iter().position(|column| column.title == title).expect(title);
    let marked = |title: &str| table.rows.iter().filter(|row| row[column(title)].text.ends_with('†')).count();
    assert!(marked("B/A") > 3 && marked("C/A") == 0, "{} and {}", marked("B/A"), marked("C/A"));
    assert!(contrasts(&digests.each_ref(), &Sides::alone(3))[0].touched_sides.iter().all(|touched| !touched));
}
