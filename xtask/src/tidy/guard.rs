//! Rule *guard*: only `device::guard` makes a `WritableTarget`, the only thing that the engine writes to, and the
//! permit without which no drive can be formatted or sanitized; only the engine sends the NVMe command that writes.
//!
//! The type is in `core` so that engine and session can name it; this rule is what keeps its constructor private in
//! effect (DESIGN.md, "The house").

use super::Complaint;
use crate::source::SourceFile;

/// Where the guard is.
const GUARD: &str = "crates/device/src/guard/";
/// Where the constructors are defined: of the writable target, and of the permit for commands that destroy data.
const DEFINITIONS: [&str; 2] = ["crates/core/src/seams/target.rs", "crates/nvme/src/commands/permit.rs"];

/// Where the command that writes blocks past the kernel is defined, and where it is sent: to the engine's own target.
const PLACED: [&str; 3] =
    ["crates/nvme/src/commands/placed_write.rs", "crates/nvme/src/lib.rs", "crates/engine/src/load/placed.rs"];

/// Checks one file. Tests may make targets from their own scratch files.
pub(crate) fn check(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = made_elsewhere(file);
    if !PLACED.contains(&file.path.as_str()) {
        complaints.extend(file.product_code().filter(|(_, code)| code.contains("PlacedWrite")).map(|(line, _)| {
            let what = "an NVMe command that writes is sent outside the engine";
            let why = "it names blocks of the whole namespace, past the handle that the guard gave";
            Complaint::new(&file.path, line, "guard", what, why, "let the engine write to its target")
        }));
    }
    complaints
}

fn made_elsewhere(file: &SourceFile) -> Vec<Complaint> {
    if DEFINITIONS.contains(&file.path.as_str()) || file.path.starts_with(GUARD) {
        return Vec::new();
    }
    let calls = file.product_code().filter(|(_, code)| code.contains("from_guard") || code.contains("GuardedParts"));
    calls
        .map(|(line, _)| {
            let what = "a writable target, or a permit to destroy, is made outside the write guard";
            let why = "nothing may be written that the guard has not let through";
            let todo = "ask device::guard for the target";
            Complaint::new(&file.path, line, "guard", what, why, todo)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "let target = WritableTarget::from_guard(parts);\n";

    #[test]
    fn only_the_guard_and_tests_make_writable_targets() {
        let complaints = |path| check(&SourceFile::new(path, CALL)).len();
        assert_eq!(complaints("crates/cli/src/wire.rs"), 1);
        assert_eq!(complaints("crates/device/src/block/identity.rs"), 1);
        assert_eq!(complaints("crates/device/src/guard/mod.rs"), 0);
        assert_eq!(complaints("crates/device/src/guard/scratch.rs"), 0);
        assert_eq!(complaints("crates/engine/tests/loop_device.rs"), 0);
        let permit = |path| check(&SourceFile::new(path, "let permit = DestroyPermit::from_guard();\n")).len();
        assert_eq!((permit("crates/cli/src/wipe.rs"), permit("crates/nvme/src/commands/permit.rs")), (1, 0));
    }

    #[test]
    fn only_the_engine_sends_the_command_that_writes() {
        let sent = |path| check(&SourceFile::new(path, "PlacedWrite { nsid }.send(node, data)\n")).len();
        assert_eq!((sent("crates/device/src/block/placement.rs"), sent("crates/engine/src/load/placed.rs")), (1, 0));
    }

    #[test]
    fn naming_it_in_a_comment_is_not_calling_it() {
        assert!(check(&SourceFile::new("crates/cli/src/wire.rs", "// see WritableTarget::from_guard\n")).is_empty());
    }
}
