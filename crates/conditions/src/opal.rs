//! Whether hardware encryption by TCG Opal is available; otherwise, which of drive, kernel and tool lacks it.
//!
//! Sources: cryptsetup-luksFormat(8), `--hw-opal-only` (cryptsetup 2.7 and later); the kernel's block/Kconfig,
//! BLK_SED_OPAL; NVM Express Base Specification 2.0, figure 275, OACS bit 0 (Security Send and Receive).

mod answer;
pub(crate) mod commands;
mod drive;
pub(crate) mod key;
pub(crate) mod undo;

use std::fs;

pub(crate) use answer::Answer;
pub(crate) use drive::{is_owned, says_of_opal};

use crate::error::ConditionsError;
use crate::luks;
use crate::programs::unpacked;

/// The kernel's build option.
const SWITCH: &str = "CONFIG_BLK_SED_OPAL";

/// The flag of `cryptsetup --version` if it was built for Opal.
const BUILT_WITH: &str = "HW_OPAL";

/// Refuses hardware encryption if drive, kernel, tool or the administrator's key lacks something, and names each.
///
/// # Errors
/// [`ConditionsError::Wish`] if only the key is missing, [`ConditionsError::Host`] if only the host lacks something,
/// otherwise [`ConditionsError::Target`].
pub fn check(drive: Answer, key: Answer) -> Result<(), ConditionsError> {
    let said = luks::version_with_flags();
    let tool = said.map_or_else(|error| Answer::No(format!("the tool: {error}")), |said| tool(&said));
    judge(drive, kernel(kernel_settings().as_deref()), tool, key)
}

fn judge(drive: Answer, kernel: Answer, tool: Answer, key: Answer) -> Result<(), ConditionsError> {
    let (drive_could, host_could) = (drive == Answer::Yes, kernel == Answer::Yes && tool == Answer::Yes);
    let missing: Vec<String> = [drive, kernel, tool, key]
        .into_iter()
        .filter_map(|answer| match answer {
            Answer::Yes => None,
            Answer::No(why) => Some(why),
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "hardware encryption (Opal) is not available here. Missing: {}. Nothing was touched{}",
        missing.join("; "),
        if drive_could && host_could { "" } else { "; leave the arm opal out" },
    );
    Err(match (drive_could, host_could) {
        (true, true) => ConditionsError::Wish(text),
        (true, false) => ConditionsError::Host(text),
        (false, _) => ConditionsError::Target(text),
    })
}

/// Whether a cryptsetup with this version and these flags supports Opal.
fn tool(said: &str) -> Answer {
    let number = said.split_whitespace().nth(1).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let version = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if version < (2, 7) {
        let name = said.split(" flags:").next().unwrap_or_default();
        return Answer::No(format!("the tool (this is {name}, and only cryptsetup 2.7 and later support Opal)"));
    }
    if !said.split_whitespace().any(|flag| flag == BUILT_WITH) {
        return Answer::No(format!("the tool (this cryptsetup was built without {BUILT_WITH}: {said})"));
    }
    Answer::Yes
}

/// Whether a kernel with these settings supports Opal.
fn kernel(settings: Option<&str>) -> Answer {
    match settings {
        Some(text) if text.lines().any(|line| line == format!("{SWITCH}=y")) => Answer::Yes,
        Some(_) => Answer::No(format!("the kernel (it was built without {SWITCH})")),
        None => Answer::No(format!(
            "the kernel (it is unknown whether it has {SWITCH}: neither /proc/config.gz nor /boot/config-* can be read)"
        )),
    }
}

fn kernel_settings() -> Option<String> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    fs::read_to_string(format!("/boot/config-{release}")).ok().or_else(|| unpacked("/proc/config.gz"))
}

#[cfg(test)]
mod tests {
    mod on_pages;

    use super::*;

    const WITH: &str = "CONFIG_BLK_DEV=y\nCONFIG_BLK_SED_OPAL=y\n";
    const WITHOUT: &str = "# CONFIG_BLK_SED_OPAL is not set\n";

    fn no_drive() -> Answer {
        Answer::No("the drive (it reports nothing about Opal)".into())
    }

    fn no_key() -> Answer {
        key::answer(None)
    }

    const NEW: &str = "cryptsetup 2.7.0 flags: UDEV BLKID KEYRING KERNEL_CAPI HW_OPAL";

    #[test]
    fn each_of_the_three_is_named_where_it_is_missing() {
        let old = || tool("cryptsetup 2.6.1 flags: UDEV BLKID KEYRING KERNEL_CAPI");
        let text = |drive, kernel, tool| judge(drive, kernel, tool, Answer::Yes).expect_err("refused").to_string();
        let all = text(no_drive(), kernel(Some(WITHOUT)), old());
        for part in ["the drive (", "the kernel (it was built without", "the tool (this is cryptsetup 2.6.1, and"] {
            assert!(all.contains(part), "{all}");
        }
        let only_tool = text(Answer::Yes, kernel(Some(WITH)), old());
        assert!(!only_tool.contains("the drive (") && !only_tool.contains("the kernel ("), "{only_tool}");
        assert!(text(Answer::Yes, kernel(None), old()).contains("it is unknown"));
        judge(Answer::Yes, kernel(Some(WITH)), tool(NEW), Answer::Yes).expect("all are there");
    }

    #[test]
    fn without_the_administrators_key_nothing_is_begun() {
        let error = judge(Answer::Yes, kernel(Some(WITH)), tool(NEW), no_key()).expect_err("refused");
        assert!(matches!(error, ConditionsError::Wish(_)), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("--opal-admin-key FILE") && text.contains("Nothing was touched"), "{text}");
        assert!(!text.contains("the drive (") && !text.contains("the tool ("), "{text}");
        let error = judge(Answer::Yes, kernel(Some(WITHOUT)), tool(NEW), no_key()).expect_err("refused");
        assert!(matches!(error, ConditionsError::Host(_)), "{error:?}");
        let error = judge(no_drive(), kernel(Some(WITH)), tool(NEW), no_key()).expect_err("refused");
        assert!(matches!(error, ConditionsError::Target(_)), "{error:?}");
    }

    #[test]
    fn versions_are_compared_as_numbers_and_the_build_must_know_opal() {
        for (said, can) in [
            (NEW, true),
            ("cryptsetup 2.10.0 flags: HW_OPAL", true),
            ("cryptsetup 3.0 flags: HW_OPAL", true),
            ("cryptsetup 2.7.0 flags: UDEV BLKID", false),
            ("cryptsetup 2.6.9 flags: HW_OPAL", false),
            ("", false),
        ] {
            assert_eq!(tool(said) == Answer::Yes, can, "{said}");
        }
    }

    /// The real program and the real kernel of this machine, whatever they support.
    #[test]
    fn this_machines_own_tool_and_kernel_are_judged_by_what_they_say() {
        let said = luks::version_with_flags();
        let error = check(no_drive(), no_key()).expect_err("a drive without Opal").to_string();
        assert!(error.contains("the drive (it reports nothing about Opal)"), "{error}");
        match said.as_deref().map(tool) {
            Ok(Answer::Yes) => assert!(!error.contains("the tool"), "{error}"),
            Ok(Answer::No(why)) => assert!(error.contains(&why), "{error}"),
            Err(_) => assert!(error.contains("the tool: cryptsetup is not on this machine"), "{error}"),
        }
    }
}
