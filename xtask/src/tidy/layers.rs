//! Which crate may use which: the table of ARCHITECTURE.md ("The crates"), and nothing else.
//!
//! A new crate gets its row here in the same commit. Rows of crates that do not exist yet are prepared, so that the
//! first commit of such a crate is already checked against the design.

/// A crate and the crates that it may use.
pub(crate) struct Layer {
    /// The crate, as Cargo names it.
    pub(crate) room: &'static str,
    /// What it may depend on, for building and for its tests.
    pub(crate) may_use: &'static [&'static str],
}

/// The permitted arrows. `drivelab` is the `cli` crate; it may use all others, and no crate may use it.
pub(crate) const LAYERS: &[Layer] = &[
    Layer { room: "drivelab-core", may_use: &[] },
    Layer { room: "drivelab-nvme", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-ata", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-trace", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-engine", may_use: &["drivelab-core", "drivelab-nvme"] },
    Layer { room: "drivelab-method", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-interop", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-store", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-samples", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-rig", may_use: &[] },
    Layer { room: "drivelab-analysis", may_use: &["drivelab-core"] },
    Layer { room: "drivelab-model", may_use: &["drivelab-core", "drivelab-nvme"] },
    Layer { room: "drivelab-conditions", may_use: &["drivelab-core", "drivelab-nvme", "drivelab-device"] },
    Layer { room: "drivelab-device", may_use: &["drivelab-core", "drivelab-nvme", "drivelab-ata"] },
    Layer { room: "drivelab-telemetry", may_use: &["drivelab-core", "drivelab-nvme", "drivelab-device"] },
    Layer { room: "drivelab-session", may_use: &["drivelab-core", "drivelab-analysis"] },
    Layer { room: "drivelab-report", may_use: &["drivelab-core", "drivelab-analysis"] },
    Layer { room: "drivelab-drawing", may_use: &[] },
    Layer {
        room: "drivelab-lab",
        may_use: &[
            "drivelab-core",
            "drivelab-engine",
            "drivelab-trace",
            "drivelab-method",
            "drivelab-store",
            "drivelab-analysis",
            "drivelab-model",
            "drivelab-device",
            "drivelab-conditions",
            "drivelab-telemetry",
            "drivelab-session",
            "drivelab-report",
        ],
    },
    Layer {
        room: "drivelab-web",
        may_use: &[
            "drivelab-core",
            "drivelab-session",
            "drivelab-store",
            "drivelab-method",
            "drivelab-analysis",
            "drivelab-report",
            "drivelab-lab",
        ],
    },
    Layer {
        room: "drivelab",
        may_use: &[
            "drivelab-core",
            "drivelab-nvme",
            "drivelab-ata",
            "drivelab-engine",
            "drivelab-trace",
            "drivelab-method",
            "drivelab-interop",
            "drivelab-store",
            "drivelab-analysis",
            "drivelab-model",
            "drivelab-device",
            "drivelab-conditions",
            "drivelab-telemetry",
            "drivelab-session",
            "drivelab-report",
            "drivelab-drawing",
            "drivelab-lab",
            "drivelab-web",
        ],
    },
    Layer { room: "xtask", may_use: &[] },
];

/// An arrow that only tests may have, and why.
pub(crate) struct TestArrow {
    /// The crate whose tests use another crate.
    pub(crate) from: &'static str,
    /// The crate that they use.
    pub(crate) to: &'static str,
    /// Why the tests need it.
    #[expect(dead_code, reason = "the reason is for the reader of this table")]
    pub(crate) why: &'static str,
}

/// Crates only for tests: the tests of any crate may use them, but no part of the program.
pub(crate) const FOR_TESTS: &[&str] = &["drivelab-samples", "drivelab-rig"];

/// Dependencies for tests that the table above would refuse.
pub(crate) const TEST_ARROWS: &[TestArrow] = &[TestArrow {
    from: "drivelab-interop",
    to: "drivelab-method",
    why: "what an import writes must be a methodology, and only the language can say so",
}];

/// Folders whose sources must be pure: no files, network, processes, threads, clocks or environment.
pub(crate) const PURE_ROOMS: &[&str] =
    &["crates/core/src/", "crates/analysis/src/", "crates/report/src/", "crates/model/src/", "crates/interop/src/"];

/// What pure crates must not name, and what to do instead.
pub(crate) const IMPURE: &[(&str, &str)] = &[
    ("std::fs", "let the caller read or write and pass the content"),
    ("fs::File", "let the caller open it and pass the content"),
    ("std::net", "nothing in a pure room talks to a network"),
    ("std::process", "let the caller run it and pass what it said"),
    ("std::thread", "threads belong to engine, session and cli"),
    ("std::env", "settings arrive as parameters"),
    ("rustix::fs", "let the caller ask the kernel and pass the facts"),
    ("Instant::now", "time arrives as a parameter or through core::clock::RunClock"),
    ("SystemTime::now", "time arrives as a parameter"),
];

/// A file of a pure crate that may name some of [`IMPURE`].
pub(crate) struct PureException {
    /// The file.
    pub(crate) path: &'static str,
    /// What it may name.
    pub(crate) names: &'static [&'static str],
    /// Why.
    #[expect(dead_code, reason = "the reason is for the reader of this table")]
    pub(crate) why: &'static str,
}

/// The exceptions.
pub(crate) const PURE_EXCEPTIONS: &[PureException] = &[
    PureException {
        path: "crates/core/src/base/input.rs",
        names: &["std::fs", "fs::File", "rustix::fs"],
        why: "rooms that know nothing of each other read files that people name; one place opens them, below all",
    },
    PureException {
        path: "crates/core/src/base/clock.rs",
        names: &["std::thread"],
        why: "the run clock is the one place that waits (DESIGN.md, 'Waiting goes through one clock')",
    },
    PureException {
        path: "crates/core/src/base/wall.rs",
        names: &["SystemTime::now"],
        why: "the one place that tells the time of day and makes ids, which a test or a simulation sets",
    },
];
