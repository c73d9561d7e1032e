//! A plan as a fio job file: every execution is a job after a barrier, with comments for what fio cannot express.
//!
//! Owns which option expresses what. Must not know: files, which fio is installed. The file is for fio 3.33 and newer.

mod kinds;
pub(super) mod target;

use std::fmt::Write as _;

use drivelab_core::ids::StepId;
use drivelab_core::load::{Arrivals, Locality, Verify};
use drivelab_core::plan::{Action, Plan, Rest, Rounds, Step, StopRule, TestPlan};
use drivelab_core::relative::{RelativeRate, Rounding};
use drivelab_core::units::Nanos;
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};

use kinds::{Kinds, no_job_for};
use target::Unnameable;

/// Most executions that are written out; beyond this number, each step is written once and a comment states the number
/// of rounds.
const MOST: usize = 400;

/// How the head of such a file states its origin.
pub(super) const MADE_BY: &str = "made by `drivelab methods plan … --as-fio`";

/// The job file; `target` is the file or device, as fio has to name it.
///
/// # Errors
/// fio would use another file than the target.
pub fn job_file(plan: &Plan, target: &str) -> Result<String, Unnameable> {
    let target = target::named(target)?;
    let mut text = format!(
        "; {} {} ({} form) as a fio job file, {MADE_BY}\n\
         ; Comments state what fio cannot express. fio creates a missing file without asking: check the target.\n",
        plan.methodology.name,
        plan.methodology.version,
        plan.form.name()
    );
    if plan.steps().any(|step| open_share(step).is_some()) {
        let words =
            "; Jobs with # in front need a rate from another job's result: fio skips them until you fill it in.";
        let _ = writeln!(text, "{words}");
    }
    let _ = write!(text, "[global]\nfilename={target}\nioengine=io_uring\ngroup_reporting\n");
    let repeated = plan.schedule().len() <= MOST;
    for test in &plan.tests {
        let _ = write!(text, "\n; {}\n", one_line(&test.title));
        if let Some(words) = rounds(test, repeated) {
            let _ = writeln!(text, "; {words}");
        }
        let fixed = matches!(test.rounds, Rounds::Fixed { .. });
        if repeated && fixed {
            test.schedule().into_iter().for_each(|(key, step)| one_step(&mut text, step, key.round));
        } else {
            test.steps.iter().for_each(|step| one_step(&mut text, step, 1));
        }
    }
    Ok(text)
}

