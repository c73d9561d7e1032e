//! `drivelab article` as an author uses it: a draft, its page, its charts as files, and everything that is refused.

mod support;

use std::path::Path;

use support::Lab;

/// A run in quick form that takes a moment: two short steps.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("m.toml", include_str!("support/two_steps.toml"));
    lab.ok(&["run", "m.toml", ".", "--size", "16MiB"]);
    lab
}

fn text(lab: &Lab, name: &str) -> String {
    std::fs::read_to_string(lab.folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn is_png(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG") && bytes.len() > 2_000)
}

#[test]
fn a_draft_is_written_builds_and_gives_its_charts_away() {
    let lab = lab();
    lab.ok(&["article", "new", "last", "-o", "review.md"]);
    let draft = text(&lab, "review.md");
    assert!(draft.starts_with("+++\ntitle = ") && draft.contains("{{ chart "), "{draft}");
    // It may hold the author's words by now.
    let refused = lab.run(&["article", "new", "last", "-o", "review.md"]);
    assert!(refused.code == 2 && refused.stderr.contains("not replaced"), "{}", refused.stderr);
    assert_eq!(text(&lab, "review.md"), draft);
    let done = lab.ok(&["article", "build", "review.md", "--assets", "figures"]);
    assert!(done.stderr.contains("still to be written"), "{}", done.stderr);
    let page = text(&lab, "review.html");
    assert!(page.contains("class=\"gap\"") && page.contains("id=\"drivelab-charts\""));
    let figures = lab.folder().join("figures");
    let names: Vec<String> = std::fs::read_dir(&figures)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let charts: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".svg")).collect();
    assert!(!charts.is_empty(), "{names:?}");
    for chart in charts {
        let svg = text(&lab, &format!("figures/{chart}.svg"));
        assert!(svg.starts_with("<svg") && svg.contains("<text") && !svg.contains("var(--"), "{chart}");
        assert!(is_png(&figures.join(format!("{chart}.png"))), "{chart}");
    }
    let tables: Vec<&String> = names.iter().filter(|name| name.ends_with(".md")).collect();
    assert!(!tables.is_empty() && tables.iter().all(|name| text(&lab, &format!("figures/{name}")).starts_with("| ")));
    // Again is fine, and what the article no longer shows is removed; a file of somebody else's is not.
    let is_chart = |line: &str| line.starts_with("{{ chart");
    let first = draft.lines().find(|line| is_chart(line)).expect("a chart");
    let fewer: String =
        draft.lines().filter(|line| !is_chart(line) || *line == first).map(|line| format!("{line}\n")).collect();
    lab.write("review.md", &fewer);
    std::fs::write(figures.join("own.txt"), "x").expect("room");
    lab.ok(&["article", "build", "review.md", "--assets", "figures"]);
    let left = std::fs::read_dir(&figures).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let left: Vec<String> = left.map(|name| name.to_string_lossy().into_owned()).collect();
    let svgs = left.iter().filter(|name| name.ends_with(".svg")).count();
    assert!(svgs == 1 && names.len() > left.len() && left.contains(&"own.txt".to_owned()), "{left:?}");
    // A file of the author's own in such a folder stays, and nothing is lost by a build that it stops.
    lab.write("review.md", &draft);
    let table = tables.iter().find(|table| !left.contains(table)).expect("a chart that went");
    lab.write(&format!("figures/{table}"), "mine");
    let refused = lab.run(&["article", "build", "review.md", "--assets", "figures"]);
    assert!(refused.code == 2 && refused.stderr.contains("was not written by drivelab"), "{}", refused.stderr);
    assert_eq!(text(&lab, &format!("figures/{table}")), "mine");
    assert!(left.iter().all(|name| figures.join(name).exists()), "{left:?}");
    std::fs::create_dir(lab.folder().join("mine"))
        .and_then(|()| std::fs::write(lab.folder().join("mine/a.txt"), "x"))
        .expect("a folder");
    let refused = lab.run(&["article", "build", "review.md", "--assets", "mine"]);
    assert!(refused.code == 2 && refused.stderr.contains("did not write"), "{}", refused.stderr);
    let listed = lab.ok(&["article", "list", "review.md"]).stdout;
    assert!(listed.contains("Charts: {{ chart NAME }}"), "{listed}");
}

