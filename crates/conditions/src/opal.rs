//! Whether hardware encryption by TCG Opal can be had, and which of drive, kernel and tool is missing where not.
//!
//! Sources: cryptsetup-luksFormat(8), `--hw-opal-only` (cryptsetup 2.7 and later); the kernel's block/Kconfig,
//! BLK_SED_OPAL; NVM Express Base Specification 2.0, figure 275, OACS bit 0 (Security Send and Receive).

use std::fs;

use crate::error::ConditionsError;
use crate::luks;
use crate::programs::unpacked;

/// The kernel's switch.
const SWITCH: &str = "CONFIG_BLK_SED_OPAL";

/// What is known of one of the three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It can.
    Yes,
    /// It cannot, or it cannot be told: why, a part of a sentence.
    No(String),
}

/// Refuses hardware encryption where one of the three is missing, and names each that is.
///
/// # Errors
/// [`ConditionsError::Host`] where the drive could and the host cannot, else [`ConditionsError::Target`].
pub fn check(drive: Answer) -> Result<(), ConditionsError> {
    let tool = luks::version().map_or_else(|error| Answer::No(format!("the tool: {error}")), |said| tool(&said));
    judge(drive, kernel(kernel_settings().as_deref()), tool)
}

/// Said where drive, kernel and tool have it all.
pub(crate) fn not_tried() -> ConditionsError {
    ConditionsError::Host(
        "drive, kernel and cryptsetup have what hardware encryption (Opal) needs, but this version does not set it up: \
         cryptsetup takes ownership of the drive with a password, erasing the range does not give it back, and only a \
         reset with the PSID on the label does, which was never tried on hardware. Nothing was touched; leave the arm \
         opal out"
            .to_owned(),
    )
}

fn judge(drive: Answer, kernel: Answer, tool: Answer) -> Result<(), ConditionsError> {
    let drive_could = drive == Answer::Yes;
    let missing: Vec<String> = [drive, kernel, tool]
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
        "hardware encryption (Opal) cannot be had here. What is missing: {}. Nothing was touched; leave the arm opal out",
        missing.join("; ")
    );
    Err(if drive_could { ConditionsError::Host(text) } else { ConditionsError::Target(text) })
}

/// What a version of cryptsetup can do.
fn tool(said: &str) -> Answer {
    let number = said.split_whitespace().nth(1).unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
    let version = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if version >= (2, 7) {
        return Answer::Yes;
    }
    Answer::No(format!("the tool (this is {said}, and only cryptsetup 2.7 and later know Opal)"))
}

/// What a kernel with these settings can do.
fn kernel(settings: Option<&str>) -> Answer {
    match settings {
        Some(text) if text.lines().any(|line| line == format!("{SWITCH}=y")) => Answer::Yes,
        Some(_) => Answer::No(format!("the kernel (it was built without {SWITCH})")),
        None => Answer::No(format!(
            "the kernel (whether it has {SWITCH} cannot be told: neither /proc/config.gz nor /boot/config-* can be read)"
        )),
    }
}

fn kernel_settings() -> Option<String> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    fs::read_to_string(format!("/boot/config-{release}")).ok().or_else(|| unpacked("/proc/config.gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: &str = "CONFIG_BLK_DEV=y\nCONFIG_BLK_SED_OPAL=y\n";
    const WITHOUT: &str = "# CONFIG_BLK_SED_OPAL is not set\n";

    fn no_drive() -> Answer {
        Answer::No("the drive (it says nothing of Opal)".into())
    }

    #[test]
    fn each_of_the_three_is_named_where_it_is_missing() {
        let old = || tool("cryptsetup 2.6.1");
        let text = |drive, kernel, tool| judge(drive, kernel, tool).expect_err("refused").to_string();
        let all = text(no_drive(), kernel(Some(WITHOUT)), old());
        for part in ["the drive (", "the kernel (it was built without", "the tool (this is cryptsetup 2.6.1"] {
            assert!(all.contains(part), "{all}");
        }
        let only_tool = text(Answer::Yes, kernel(Some(WITH)), old());
        assert!(!only_tool.contains("the drive (") && !only_tool.contains("the kernel ("), "{only_tool}");
        assert!(text(Answer::Yes, kernel(None), old()).contains("cannot be told"));
        judge(Answer::Yes, kernel(Some(WITH)), tool("cryptsetup 2.7.0")).expect("all three are there");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        for (said, can) in
            [("cryptsetup 2.10.0", true), ("cryptsetup 3.0", true), ("cryptsetup 2.6.9", false), ("", false)]
        {
            assert_eq!(tool(said) == Answer::Yes, can, "{said}");
        }
    }
}
