//! Definitions that differ in one word between rows of the table: rates, latencies and response times of each kind.

macro_rules! throughput_text {
    ($what:literal) => {
        concat!(
            "Bytes moved by completed ",
            $what,
            " in the measured part of the step, divided by the time from the \
             first submission to the last counted completion or, if bursts end by volume, by the active time of \
             the bursts; 1 MB is 10^6 bytes. The ramp and operations that ended in an error are left out. Source: \
             `bytes`, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! iops_text {
    ($what:literal) => {
        concat!(
            "Completed ",
            $what,
            " in the measured part of the step, divided by the time from the first submission \
             to the last counted completion or, if bursts end by volume, by the active time of the bursts. The \
             ramp and operations that ended in an error are left out. Source: `count`, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! latency_mean_text {
    ($what:literal) => {
        concat!(
            "Exact arithmetic mean of the time from submission to completion of all completed ", $what, " in the \
             measured part of the step. It does not include waiting before the submission: this is latency, not \
             response time. The ramp and operations that ended in an error are left out. Source: sum and count of the \
             step's histogram."
        )
    };
}

macro_rules! latency_share_text {
    ($what:literal, $share:literal) => {
        concat!(
            "The latency (submission to completion) that ", $share, " of all completed ", $what, " in the measured \
             part of the step do not exceed (nearest rank), from the merged histogram of all threads and intervals. \
             Buckets are at most 0.78 % wide and count as their middle, so the figure is off by at most 0.39 %. \
             If the test takes the mean of rounds, the figure comes from the merged histogram of the rounds, \
             never from averaged percentiles; with best or median it is the best or median of the rounds' own \
             percentiles. Absent if fewer than 5 operations are beyond it. The ramp and failed operations are left \
             out. Source: the step's histogram."
        )
    };
}

macro_rules! latency_max_text {
    ($what:literal) => {
        concat!(
            "Exact longest latency (submission to completion) of all completed ",
            $what,
            " in the measured part of \
             the step. If the test takes the mean of rounds, it is the longest of all rounds; with best or median \
             it is the best or median of the rounds' own maxima. A maximum grows with the number of operations: \
             compare only equal durations. The ramp and failed operations are left out. Source: the exact maximum \
             stored with the step's histogram."
        )
    };
}

macro_rules! other_iops_text {
    ($what:literal) => {
        concat!(
            "Completed ", $what, " in the measured part of the step, divided by the time from the first submission to \
             the last counted completion. They move no data and are in no total. The ramp and operations that ended \
             in an error are left out. Source: `count` of their kind, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! covered_text {
    ($what:literal) => {
        concat!(
            "Bytes covered by completed ", $what, " in the measured part of the step, divided by the time from the \
             first submission to the last counted completion; 1 MB is 10^6 bytes. No data was sent, so this is not a \
             transfer rate, and it is in no total. The ramp and operations that ended in an error are left out. \
             Source: `bytes` of their kind, `start_ns` and `end_ns` of the step record."
        )
    };
}

macro_rules! response_mean_text {
    ($what:literal) => {
        concat!(
            "Exact arithmetic mean of the time from intended start to completion of all completed ", $what, " in the \
             measured part of an open loop. It is the time that a user waits whose requests come at their own times, \
             including queueing in front of the target. Void if the backlog grew, because it then grows with the \
             length of the step. The ramp, failed operations and arrivals that were still waiting at the end are left \
             out. Source: sum and count of the response histogram."
        )
    };
}

macro_rules! response_share_text {
    ($what:literal, $share:literal) => {
        concat!(
            "The response time (intended start to completion) that ",
            $share,
            " of all completed ",
            $what,
            " in the \
             measured part of an open loop do not exceed (nearest rank), with buckets and rounds treated as for \
             latency. Void if the backlog grew, because it then grows with the length of the step. The ramp, \
             failed operations and arrivals that were still waiting at the end are left out. Source: the response \
             histogram."
        )
    };
}

macro_rules! response_max_text {
    ($what:literal) => {
        concat!(
            "Exact longest response time (intended start to completion) of all completed ", $what, " in the measured \
             part of an open loop; rounds are treated as for latency. A maximum grows with the number of operations: \
             compare only equal durations. Void if the backlog grew. The ramp, failed operations and arrivals that \
             were still waiting at the end are left out. Source: the exact maximum stored with the response histogram."
        )
    };
}