#[test]
fn check_lists_gaps_and_odd_figures_and_ends_with_3_until_nothing_is_open() {
    let lab = lab();
    lab.ok(&["article", "new", "last", "-o", "review.md"]);
    let checked = lab.run(&["article", "check", "review.md"]);
    assert_eq!(checked.code, 3, "{}", checked.stderr);
    assert!(checked.stdout.lines().all(|line| line.starts_with("review.md:")), "{}", checked.stdout);
    assert!(checked.stdout.contains("still to be written: "), "{}", checked.stdout);
    let filled: String = text(&lab, "review.md")
        .lines()
        .map(|line| if line.contains("{{ gap") { "Words of the author.\n".to_owned() } else { format!("{line}\n") })
        .collect();
    lab.write("review.md", format!("{filled}It reads 1.234567 GB/s, they say 99,999,999 MB/s.\n"));
    let checked = lab.run(&["article", "check", "review.md"]);
    assert!(checked.code == 3 && checked.stdout.contains("99,999,999 MB/s matches no figure"), "{}", checked.stdout);
    lab.write("review.md", &filled);
    let checked = lab.run(&["article", "check", "review.md"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{}", checked.stderr);
}

#[test]
fn mistakes_are_named_with_file_and_line_and_no_page_is_written() {
    let lab = lab();
    lab.ok(&["article", "new", "last", "-o", "review.md"]);
    let draft = text(&lab, "review.md");
    let lines = draft.lines().count();
    let large = vec![0x89; 50_000_000];
    std::fs::write(lab.folder().join("large.png"), large).expect("room");
    for (more, line, says) in [
        ("{{ chart nothing }}", lines + 2, "no chart 'nothing'"),
        ("![x](none.png)", lines + 2, "the picture 'none.png' cannot be read"),
        ("![x](large.png)", lines + 2, "is 50.0 MB"),
        ("![x](../large.png)", lines + 2, "is not in the folder of the article"),
        ("![x](/etc/passwd)", lines + 2, "is not in the folder of the article"),
        ("[x](javascript:alert(1))", lines + 2, "not a valid link"),
    ] {
        lab.write("broken.md", format!("{draft}\n{more}\n"));
        let refused = lab.run(&["article", "build", "broken.md"]);
        assert_eq!(refused.code, 2, "{more}: {}", refused.stderr);
        assert!(refused.stderr.contains(&format!("broken.md:{line}: ")), "{more}: {}", refused.stderr);
        assert!(refused.stderr.contains(says), "{more}: {}", refused.stderr);
        assert!(!lab.folder().join("broken.html").exists(), "{more}");
    }
    // What the front matter names and what does not exist.
    let (run, _) = lab.runs().remove(0);
    let (at, runs) = (1..).zip(draft.lines()).find(|(_, line)| line.starts_with("runs = ")).expect("the runs");
    let after = |more: &str| draft.replace(runs, &format!("{runs}\n{more}"));
    let against = |word: &str| after(&format!("against = [\n  \"published:beeler-sn861\",\n  \"{word}\",\n]"));
    for (broken, code, line, says) in [
        (draft.replace(&run, "ffffffff"), 4, at, "no run 'ffffffff'"),
        (against("published:nobody"), 4, at + 3, "no published figures 'nobody'"),
        (against("published:dillon-nvme/none"), 4, at + 3, "no drive whose name contains 'none'"),
        (against("no-such-run"), 4, at + 3, "is called 'no-such-run'"),
        (after("base = \"nobody\""), 2, at + 1, "need a comparison"),
        (after("against = [\"published:dillon-nvme\"]\nbase = \"nobody\""), 4, at + 2, "is called 'nobody'"),
        (after("against = [\"published:dillon-nvme\"]\nbase = \"Z\""), 2, at + 2, "matches no side"),
        (after("against = [\"published:dillon-nvme\"]\nallow = [\"moon\"]"), 2, at + 2, "moon"),
    ] {
        lab.write("broken.md", &broken);
        let refused = lab.run(&["article", "build", "broken.md"]);
        let place = format!("broken.md:{line}: ");
        let told = refused.stderr.contains(&place) && refused.stderr.contains(says);
        assert!(refused.code == code && told, "{place}{says}: {} {}", refused.code, refused.stderr);
    }
    lab.write("broken.md", draft.replace("title = ", "title = 3 # "));
    let refused = lab.run(&["article", "check", "broken.md"]);
    assert!(refused.code == 2 && refused.stderr.contains("broken.md:2: "), "{}", refused.stderr);
    assert_eq!(lab.run(&["article", "check", "nowhere.md"]).code, 4);
}

/// Two tests that have nothing in common are no comparison, and still an article.
#[test]
fn two_runs_that_cannot_be_compared_are_an_article_without_a_comparison() {
    let lab = lab();
    let other =
        include_str!("support/two_steps.toml").replace("two-steps", "others").replace("name = \"", "name = \"other-");
    lab.write("other.toml", other);
    lab.ok(&["run", "other.toml", ".", "--size", "16MiB"]);
    let ids: Vec<String> = lab.runs().into_iter().map(|(id, _)| id).collect();
    let done = lab.ok(&["article", "new", &ids[0], &ids[1], "-o", "both.md"]);
    assert!(done.stderr.contains("are not compared"), "{}", done.stderr);
    let draft = text(&lab, "both.md");
    assert!(draft.contains("## A: ") && draft.contains("## B: ") && !draft.contains("## Beside others"), "{draft}");
    lab.ok(&["article", "build", "both.md"]);
}

#[test]
fn a_smoke_run_is_no_subject_and_published_drives_are_one_without_any_run() {
    let lab = Lab::new();
    lab.ok(&["run", "quick", ".", "--form", "smoke", "--size", "64MiB"]);
    let refused = lab.run(&["article", "new", "last", "-o", "smoke.md"]);
    assert!(refused.code == 2 && refused.stderr.contains("smoke form"), "{}", refused.stderr);
    lab.ok(&["article", "new", "--against", "published:beeler-sn861", "-o", "peers.md"]);
    let draft = text(&lab, "peers.md");
    assert!(draft.contains("{{ table published }}") && draft.contains("{{ chart "), "{draft}");
    lab.ok(&["article", "build", "peers.md", "--assets", "peers"]);
    let page = text(&lab, "peers.html");
    assert!(page.contains("\"hatched\":true") && page.contains("Western Digital SN861"));
    assert!(std::fs::read_dir(lab.folder().join("peers")).expect("files").count() > 5);
}

/// The articles of the documentation: nothing in them is open, and every figure in their text is a published one.
#[test]
fn the_articles_of_the_documentation_build_and_nothing_in_them_is_open() {
    let lab = Lab::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/articles");
    let entries = std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let articles: Vec<_> = entries.filter(|path| !path.ends_with("README.md")).collect();
    assert_eq!(articles.len(), 4, "{articles:?}");
    for article in articles {
        let article = article.to_str().expect("a text path");
        let checked = lab.run(&["article", "check", article]);
        assert_eq!(checked.code, 0, "{article}: {}{}", checked.stdout, checked.stderr);
        lab.ok(&["article", "build", article, "-o", "article.html"]);
        let page = text(&lab, "article.html");
        assert!(page.matches("class=\"chart\"").count() >= 3 && page.contains("Published figures"), "{article}");
    }
}
