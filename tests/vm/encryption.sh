#: about: encryption arms on an NVMe drive: set up, proven to encrypt, compared with none, undone after runs, Ctrl-C and kills
#: modules: nvme dm-mod dm-crypt aesni_intel xts ecb crc32c_generic ext4
#: programs: cryptsetup addpart delpart mkfs.ext4 dmsetup
#: disks: d0=256
#: qemu: -device nvme,drive=d0,serial=ARMS-1
#: waiting: real
#: memory_mib: 768
#: takes_s: 200
# drivelab checks by itself that a known text written through a mapping is not found below; here it is looked at from
# outside too, by the kernel's own table of the mapping and by a text that the script writes.
# QEMU's drive loses a command now and then (see nvme_gone.sh): the kernel is not to wait half a minute for it.
modprobe nvme_core io_timeout=2
for module in nvme dm-mod dm-crypt aesni_intel xts ecb crc32c_generic ext4; do
    modprobe $module
done
wait_for -b /dev/nvme0n1
mkdir -p /run
export DRIVELAB_DATA=/tmp/data
drive=/dev/nvme0n1

cat > m.toml << 'END'
format = 1
name = "arms"
title = "Arms"
version = "1.0.0"
summary = "Random reads, then random writes."
good_for = "This scenario."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "tests/vm/encryption.sh"
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
time = "500 ms"
ramp = "0 s"
rest = "0 s"
rounds = 1
combine = "mean"
order = "round_by_round"
[forms.quick]
[[prepare]]
action = "fill"
[[tests]]
name = "random"
title = "Random"
purpose = "What does encryption cost?"
sources = ["own"]
axes = ["op"]
op = ["read", "write"]
pattern = "random"
block_size = "4 KiB"
queue_depth = 4
END

# run NAME CODE ARGUMENT …: drivelab runs the methodology on the released drive and must end with this code.
run() {
    run_name=$1
    echo "--- $run_name"
    run_code=$2
    shift 2
    said "$run_name" drivelab run m.toml $drive --destroy ARMS-1 "$@"
    run_got=$(cat "$RESULTS/$run_name.code")
    [ "$run_got" -eq "$run_code" ] || {
        cat "$RESULTS/$run_name.said"
        complain "$run_name: exit code $run_got, not $run_code"
    }
}

# says NAME WORDS: what a command printed or said holds these words.
says() {
    cat "$RESULTS/$1.out" "$RESULTS/$1.said" | grep -q -e "$2" || {
        tail -n 3 "$RESULTS/$1.said"
        complain "$1 does not say '$2'"
    }
}

# bare AFTER: no mapping, no partition, no mount and no signature is left on the drive.
bare() {
    [ "$(dmsetup ls)" = "No devices found" ] || complain "$1: a mapping is left: $(dmsetup ls)"
    [ ! -e ${drive}p1 ] || complain "$1: the partition is left"
    if grep -q /tmp/data/conditions /proc/mounts; then complain "$1: something is mounted"; fi
    [ -z "$(ls /tmp/data/conditions)" ] || complain "$1: the ledger is not empty"
    # Where tables, headers and superblocks lie: the first and the last MiB.
    for at in 0 255; do
        dd if=$drive bs=1M skip=$at count=1 2> /dev/null | cmp -s -n 1048576 - /dev/zero || complain "$1: MiB $at is not empty"
    done
}

