#: about: a drive that is swapped for another between plan and write is not written to: while a person types, before a resume
#: modules: nvme
#: programs: script
#: disks: d0=16 d1=16 d2=16
#: qemu: -device nvme,id=n0,drive=d0,serial=PLANNED-0
#: waiting: real
modprobe nvme
drive=/dev/nvme0n1
wait_for -b $drive
export DRIVELAB_DATA=/tmp/data

# swap OUT IN DISK SERIAL: another drive which gets the same name.
swap() {
    host device_del "{\"id\": \"$1\"}"
    wait_for ! -e $drive
    # The guest lets go of the slot a moment after the drive is gone.
    sleep 2
    host device_add "{\"driver\": \"nvme\", \"id\": \"$2\", \"drive\": \"$3\", \"serial\": \"$4\"}"
    # Asked for, since the guest does not look by itself where the slot was emptied just before.
    swap_left=600
    until [ -b $drive ]; do
        echo 1 > /sys/bus/pci/rescan
        swap_left=$((swap_left - 1))
        [ $swap_left -gt 0 ] || fail "the new drive never came: $(ls /dev)"
        usleep 200000
    done
    [ "$(tr -d ' ' < /sys/class/nvme/nvme0/serial)" = "$4" ] || fail "the slot holds $(cat /sys/class/nvme/nvme0/serial)"
}

# untouched NAME: nothing was ever written to the drive that is there now: by the kernel's count, and it is as empty as it came.
untouched() {
    read -r _ _ _ _ _ _ untouched_sectors _ < /sys/block/nvme0n1/stat
    [ "$untouched_sectors" -eq 0 ] || complain "$1: $untouched_sectors sectors were written"
    empty $drive 16 || complain "$1: it is not as empty as it came"
}

echo "--- while a person types model and serial number"
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mkfifo /tmp/keys
drivelab=$(which drivelab)
cat > /tmp/ask << END
#!/bin/sh
$drivelab io $drive --op write --qd 1 --block 4k --operations 16 --ramp 0s --no-save
END
chmod 755 /tmp/ask
/programs/script -q -e -f -c /tmp/ask /tmp/asked < /tmp/keys > "$RESULTS/script" 2>&1 &
asking=$!
exec 3> /tmp/keys
wait_for -s /tmp/asked
left=2400
until grep -q 'Type its model' /tmp/asked; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "nobody was asked: $(cat /tmp/asked)"
    usleep 50000
done
swap n0 n1 d1 SWAPPED-1
echo 'QEMU NVMe Ctrl PLANNED-0' >&3
exec 3>&-
code=0
wait $asking || code=$?
cp /tmp/asked "$RESULTS/asked"
cat /tmp/asked
[ $code -eq 5 ] || complain "the swap while typing: exit code $code, not 5"
grep -q SWAPPED-1 /tmp/asked || complain "the swap while typing: the drive that is there now is not named"
untouched "the swap while typing"

echo "--- between a run and its resume"
cat > m.toml << 'END'
format = 1
name = "swap"
title = "Swap"
version = "1.0.0"
summary = "Random writes."
good_for = "This scenario."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "tests/vm/swapped.sh"
[target]
kind = "file_or_block"
size = "16 MiB"
minimum_size = "8 MiB"
[defaults]
threads = 1
data = "incompressible"
direct = true
span = "100 %"
streams = "disjoint"
seed = 1
time = "20 s"
ramp = "0 s"
rest = "0 s"
rounds = 1
combine = "mean"
order = "round_by_round"
[forms.quick]
[[tests]]
name = "random"
title = "Random"
purpose = "What is written?"
sources = ["own"]
op = "write"
pattern = "random"
block_size = "4 KiB"
queue_depth = 1
END
drivelab run m.toml $drive --destroy SWAPPED-1 --events json > "$RESULTS/run.out" 2> "$RESULTS/run.said" &
run=$!
left=2400
until grep -q '"interval"' "$RESULTS/run.out"; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "the run never began: $(tail -n 3 "$RESULTS/run.said")"
    usleep 50000
done
kill -INT $run
code=0
wait $run || code=$?
[ $code -eq 7 ] || complain "the run that was stopped: exit code $code, not 7: $(tail -n 3 "$RESULTS/run.said")"
swap n1 n2 d2 SWAPPED-2
for id in SWAPPED-1 SWAPPED-2; do
    said resume drivelab resume --last --destroy $id
    cat "$RESULTS/resume.said"
    case $(cat "$RESULTS/resume.code") in
        5 | 6) ;;
        *) complain "resume on another drive: exit code $(cat "$RESULTS/resume.code")" ;;
    esac
done
untouched "the resume"
no_complaints
