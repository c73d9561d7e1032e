#: about: bad blocks and devices that vanish end in counted errors and exit code 8, never in a hang or a wrong number
#: modules: null_blk dm-mod
#: programs: dmsetup
modprobe null_blk nr_devices=0
modprobe dm-mod
mount -t configfs configfs /sys/kernel/config

# 64 MiB, of which 1 MiB in the middle cannot be read. A pass over the whole meets it with 16 of 1,024 operations.
null_blk nullb0 irqmode=2 completion_nsec=1000000 queue_mode=2 submit_queues=1 size=64
printf '0 65536 linear /dev/nullb0 0\n65536 2048 error\n67584 63488 linear /dev/nullb0 67584\n' \
    | dmsetup create bad --noudevsync
for backend in uring sync; do
    for errors in stop keep; do
        read_from "bad.$backend.$errors" /dev/dm-0 --pattern sequential --block 64k --qd 4 --passes 3 \
            --backend $backend --errors $errors
    done
done
dmsetup remove --noudevsync bad
null_blk_remove nullb0

# Devices that go away two seconds into a run.
for backend in uring sync; do
    for errors in stop keep; do
        null_blk nullb0 irqmode=2 completion_nsec=1000000 queue_mode=2 submit_queues=1 size=64
        read_from "gone.$backend.$errors" /dev/nullb0 --pattern random --block 4k --qd 4 --time 4s \
            --backend $backend --errors $errors &
        sleep 2
        null_blk_remove nullb0
        wait $!
    done
done
