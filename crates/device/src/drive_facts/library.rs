//! The text of the built-in drive facts files: they go through the same parser as a user's own.

/// A file of `reference/drives`: its path in the repository and its text.
macro_rules! files {
    ($($name:literal)+) => {
        &[$((
            concat!("reference/drives/", $name, ".toml"),
            include_str!(concat!("../../../../reference/drives/", $name, ".toml")),
        ),)+]
    };
}

/// All of them.
pub const BUILT_IN: &[(&str, &str)] = files! {
    "intel-600p"
    "kioxia-cm7-r"
    "mydigitalssd-bpx"
    "plextor-m8pe"
    "samsung-9100-pro"
    "samsung-960-evo"
    "samsung-960-pro"
    "samsung-970-evo"
    "samsung-pm1743"
    "samsung-pm981"
    "samsung-pm981a"
    "samsung-pm991"
    "samsung-pm9a3"
    "samsung-sm951-nvme"
    "sandisk-sn8100"
    "toshiba-bg4"
    "toshiba-ocz-rd400"
    "toshiba-xg6"
    "wd-black-2017"
    "wd-black-2018"
    "wd-sn520"
    "wd-ultrastar-dc-sn655"
    "wd-ultrastar-dc-sn861"
};