/// Whether the job file has a job: fio also runs a file without one, and ends immediately.
#[must_use]
pub fn has_jobs(job_file: &str) -> bool {
    job_file.lines().any(|line| line.starts_with('[') && line != "[global]")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The repetition that fio does not do.
fn rounds(test: &TestPlan, repeated: bool) -> Option<String> {
    match &test.rounds {
        Rounds::Fixed { count: 1 } => None,
        Rounds::Fixed { .. } if repeated => None,
        Rounds::Fixed { count } => Some(format!("{count} rounds of this; here it is written once")),
        Rounds::Steady { max, .. } => {
            Some(format!("repeated until steady, at most {max} times; here it is written once"))
        }
        Rounds::FindRate(search) => {
            Some(format!("searches for a rate in at most {} rounds; here is the first", search.max))
        }
    }
}

/// Options and comments of one job.
#[derive(Default)]
struct Job {
    options: Vec<String>,
    comments: Vec<String>,
}

impl Job {
    fn say(&mut self, option: impl Into<String>) {
        self.options.push(option.into());
    }

    fn comment(&mut self, text: impl Into<String>) {
        self.comments.push(text.into());
    }
}

fn one_step(text: &mut String, step: &Step, round: u32) {
    let Action::Io { workload, stop, ramp } = &step.action else {
        let what = match &step.action {
            Action::Idle { time } => format!("idle for {time}"),
            _ => one_line(&step.label),
        };
        let _ = writeln!(text, "; here drivelab waits: {what}");
        return;
    };
    let odd = |load: &Workload| load.replay.is_some() || load.files.is_some() || load.span.length.get() == 0;
    if workload.groups().any(odd) {
        return no_job(text, step, "replays a trace or works on files");
    }
    if Kinds::of(workload).is_none() {
        return no_job(text, step, &format!("issues {}", no_job_for(workload)));
    }
    let round = if round > 1 { format!(".round-{round}") } else { String::new() };
    let name = format!("{}{round}", job_name(&step.id));
    let share = open_share(step);
    let mark = if share.is_some() { "#" } else { "" };
    for (at, load) in workload.groups().enumerate() {
        let Some(kinds) = Kinds::of(load) else { continue };
        let mut job = Job::default();
        if at == 0 {
            share.into_iter().for_each(|share| left_out(share, workload, &mut job));
            for other in workload.groups().filter(|other| Kinds::of(other).is_none()) {
                job.comment(format!("drivelab also runs load '{}' of {}", other.name, no_job_for(other)));
            }
            job.say("stonewall");
        }
        load_of(load, kinds, &mut job);
        if let Some(share) = share.filter(|_| load.pace.rate.is_none()) {
            let base = job_name(&share.of);
            let base = if at == 0 { base } else { format!("{base}.{}", load.name) };
            blank_rate(share, load, &base, &mut job);
        }
        ending((load, kinds), stop, *ramp, at == 0, &mut job);
        if at == 0 {
            after(step, &mut job);
        }
        let name = if at == 0 { name.clone() } else { format!("{name}.{}", load.name) };
        let _ = write!(text, "\n{mark}[{name}]\n");
        job.comments.iter().for_each(|comment| {
            let _ = writeln!(text, "; {}", comment.replace('\n', " "));
        });
        job.options.iter().flat_map(|option| option.lines()).for_each(|option| {
            let _ = writeln!(text, "{mark}{option}");
        });
    }
}

/// A step for which fio has no job: comments state what drivelab does instead and what follows.
fn no_job(text: &mut String, step: &Step, what: &str) {
    let _ = writeln!(text, "; here drivelab {what}: {}", one_line(&step.label));
    let mut behind = Job::default();
    after(step, &mut behind);
    behind.comments.iter().for_each(|comment| {
        let _ = writeln!(text, "; {comment}");
    });
}

fn job_name(step: &StepId) -> String {
    step.to_string().replace('/', ".")
}

/// The share of another step's rate at which a step runs, if that rate is unknown. Without a rate the job would run at
/// full speed under the name of a share, so it is written as a comment.
fn open_share(step: &Step) -> Option<&RelativeRate> {
    let unknown = step.workload()?.groups().any(|load| load.pace.rate.is_none());
    step.relative.as_ref().filter(|_| unknown)
}

/// Why a job is written as a comment, and how to make it run.
fn left_out(share: &RelativeRate, workload: &Workload, job: &mut Job) {
    let (percent, base) = (share.percent, job_name(&share.of));
    job.comment(format!(
        "left out: drivelab issues {percent} % of the operations per second that job {base} reaches, which is known only \
         after that job has run; then replace <…> at rate_iops by the number and remove #"
    ));
    if share.rounding == Rounding::Vdbench {
        job.comment(
            "drivelab asks for this share rounded up to whole hundreds above 1000 per second, otherwise to whole tens, \
             and leaves out a share below 10",
        );
    }
    if let Some(bound) = share.stop_above {
        job.comment(format!("drivelab ends the curve after the first share whose mean latency is above {bound}"));
    }
    if !workload.beside.is_empty() {
        job.comment(format!("fio adds up concurrent jobs: run {base} without group_reporting to see each"));
    }
}

/// `rate_iops=` with placeholders in place of numbers.
fn blank_rate(share: &RelativeRate, load: &Workload, base: &str, job: &mut Job) {
    let percent = share.percent;
    let divided = match jobs_for(load) {
        1 => String::new(),
        jobs => format!(", divided by {jobs}"),
    };
    let blank = |kind: &str| format!("<{percent} % of the {kind}IOPS of job {base}{divided}>");
    if load.write_percent.get() > 0 && load.read_percent() > 0 {
        job.say(format!("rate_iops={},{}", blank("read "), blank("write ")));
    } else {
        job.say(format!("rate_iops={}", blank("")));
    }
    spacing(share.arrivals, job);
}

fn after(step: &Step, job: &mut Job) {
    match step.rest {
        Rest::None {} => {}
        Rest::Fixed { time } => job.comment(format!("afterwards drivelab rests for {time}")),
        Rest::DutyCycle { percent, cap } => {
            job.comment(format!("afterwards drivelab rests: active for {percent} % of the time, at most {cap}"));
        }
    }
    if let Some(cool) = step.start_below {
        job.comment(format!("drivelab begins only below {} °C", cool.below_c));
    }
}

fn headers(verify: Verify, job: &mut Job) {
    match verify {
        Verify::Off => return,
        Verify::Headers => job.say("verify=crc32c\ndo_verify=0"),
        Verify::AtOnce => job.say("verify=crc32c\nverify_backlog=1"),
        Verify::Check => job.say("verify=crc32c"),
    }
    job.comment("headers have fio's layout: neither tool can read the other's");
}

fn load_of(load: &Workload, kinds: Kinds, job: &mut Job) {
    let Workload {
        write_percent,
        other,
        block_size: _,
        block_size_mix: _,
        pattern: _,
        locality,
        stride: _,
        places,
        seek_percent,
        streams: _,
        span: _,
        on,
        queue_depth: _,
        threads: _,
        pace: _,
        data: _,
        content: _,
        verify,
        direct,
        placement,
        placement_handle,
        seed: _,
        name: _,
        beside: _,
        replay: _,
        files: _,
    } = load;
    if let Some(other) = on {
        job.comment("drivelab reads another namespace of the same drive here");
        if other.is_known() {
            job.say(format!("filename=/dev/{}", other.name));
        }
    }
    if places.is_some() {
        job.comment("drivelab touches only a sample of the blocks; fio cannot do that, so this job touches all");
    }
    direction(load, kinds, job);
    sizes(load, job);
    if !seek_percent.is_zero() {
        job.say(format!("percentage_random={seek_percent}"));
        job.say("norandommap=1");
    } else if load.pattern == Pattern::Random {
        job.say("norandommap=1");
    }
    distribution(locality, job);
    place(load, job);
    job.say(format!("direct={}", u8::from(*direct)));
    if other.sync_every > 0 {
        job.say(format!("fdatasync={}", other.sync_every));
    }
    pace(load, kinds, job);
    if write_percent.get() > 0 {
        data(load, job);
    }
    headers(*verify, job);
    if !placement.cpus.is_empty() {
        let cpus: Vec<String> = placement.cpus.iter().map(u32::to_string).collect();
        job.say(format!("cpus_allowed={}\ncpus_allowed_policy=split", cpus.join(",")));
    }
    if let Some(handle) = placement_handle {
        job.comment(format!(
            "drivelab places these writes by handle {handle} of the drive; fio does so with ioengine=io_uring_cmd on \
             /dev/ngXnY, fdp=1 and plids={handle}"
        ));
    }
    if placement.batch > 1 {
        job.say(format!("iodepth_batch_complete_min={}", placement.batch));
    }
}

/// `rw=`, with the gap of a stride after a colon.
fn direction(load: &Workload, kinds: Kinds, job: &mut Job) {
    kinds.difference(load).into_iter().for_each(|why| job.comment(why));
    let random = !load.pattern.is_sequential() || !load.seek_percent.is_zero();
    let block = load.block_size.get();
    let gap = load.stride.map_or(0, |stride| stride.get().saturating_sub(block));
    let gap = match load.pattern {
        Pattern::Reverse => format!(":-{}", 2 * block + gap),
        _ if gap > 0 => format!(":{gap}"),
        _ => String::new(),
    };
    let (before, behind) = if random { ("rand", "") } else { ("", gap.as_str()) };
    job.say(format!("rw={before}{}{behind}", kinds.word()));
    if kinds == Kinds::Mix {
        job.say(format!("rwmixwrite={}", kinds.write_percent(load)));
        if !random && load.streams != Streams::ByKind {
            job.comment("fio has a stream for reads and one for writes; drivelab has one for both");
        }
    }
}

fn sizes(load: &Workload, job: &mut Job) {
    let total: u64 = load.block_size_mix.iter().map(|share| u64::from(share.operations)).sum();
    if load.block_size_mix.is_empty() || total == 0 {
        return job.say(format!("bs={}", load.block_size.get()));
    }
    let mut left = 100;
    let mut exact = true;
    let last = load.block_size_mix.len() - 1;
    let parts: Vec<String> = load
        .block_size_mix
        .iter()
        .enumerate()
        .map(|(at, share)| {
            let weight = u64::from(share.operations) * 100;
            exact &= weight.is_multiple_of(total);
            let percent = if at == last { left } else { ((weight + total / 2) / total).min(left) };
            left -= percent;
            format!("{}/{percent}", share.block_size.get())
        })
        .collect();
    if !exact {
        job.comment("shares of sizes are rounded to whole per cent");
    }
    job.say(format!("bssplit={}", parts.join(":")));
}

fn distribution(locality: &Locality, job: &mut Job) {
    let decimal = |thousandths: u32| format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    match locality {
        Locality::Uniform => {}
        Locality::Zipf { theta_thousandths, scattered } => {
            job.say(format!("random_distribution=zipf:{}", decimal(*theta_thousandths)));
            gathered(*scattered, job);
        }
        Locality::Pareto { h_thousandths, scattered } => {
            job.say(format!("random_distribution=pareto:{}", decimal(*h_thousandths)));
            gathered(*scattered, job);
        }
        Locality::Normal { deviation_percent } => job.say(format!("random_distribution=normal:{deviation_percent}")),
        Locality::Zoned { zones } => {
            let zones: Vec<String> = zones.iter().map(|zone| format!("{}/{}", zone.accesses, zone.span)).collect();
            job.say(format!("random_distribution=zoned:{}", zones.join(":")));
        }
        Locality::HotBand { accesses, from_percent, to_percent } => {
            let (rest, from) = (100 - u32::from(accesses.get()), u32::from(from_percent.get()));
            let to = u32::from(to_percent.get());
            let (before, behind) = ((rest * from + 50) / 100, (rest * (100 - to) + 50) / 100);
            let zones = [(before, from), (100 - before - behind, to - from), (behind, 100 - to)];
            let words: Vec<String> = zones
                .iter()
                .filter(|(_, span)| *span > 0)
                .map(|(accesses, span)| format!("{accesses}/{span}"))
                .collect();
            job.comment("the hot band as zones, rounded to whole per cent");
            job.say(format!("random_distribution=zoned:{}", words.join(":")));
        }
    }
}

fn gathered(scattered: bool, job: &mut Job) {
    if !scattered {
        job.comment("in fio hot blocks are scattered over the span; in drivelab they are together at its start");
    }
}

/// How many jobs of fio correspond to the threads of a load: one if they share a stream.
fn jobs_for(load: &Workload) -> u64 {
    let together = load.streams == Streams::Shared && load.pattern != Pattern::Random;
    if together { 1 } else { u64::from(load.threads.get()) }
}

/// Depth, threads, offset and size.
fn place(load: &Workload, job: &mut Job) {
    let (threads, depth) = (u64::from(load.threads.get()), u64::from(load.queue_depth.get()));
    let length = load.span.length.get();
    let drawn = load.pattern == Pattern::Random;
    job.say(format!("offset={}", load.span.offset.get()));
    if threads > 1 && load.streams == Streams::Shared && !drawn {
        job.comment(format!("one stream for {threads} threads: in fio one job with the depth of all"));
        job.say(format!("size={length}\niodepth={}", depth * threads));
        return;
    }
    let apart = threads > 1 && load.streams == Streams::Disjoint && !drawn;
    if apart {
        let block = load.block_size.get().max(1);
        let stretch = length / threads / block * block;
        if stretch * threads < length {
            job.comment("the span is not a multiple of the threads' stretches: its last blocks are left out");
        }
        job.say(format!("size={stretch}\noffset_increment={stretch}"));
    } else {
        job.say(format!("size={length}"));
    }
    job.say(format!("iodepth={depth}"));
    if threads > 1 {
        job.say(format!("numjobs={threads}"));
    }
}

/// The distribution of arrivals at a rate.
fn spacing(arrivals: Arrivals, job: &mut Job) {
    match arrivals {
        Arrivals::Constant => {}
        Arrivals::Exponential => job.say("rate_process=poisson"),
        Arrivals::Uniform => job.comment("gaps are uniform between zero and twice the mean; fio's are constant"),
    }
    job.comment("fio waits when its queue is full; drivelab's operations arrive regardless");
}

fn pace(load: &Workload, kinds: Kinds, job: &mut Job) {
    let pace = load.pace;
    if let Some(rate) = pace.rate {
        let threads = jobs_for(load);
        let mut exact = true;
        let mut part = |percent: u8| {
            let (all, of) = (rate.per_1000_s * u64::from(percent), 100 * 1000 * threads);
            exact &= all.is_multiple_of(of);
            (all / of).max(1)
        };
        let (writes, reads) = (load.write_percent.get(), load.read_percent());
        let rates = match kinds {
            Kinds::Mix => format!("{},{}", part(reads), part(writes)),
            Kinds::Reads => part(reads).to_string(),
            Kinds::Writes => part(writes).to_string(),
            Kinds::Trims => part(100).to_string(),
            // fio counts trims and writes separately.
            Kinds::TrimsAndWrites => part(50).to_string(),
        };
        job.say(format!("rate_iops={rates}"));
        if !exact {
            job.comment(format!("the rate is {} operations per second, rounded down per job", rate.iops()));
        }
        spacing(rate.arrivals, job);
    }
    // A pause of less than a microsecond must not become zero.
    let micros = |time: Nanos| time.get().div_ceil(1000);
    let pauses = [Some(pace.think_time), pace.bursts.map(|bursts| bursts.on), pace.bursts.map(|bursts| bursts.off)];
    if pauses.into_iter().flatten().any(|time| !time.get().is_multiple_of(1000)) {
        job.comment("fio pauses for whole microseconds; this pause is rounded up");
    }
    if let Some(bursts) = pace.bursts {
        job.say(format!("thinktime={}us\nthinktime_iotime={}us", micros(bursts.off), micros(bursts.on)));
    } else if !pace.think_time.is_zero() {
        job.say(format!("thinktime={}us", micros(pace.think_time)));
        if load.queue_depth.get() > 1 {
            job.comment("each slot of the queue pauses by itself; in fio the whole job pauses");
        }
    }
    if let Some(bursts) = pace.volume_bursts {
        job.comment(format!("drivelab pauses after each {}; fio continues without a pause", bursts.volume));
    }
    if pace.weight > 0 {
        job.say(format!("flow={}", pace.weight));
    }
}

fn data(load: &Workload, job: &mut Job) {
    let content = &load.content;
    match load.data {
        DataPattern::Incompressible if content.compress_percent.is_zero() && content.dedup_percent.is_zero() => {
            job.say("refill_buffers=1");
        }
        DataPattern::Incompressible => {
            if !content.compress_percent.is_zero() {
                job.say(format!("refill_buffers=1\nbuffer_compress_percentage={}", content.compress_percent));
            }
            if !content.dedup_percent.is_zero() {
                job.say(format!("dedupe_percentage={}", content.dedup_percent));
            }
        }
        DataPattern::Zero => job.say("zero_buffers=1"),
        DataPattern::OneBlock => job.say("scramble_buffers=0"),
        DataPattern::Pattern => {
            let digits: String = content.pattern.iter().map(|byte| format!("{byte:02x}")).collect();
            job.say(format!("buffer_pattern=0x{digits}"));
        }
        DataPattern::File => job.comment("the data come from a file; fio's buffers are random"),
    }
}

/// Bytes that all threads together move in one pass over their span.
fn once(load: &Workload) -> u64 {
    let (length, block) = (load.span.length.get(), load.block_size.get().max(1));
    let blocks = load.stride.map_or(length / block, |stride| length.div_ceil(stride.get().max(1)));
    let each = if load.streams == Streams::Overlapping { u64::from(load.threads.get()) } else { 1 };
    blocks.saturating_mul(block).saturating_mul(each)
}

fn ending((load, kinds): (&Workload, Kinds), stop: &StopRule, ramp: Nanos, main: bool, job: &mut Job) {
    let StopRule { time, volume, passes, at_least, operations, coverage, errors, cap } = stop;
    let threads = jobs_for(load);
    let by_work = volume.is_some() || passes.is_some() || operations.is_some() || coverage.is_some();
    let limit = time.unwrap_or(*cap);
    let seconds = limit.get().div_ceil(1_000_000_000);
    if limit.get().is_multiple_of(1_000_000_000) {
        job.say(format!("runtime={seconds}"));
    } else {
        job.say(format!("runtime={}ms", limit.get().div_ceil(1_000_000)));
    }
    if !main && by_work {
        job.comment("drivelab ends this load when the first of its test has done its work");
        job.say("time_based");
        return ramp_of(ramp, job);
    }
    // The first of both ends the step; fio multiplies io_size by loops.
    let by_passes = passes.map(|passes| u64::from(passes).saturating_mul(once(load)));
    let moved = |bytes: u64| format!("io_size={}", (kinds.bytes(load, bytes) / threads).max(1));
    match (volume, by_passes) {
        (Some(volume), _) if by_passes.is_none_or(|bytes| volume.get() < bytes) => job.say(moved(volume.get())),
        (_, Some(bytes)) => match (kinds, passes.unwrap_or(1)) {
            // A loop of fio trims and writes each block, which is two passes.
            (Kinds::TrimsAndWrites, passes) if passes % 2 == 1 => job.say(moved(bytes)),
            (Kinds::TrimsAndWrites, passes) => loops(passes / 2, job),
            (_, passes) => loops(passes, job),
        },
        _ => {}
    }
    if let Some(operations) = operations {
        count(kinds.operations(load, *operations), threads, job);
    }
    if let Some(coverage) = coverage {
        job.comment(format!("ends when {coverage} % of the blocks were touched; fio goes over all of them"));
    }
    if let Some(least) = at_least {
        job.comment(format!("continues for at least {least}; fio ends when the work is done"));
    }
    if !by_work {
        job.say("time_based");
    }
    match errors {
        drivelab_core::plan::OnError::Keep => job.say("continue_on_error=all"),
        drivelab_core::plan::OnError::Stop | drivelab_core::plan::OnError::Tolerate => {}
    }
    ramp_of(ramp, job);
}

fn loops(number: u32, job: &mut Job) {
    if number > 1 {
        job.say(format!("loops={number}"));
    }
}

/// `number_ios=`; fio takes 0 as no limit.
fn count(operations: u64, jobs: u64, job: &mut Job) {
    let each = (operations / jobs).max(1);
    job.say(format!("number_ios={each}"));
    if each * jobs != operations {
        let how = if operations < jobs { "at least one" } else { "rounded down" };
        job.comment(format!("the number of operations is {operations}, {how} per job"));
    }
}

fn ramp_of(ramp: Nanos, job: &mut Job) {
    if !ramp.is_zero() {
        job.say(format!("ramp_time={}ms", ramp.get().div_ceil(1_000_000)));
    }
}
