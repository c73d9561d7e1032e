//! What the tests of both tools share: an environment without files, and the parser that judges the result.

#![allow(dead_code, reason = "each test program uses its part")]

use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_interop::Surroundings;
use drivelab_method::{Methodology, SpeedGuess, TargetShape};

/// Two variables and three included files.
pub(crate) fn around() -> Surroundings<'static> {
    Surroundings {
        variable: &|name| match name {
            "SIZE" => Some("32m".to_owned()),
            _ => None,
        },
        include: &|file| match file {
            "common.fio" => Ok("[global]\nbs=16k\n".to_owned()),
            "self.fio" => Ok("include self.fio\n".to_owned()),
            "storage.parm" => Ok("sd=sd1,lun=/dev/sdx,openflags=o_direct,threads=4\n".to_owned()),
            _ => Err("not there".to_owned()),
        },
    }
}

/// The methodology; panics with the parser's message if the text is not one.
pub(crate) fn parsed(toml: &str) -> Methodology {
    drivelab_method::parse("imported.toml", toml).unwrap_or_else(|wrong| panic!("{wrong}\n{toml}"))
}

/// Its plan for a target of the file size that it wants.
pub(crate) fn expanded(toml: &str, form: Form) -> Plan {
    let method = parsed(toml);
    let capacity = method.file_size(form).unwrap_or(Bytes::new(4 << 30));
    let shape = TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
    drivelab_method::expand(&method, form, &shape).unwrap_or_else(|wrong| panic!("{wrong}\n{toml}"))
}

/// A methodology with one test.
pub(crate) fn method(test: &str) -> String {
    format!(
        "format = 1\nname = \"one\"\ntitle = \"One\"\nversion = \"1.0.0\"\nsummary = \"x\"\ngood_for = \"x\"\n\
         cannot_tell = \"x\"\n[[sources]]\nid = \"own\"\ncitation = \"x\"\n[target]\nkind = \"file\"\n\
         size = \"1 GiB\"\nminimum_size = \"1 MiB\"\n[forms.faithful]\n[[prepare]]\naction = \"fill\"\n[[tests]]\n\
         name = \"one\"\ntitle = \"One\"\npurpose = \"x\"\nsources = [\"own\"]\n{test}"
    )
}
