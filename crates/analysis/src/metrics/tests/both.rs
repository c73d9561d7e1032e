//! Percentiles of reads and writes together: what becomes of several rounds.

use super::*;

#[test]
fn percentiles_of_reads_and_writes_come_from_the_merged_histogram_of_the_rounds() {
    let replayed = |combine| {
        let mut run = three_rounds(combine);
        for (record, interval) in run.steps.iter_mut().zip(&mut run.intervals) {
            record.replay = hand_made().steps[0].replay.clone();
            // One write of each round takes the longest: its percentile alone would be 60.
            record.write = OpRecord::new(1, Bytes::new(4096), 0, flat(1, 60), record.elapsed());
            interval.write = record.write.clone();
        }
        run
    };
    let p99 = |combine| {
        let figure = metric(&analyse(&replayed(combine)), "corners/rnd-4k-q1t1-read", "total.latency_p99").clone();
        (figure.value.expect("a value"), figure.spread.expect("rounds").confidence)
    };
    // Rank 895 of 903 lies among the 600 reads of 40; the mean of the rounds' own percentiles would be 0.030.
    assert_eq!(p99(Combine::Mean), (0.040, None), "no mean of percentiles, and so no interval of one");
    assert_eq!(p99(Combine::Best).0, 0.020);
    assert_eq!(p99(Combine::Median).0, 0.030);
}
