//! Going back through a stream must give what going forward gave.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::generate::testing::{loads, the_one};
use crate::generate::{mix, unmix};

proptest! {
    #[test]
    fn unmixing_undoes_mixing(value in any::<u64>()) {
        prop_assert_eq!(unmix(mix(value)), value);
    }

    #[test]
    fn operations_come_in_the_order_of_their_progress(workload in loads(200)) {
        let (stream, mut cursor) = (the_one(&workload), 0);
        for _ in 0..2000 {
            let (_, next) = stream.op(cursor);
            prop_assert!(stream.is_cursor(next));
            prop_assert!(stream.progress(cursor) < stream.progress(next), "{cursor:#x} before {next:#x}");
            cursor = next;
        }
    }

    /// Two visits of one block never have the same turn, and the later one has the larger.
    #[test]
    fn turns_of_one_block_increase(workload in loads(200)) {
        let (stream, mut cursor) = (the_one(&workload), 0);
        let mut turns: HashMap<u64, u64> = HashMap::new();
        for _ in 0..2000 {
            let (op, next) = stream.op(cursor);
            for unit in 0..u64::from(op.length) / stream.unit() {
                let turn = cursor >> stream.turn_shift();
                let earlier = turns.insert(op.offset / stream.unit() + unit, turn);
                prop_assert!(earlier.is_none_or(|earlier| earlier < turn));
            }
            cursor = next;
        }
    }

    #[test]
    fn an_orderly_stream_finds_each_visit_again(workload in loads(200)) {
        let (stream, mut cursor) = (the_one(&workload), 0);
        if !stream.is_orderly() {
            return Ok(());
        }
        let mut operations = 0;
        for _ in 0..1000 {
            let (op, next) = stream.op(cursor);
            if op.kind != OpKind::Flush {
                let found = stream.visit(op.offset / stream.unit(), cursor >> stream.turn_shift());
                prop_assert_eq!(found, (cursor, op.kind));
                prop_assert_eq!(stream.places_between(stream.progress(0), stream.progress(cursor)), operations);
                operations += 1;
            }
            cursor = next;
        }
    }
}
