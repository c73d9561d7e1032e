#: about: latency and rate against null_blk with a set completion time, and against fio in the same machine
#: modules: null_blk
#: programs: fio
#: memory_mib: 768
#: takes_s: 75
# Reads of 4 KiB at random places. null_blk ends each after the set time by a timer (irqmode 2) and holds no data, so
# what is above the set time is the cost of the kernel and of the program in this emulated machine.
modprobe null_blk nr_devices=0
mount -t configfs configfs /sys/kernel/config

for set_ms in 10 20 50; do
    null_blk nullb0 completion_nsec=${set_ms}000000 irqmode=2 queue_mode=2 submit_queues=1 size=64
    for depth in 1 2 4 8; do
        # Medians of five where the two are held against each other, once where the law alone is tested.
        case $depth in 1 | 8) rounds="1 2 3 4 5" ;; *) rounds="1" ;; esac
        for round in $rounds; do
            name=$set_ms.$depth.$round
            fio --name=a --filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --size=64m --ioengine=io_uring \
                --iodepth=$depth --time_based --runtime=2 --eta=never --output-format=json > "$RESULTS/fio.$name"
            drivelab io /dev/nullb0 --op read --pattern random --block 4k --qd $depth --time 2s --ramp 0s \
                --no-save --json > "$RESULTS/drivelab.$name"
        done
    done
    null_blk_remove nullb0
done