# holds FILE-PATTERN WORDS COUNT: so many of the recorded environments hold these words.
holds() {
    holds_count=$(cat /tmp/data/runs/*/environment.toml | grep -c -e "$1" || true)
    [ "$holds_count" -eq "$2" ] || complain "$1 is recorded $holds_count times, not $2"
}

# Three arms, in the order that shows drift, each with its partition. While they run, the kernel's own tables are noted.
run arms 0 --partition 90% --arm none --arm luks2:sector=4096,inline --arm none --json &
while kill -0 $! 2> /dev/null; do
    dmsetup table >> "$RESULTS/tables" 2> /dev/null || true
    usleep 300000
done
wait $! || true
bare arms
says arms '"schema": "drivelab.arms"'
grep -q 'crypt aes-xts-plain64' "$RESULTS/tables" || complain "no mapping of aes-xts-plain64 was seen"
grep -q 'no_read_workqueue no_write_workqueue' "$RESULTS/tables" || complain "the inline arm was not seen"
grep -q 'sector_size:4096' "$RESULTS/tables" || complain "the arm with sectors of 4096 bytes was not seen"
holds 'cipher = "aes-xts-plain64"' 1
holds 'key_bits = 512' 1
holds 'plain_pieces = 0' 1
holds 'read_back = true' 1
holds 'Cipher key: 512 bits' 1
holds 'perf-no_read_workqueue' 1

# A file system inside the encryption.
run fs 0 --partition 50% --file-system ext4 --arm luks2
bare fs

# begun NAME ARGUMENT …: starts a run and waits until its writes are measured; its process is in $begun.
begun() {
    begun_name=$1
    echo "--- $begun_name"
    shift
    : > "$RESULTS/$begun_name.out"
    drivelab run m.toml $drive --destroy ARMS-1 "$@" --events json > "$RESULTS/$begun_name.out" \
        2> "$RESULTS/$begun_name.said" &
    begun=$!
    begun_left=2400
    until grep -q '"step_started".*write' "$RESULTS/$begun_name.out"; do
        begun_left=$((begun_left - 1))
        [ $begun_left -gt 0 ] || fail "$begun_name: the writes are never begun: $(tail -n 2 "$RESULTS/$begun_name.said")"
        usleep 50000
    done
}

begun ctrl_c --partition 50% --file-system ext4 --arm luks2
kill -INT $begun
ended=0
wait $begun || ended=$?
[ $ended -eq 7 ] || complain "Ctrl-C: exit code $ended"
bare "Ctrl-C"

begun killed --partition 50% --arm luks2
kill -KILL $begun
wait $begun || true
[ "$(dmsetup ls)" != "No devices found" ] || complain "the kill left no mapping, so it shows nothing"
# From outside: a text through the mapping is not found below, and is found through it.
mapping=/dev/$(basename "$(ls -d /sys/block/dm-*)")
yes 'a secret of sixteen and more bytes' | dd of="$mapping" bs=4k count=256 conv=fsync 2> /dev/null
echo 3 > /proc/sys/vm/drop_caches
dd if="$mapping" bs=4k count=256 2> /dev/null | grep -q 'a secret of sixteen' || complain "the text does not come back"
if dd if=${drive}p1 bs=1M count=24 2> /dev/null | grep -q 'a secret of sixteen'; then complain "the text is in plain below"; fi
said resume drivelab resume --last
says resume 'closed the mapping'
says resume 'destroyed the keys'
bare resume

# An encryption that does not encrypt: a program called cryptsetup, first on the path, that opens a header as a plain mapping of
# what lies behind it. Nothing may be measured under it, and the drive is given back.
mkdir /tmp/first
cat > /tmp/first/cryptsetup << END
#!/bin/sh
# The node and the name are the last two words.
if [ "\$1" = open ]; then
    while [ \$# -gt 2 ]; do shift; done
    echo "0 \$((\$(blockdev --getsz "\$1") - 32768)) linear \$1 32768" | dmsetup create "\$2" --noudevsync || exit 1
    : > /tmp/opened
else
    exec $(which cryptsetup) "\$@"
fi
END
chmod 755 /tmp/first/cryptsetup
real_path=$PATH
PATH=/tmp/first:$PATH
run plain 6 --partition 50% --arm luks2 --events json
PATH=$real_path
[ -e /tmp/opened ] || complain "the plain mapping was never made, so it shows nothing"
says plain 'does not encrypt as it should'
says plain 'pieces were found in plain text below'
says plain 'nothing was measured'
if grep -q '"step_started"' "$RESULTS/plain.out"; then complain "something was measured under it"; fi
if grep -q 'not undone' "$RESULTS/plain.said"; then complain "the drive was not given back: $(cat "$RESULTS/plain.said")"; fi
bare plain

# QEMU's controller has one power state, and no Opal.
run power 6 --power-state all
says power 'only one power state'
run opal 6 --arm opal
says opal 'the drive ('
bare refusals
no_complaints
