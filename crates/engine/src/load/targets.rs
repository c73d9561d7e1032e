//! The targets of a step's groups: the target itself or, for groups that only read, another namespace of its drive.

use drivelab_core::load::OpKind;
use drivelab_core::target::IoTarget;
use drivelab_core::workload::Workload;

/// Everything that is open for a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Targets<'a> {
    pub(crate) target: &'a IoTarget,
    /// Open for reading only.
    pub(crate) other: Option<&'a IoTarget>,
}

impl<'a> Targets<'a> {
    /// The target of a group; `beside` if it is not the step's own load.
    ///
    /// # Errors
    /// A sentence, if that target is not open or the group must stay on the main target.
    pub(crate) fn of(self, workload: &Workload, beside: bool) -> Result<&'a IoTarget, String> {
        let Some(wanted) = &workload.on else { return Ok(self.target) };
        let only_reads =
            OpKind::ALL.into_iter().all(|kind| kind == OpKind::Read || !workload.issues_or_reads_back(kind));
        let plain = workload.direct && workload.verify.is_off() && workload.replay.is_none();
        if !beside || !only_reads || !plain {
            return Err("only an additional group of threads can use another namespace of the drive, and only with \
                 direct reads"
                .to_owned());
        }
        let name = wanted.words();
        let other = self.other.ok_or_else(|| format!("'{}' reads {name}, which is not open", workload.name))?;
        // Whatever path it was opened by, it must have the size that the plan was made for.
        if other.length() < wanted.capacity {
            return Err(format!(
                "{name} has {} now and had {} when the run was planned",
                other.length(),
                wanted.capacity
            ));
        }
        Ok(other)
    }
}
