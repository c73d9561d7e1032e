//! Does its link run as it should? What was negotiated against what drive and slot support, what the model is known
//! for, and the rate of reads through it.

use drivelab_core::environment::{LinkFacts, pcie_link};
use drivelab_core::probe::{PcieHop, UplinkRoot};

use super::answer::{Answer, Notes, Question, Sureness, beside};
use super::known::Known;
use super::old_data;

pub(super) fn answer(known: &Known<'_>) -> Answer {
    let mut notes = Notes::default();
    let Some(device) = known.device() else {
        return notes.unknown(Question::Link, "no drive was found below the target", "Name the drive itself.");
    };
    let Some(link) = &device.link else {
        let why = format!("the link of {} ({}) is not known", device.name, device.transport);
        let how = "Look at the drive without an adapter, on the machine that it is installed in.";
        return notes.unknown(Question::Link, &why, how);
    };
    against_possible(link, &mut notes);
    against_facts(known, link, &mut notes);
    if let Some(path) = known.probe.and_then(|probe| probe.pcie.as_ref()) {
        way(&path.hops, link, &mut notes);
        match path.root {
            UplinkRoot::Chipset => notes.saw("it is behind the chipset, whose path to the CPU other devices share"),
            UplinkRoot::Switch => notes.saw("it is behind a switch, whose path to the CPU other devices share"),
            UplinkRoot::Cpu | UplinkRoot::RootPort | UplinkRoot::RootBus => {}
        }
    }
    if let Some((fastest, rate)) = old_data::fastest(known).zip(link.bytes_per_second) {
        let (mb_s, mark) = (fastest.mb_s, beside(fastest.wrong));
        let share = mb_s * 1e6 / rate * 100.0;
        notes.saw(format!("the fastest place was read at {mb_s:.0} MB/s, {share:.0} % of what the link carries{mark}"));
    }
    let good = match &link.possible {
        Some(_) => format!("It runs at {}, the best that drive and slot support.", link.negotiated),
        None => format!("It runs at {}; the best that it could do is not known.", link.negotiated),
    };
    let because = "this is the link as the kernel sees it now; some hosts lower it at idle";
    let action = "Try another slot before you blame the drive: the cause is usually the slot, cable or adapter.";
    notes.answer(Question::Link, &good, (Sureness::Sure, because), action)
}

fn against_possible(link: &LinkFacts, notes: &mut Notes) {
    let Some(possible) = &link.possible else { return };
    if *possible == link.negotiated {
        notes.saw(format!("drive and slot support {possible}"));
    } else {
        notes.beware(format!("its link runs at {} and could run at {possible}", link.negotiated));
    }
}

/// What the model is known for: a drive in a slot slower than it supports is slower than its data sheet.
fn against_facts(known: &Known<'_>, link: &LinkFacts, notes: &mut Notes) {
    let Some((facts, device)) = known.facts.zip(known.device()) else { return };
    let figures = facts.figures_at(Some(device.capacity));
    let Some(figure) = &figures.interface else { return };
    let text = figure.value.text.as_str();
    let Some(((now, lanes), (could, wide))) = pcie_link(&link.negotiated).zip(pcie_link(text)) else { return };
    let fewer = lanes.zip(wide).is_some_and(|(lanes, wide)| lanes < wide);
    if now < could || fewer {
        notes.beware(format!("{} is a drive for {text}, but runs at {} here", facts.title, link.negotiated));
    } else {
        notes.saw(format!("{} is a drive for {text} ({})", facts.title, figure.certainty.name()));
    }
}

/// A narrower link further up.
fn way(hops: &[PcieHop], link: &LinkFacts, notes: &mut Notes) {
    let rate = link.bytes_per_second.unwrap_or(0.0);
    for hop in hops.iter().skip(1) {
        let Some(up) = &hop.link else { continue };
        if up.bytes_per_second.is_some_and(|up| up < rate * 0.99) {
            notes.beware(format!("on the path to the CPU, {} ({}) runs at {}", hop.address, hop.kind, up.negotiated));
        }
    }
}
