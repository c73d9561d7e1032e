//! Facts about a target that this user may not see, and facts that nobody can get: each with the reason and how to
//! get it.

use std::fs;
use std::io;
use std::path::Path;

use drivelab_core::probe::{Health, NotKnown, TargetProbe, WriteOutlook};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::depth::Depth;

/// A process that always exists and belongs to root.
const FIRST_PROCESS: &str = "/proc/1/ns/mnt";

/// A capability: its number in the masks of /proc/self/status, and its name (capabilities(7)).
#[derive(Debug, Clone, Copy)]
pub(super) struct Capability(u32, &'static str);

/// To inspect processes of other users: ptrace(2) requires it.
pub(super) const SEES_OTHERS: Capability = Capability(19, "CAP_SYS_PTRACE");
/// To open nodes whatever their permissions are.
pub(super) const OPENS_ANY: Capability = Capability(1, "CAP_DAC_OVERRIDE");
/// To send commands to a drive.
pub(super) const ASKS_DRIVES: Capability = Capability(21, "CAP_SYS_ADMIN");

/// How to get a fact that this process may not read: for root, the capability that it lacks; for other users,
/// `otherwise`.
pub(super) fn how_to_get(capability: Capability, otherwise: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    lacked_by_root(&status, capability).unwrap_or_else(|| otherwise.to_owned())
}

/// What root has to do; `None` for other users. `status` is /proc/self/status: the second of its user numbers is the
/// effective one (proc_pid_status(5)).
fn lacked_by_root(status: &str, Capability(number, name): Capability) -> Option<String> {
    let field = |field: &str| status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    if field("Uid")?.split_ascii_whitespace().nth(1)? != "0" {
        return None;
    }
    let held = field("CapEff").and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let short = name.trim_start_matches("CAP_");
    Some(if held >> number & 1 == 1 {
        format!(
            "this is root already, with {name}, but in a user namespace or container: run drivelab outside of it, or make the \
             container a privileged one"
        )
    } else {
        format!(
            "this is root already, but without the capability {name}: give it to the process (a container: \
             `--cap-add {short}`, or a privileged one; a systemd service: CapabilityBoundingSet=), or run drivelab \
             outside of the container"
        )
    })
}

/// Everything that is missing because of the user's permissions.
pub(super) fn lacking(probe: &TargetProbe) -> Vec<NotKnown> {
    let mut lacking = Vec::new();
    if hidden(Path::new(FIRST_PROCESS)) {
        lacking.push(NotKnown {
            what: "what else uses it".to_owned(),
            why: "this user cannot see the mounts and programs of other users".to_owned(),
            how: how_to_get(SEES_OTHERS, "run drivelab as root (sudo)"),
        });
    }
    if matches!(probe.writing, WriteOutlook::WithDestroy { .. }) && closed(&probe.path) {
        lacking.push(NotKnown {
            what: "its content, and whether it can be written".to_owned(),
            why: "this user may not open its node for reading and writing".to_owned(),
            how: how_to_get(
                OPENS_ANY,
                "run drivelab as root (sudo), or as a member of the group that owns the node (`ls -l` names it)",
            ),
        });
    }
    lacking
}

/// What this kind of device cannot provide: only for a full probe, because a list would repeat it for every layer.
pub(super) fn without_health(probe: &TargetProbe, depth: Depth) -> Option<NotKnown> {
    let device = probe.device().filter(|_| depth == Depth::Full && probe.health == Health::Unknown)?;
    let below = device.lies_on.first();
    let how = match (below, &device.virtual_because) {
        (Some(below), _) => format!("check the device below it: `drivelab show {below}`"),
        (None, Some(_)) => "check the drive itself, on the machine that provides this device".to_owned(),
        (None, None) => String::new(),
    };
    let why = device.virtual_because.as_ref().map_or_else(
        || format!("drivelab cannot query a device of this kind ({})", device.transport),
        |why| format!("it is {why}, and has no health log"),
    );
    Some(NotKnown { what: "health, wear and lifetime writes".to_owned(), why, how })
}

/// Whether a process of another user is hidden from this user.
fn hidden(link: &Path) -> bool {
    fs::read_link(link).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

fn closed(node: &Path) -> bool {
    accessat(CWD, node, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS) == Err(Errno::ACCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_told_which_capability_it_lacks_and_nobody_else_is() {
        let status = |uid: u32, held: &str| format!("Name:\tx\nUid:\t1000\t{uid}\t0\t0\nCapEff:\t{held}\n");
        let told = |uid, held: &str| lacked_by_root(&status(uid, held), SEES_OTHERS);
        assert_eq!(told(1000, "0000000000000000"), None, "sudo is the way");
        let without = told(0, "00000000a00425fb").expect("what a container commonly has");
        assert!(without.contains("without the capability CAP_SYS_PTRACE"), "{without}");
        assert!(without.contains("--cap-add SYS_PTRACE") && !without.contains("sudo"), "{without}");
        let with = told(0, "000001ffffffffff").expect("root of a namespace");
        assert!(with.contains("with CAP_SYS_PTRACE, but in a user namespace"), "{with}");
        assert_eq!(lacked_by_root("", SEES_OTHERS), None);
        let opens = lacked_by_root(&status(0, "00000000a00425fb"), OPENS_ANY).expect("root");
        assert!(opens.contains("with CAP_DAC_OVERRIDE, but"), "its bit is 1: {opens}");
    }
}
