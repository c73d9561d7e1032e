//! What each step of a run finds on the target, by the events of its bundle alone: which steps changed the target since
//! it was last emptied. An interrupted run that was resumed must find what an uninterrupted one finds.

use std::collections::BTreeSet;

use serde_json::Value;

/// A step of the plan.
pub(crate) struct Planned {
    pub(crate) id: String,
    /// Its load; `None` for a wait.
    load: Option<Value>,
    /// It can change what the target holds.
    pub(crate) changes: bool,
    /// It prepares, and measures nothing.
    pub(crate) prepares: bool,
    /// Nothing that was on the target before matters after it: a preparation has discarded all of the target by then
    /// or, in a plan that never does, the very first writes cover all of it.
    pub(crate) empties: bool,
}

impl Planned {
    /// For a load that only writes its span in passes, so that a part of it can be repeated on a full span: order,
    /// size, data and span.
    fn fills(&self) -> Option<[Value; 4]> {
        let load = self.load.as_ref()?;
        let only_writes = share(load, "write_percent") == 100 && load["other"].is_null() && load["beside"].is_null();
        let what = || ["pattern", "block_size", "data", "span"].map(|name| load[name].clone());
        // A sample of the places is not a pass over the span.
        let passes = load["pattern"] != "random" && load["places"].is_null();
        (only_writes && passes).then(what)
    }

    fn length(&self) -> u64 {
        self.load.as_ref().map_or(0, |load| share(&load["span"], "length"))
    }
}

pub(crate) fn share(load: &Value, name: &str) -> u64 {
    load[name].as_u64().unwrap_or(0)
}

pub(crate) fn plan(events: &[Value]) -> Vec<Planned> {
    let tests = events[0]["event"]["run_started"]["plan"]["tests"].as_array().expect("tests");
    let end = |load: &Value| share(&load["span"], "offset") + share(&load["span"], "length");
    let steps = || tests.iter().flat_map(|test| test["steps"].as_array().expect("steps"));
    let most = steps().map(|step| end(&step["action"]["io"]["workload"])).max().unwrap_or(0);
    let mut all = Vec::new();
    for test in tests {
        // As far as the discards reach with which the test begins.
        let mut discarded = Some(0);
        for step in test["steps"].as_array().expect("steps") {
            let (io, prepares) = (&step["action"]["io"], step["role"] == "prepare");
            let load = &io["workload"];
            let groups: Vec<&Value> =
                std::iter::once(load).chain(load["beside"].as_array().into_iter().flatten()).collect();
            let changes = |load: &&Value| {
                let other = share(&load["other"], "trim_percent") + share(&load["other"], "write_zeroes_percent");
                load["on"].is_null() && load["files"].is_null() && share(load, "write_percent") + other > 0
            };
            let trims = prepares && share(&load["other"], "trim_percent") == 100;
            discarded =
                discarded.filter(|so_far| trims && share(&load["span"], "offset") == *so_far).map(|_| end(load));
            all.push(Planned {
                id: step["id"].as_str().expect("an id").to_owned(),
                load: load.is_object().then(|| load.clone()),
                changes: load.is_object() && groups.iter().any(changes),
                prepares,
                empties: discarded.is_some_and(|end| end >= most / 100 * 99),
            });
        }
    }
    if !all.iter().any(|step| step.empties)
        && let Some(first) = all.first_mut()
    {
        let prepares = tests[0]["steps"][0]["role"] == "prepare";
        first.empties = prepares && first.fills().is_some() && first.length() >= most / 100 * 99;
    }
    all
}

pub(crate) fn key(body: &Value) -> String {
    format!("{} {}", body["key"]["step"].as_str().unwrap_or_default(), body["key"]["round"])
}

/// What happened to the target, by the events of a bundle.
struct Went<'a> {
    plan: &'a [Planned],
    /// Steps that changed the target since it was emptied.
    found: Vec<String>,
    /// The required changes, when each step was first done.
    must: Vec<String>,
    running: Option<String>,
    done: BTreeSet<String>,
    /// The load that changed the target last, if it has written all of its span: repeating a part of it leaves the
    /// target unchanged.
    full_by: Option<[Value; 4]>,
}

impl<'a> Went<'a> {
    fn on(plan: &'a [Planned]) -> Went<'a> {
        let (found, must, done) = (Vec::new(), Vec::new(), BTreeSet::new());
        Went { plan, found, must, running: None, done, full_by: None }
    }

    fn of(&self, key: &str) -> &'a Planned {
        self.plan.iter().find(|step| key.rsplit_once(' ').is_some_and(|(id, _)| id == step.id)).expect("planned")
    }

    /// A step was interrupted that may have changed anything.
    fn cut(&mut self, key: &str) {
        let step = self.of(key);
        if step.changes && (self.full_by.is_none() || step.fills() != self.full_by) {
            self.found.push(format!("cut off: {key}"));
            self.full_by = None;
        }
    }

    fn begins(&mut self, key: &str) {
        // An interrupted step may have changed anything.
        if let Some(killed) = self.running.take() {
            self.cut(&killed);
        }
        if self.of(key).empties {
            self.found.clear();
        }
        self.running = Some(key.to_owned());
    }

    /// A step ended; returns what it found and what it must have found if the two differ.
    fn ends(&mut self, record: &Value) -> Option<(String, String)> {
        let key = key(record);
        let step = self.of(&key);
        self.running = None;
        if record["stop_reason"] == "stopped" {
            let others = record["others"].as_array().is_some_and(|all| !all.is_empty());
            if share(record, "written_total") > 0 || others {
                self.cut(&key);
            }
            return None;
        }
        let first = self.done.insert(key.clone());
        if first && step.empties {
            self.must.clear();
        }
        let whole = share(record, "written_total") >= step.length() / 100 * 99;
        if step.prepares && step.fills().is_some() && whole {
            // A preparing fill leaves nothing of its own first try, or of its own first pass.
            self.found.retain(|change| *change != format!("cut off: {key}") && *change != key);
        }
        let differs = first && self.found != self.must;
        let differs = differs.then(|| format!("{key} found {:?}, and in one go {:?}", self.found, self.must));
        if step.changes {
            self.full_by = step.fills().filter(|load| whole || self.full_by.as_ref() == Some(load));
            self.found.push(key.clone());
            if first {
                self.must.push(key.clone());
            }
        }
        differs.map(|words| (key, words))
    }
}

/// What a bundle shows about the order of its steps: a sentence for each step that did not find what it finds in an
/// uninterrupted run, and the number of such steps that the run itself reports.
pub(crate) fn judged(events: &[Value]) -> (Vec<String>, usize) {
    let plan = plan(events);
    let mut went = Went::on(&plan);
    let (mut wrong, mut said) = (Vec::new(), 0);
    // Steps of which the run reports that they met data of an interrupted step.
    let mut not_emptied = BTreeSet::new();
    for event in events {
        let body = &event["event"];
        if body["finding"]["code"] == "not_emptied" {
            let steps = body["finding"]["steps"].as_array().expect("the steps that it is about");
            not_emptied.extend(steps.iter().map(|one| key(&serde_json::json!({ "key": one }))));
        }
        // A different file, which contains nothing.
        if body["run_resumed"]["target_state"].as_str().is_some_and(|text| text.contains("created and filled again")) {
            went.found.clear();
            (went.running, went.full_by) = (None, None);
        }
        for name in ["step_started", "making_again"] {
            if body[name].is_object() {
                went.begins(&key(&body[name]));
            }
        }
        for name in ["step_ended", "made_again"] {
            let record = &body[name];
            // A repeated wait has no record.
            let record = if record["record"].is_object() { &record["record"] } else { record };
            if !record.is_object() {
                continue;
            }
            let Some((key, words)) = went.ends(record) else {
                let key = key(record);
                if not_emptied.contains(&key) && record["stop_reason"] != "stopped" {
                    wrong.push(format!("{key} found what it finds in one go, and its figures are void"));
                }
                continue;
            };
            // The required data were written on top of data that cannot be removed.
            if not_emptied.contains(&key) && went.found.ends_with(&went.must) {
                said += 1;
            } else {
                wrong.push(words);
            }
        }
    }
    (wrong, said)
}
