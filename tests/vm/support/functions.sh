# What scenarios share. Runs inside the VM, under busybox's sh -eu.

# Says why and ends the scenario as failed.
fail() {
    echo "FAILED: $*"
    exit 1
}

# The time in nanoseconds. With its path, since busybox's shell prefers its own date, which does not know them.
now_ns() {
    /programs/date +%s%N
}

# null_blk NAME KEY=VALUE …: a null_blk device /dev/NAME with these settings of configfs (size in MiB).
null_blk() {
    null_blk_folder=/sys/kernel/config/nullb/$1
    shift
    mkdir "$null_blk_folder"
    for null_blk_setting in "$@"; do
        echo "${null_blk_setting#*=}" > "$null_blk_folder/${null_blk_setting%%=*}"
    done
    echo 1 > "$null_blk_folder/power"
}

# null_blk_remove NAME: takes the device away, whoever uses it.
null_blk_remove() {
    echo 0 > "/sys/kernel/config/nullb/$1/power"
    rmdir "/sys/kernel/config/nullb/$1"
}

# read_from NAME TARGET ARGUMENT …: drivelab reads from a target; keeps what it says, its exit code and the time it
# took. One that does not end by itself within a minute (of the machine's time) is killed: its code is then above 128.
read_from() {
    read_name=$1
    shift
    read_code=0
    read_begun=$(now_ns)
    timeout -s KILL 60 drivelab io "$@" --op read --ramp 0s --no-save --json \
        > "$RESULTS/$read_name" 2> "$RESULTS/$read_name.said" || read_code=$?
    echo $(($(now_ns) - read_begun)) > "$RESULTS/$read_name.took_ns"
    echo $read_code > "$RESULTS/$read_name.code"
}

# host COMMAND [ARGUMENTS]: has QEMU do something, by a command of its machine protocol; arguments are a JSON object.
# It is done within moments, beside the script. Only where waiting is real, since the host acts in its own time.
host() {
    [ $# -gt 1 ] || set -- "$1" '{}'
    echo "vm-host: {\"execute\": \"$1\", \"arguments\": $2}"
}

# set_property ID NAME VALUE: sets a property of one of QEMU's devices.
set_property() {
    host qom-set "{\"path\": \"/machine/peripheral/$1\", \"property\": \"$2\", \"value\": $3}"
}

# wait_for TEST ARGUMENT …: waits until `[ TEST … ]` is true, at most two minutes: devices answer when the host has time.
wait_for() {
    wait_left=12000
    until [ "$@" ]; do
        wait_left=$((wait_left - 1))
        [ $wait_left -gt 0 ] || fail "never came true: $*"
        usleep 10000
    done
}

# reading DISK: waits until somebody is at reading it in earnest (200 reads from now on), at most two minutes.
reading() {
    reading_left=12000
    read -r reading_was _ < "/sys/block/$1/stat"
    until read -r reading_now _ < "/sys/block/$1/stat" && [ $((reading_now - reading_was)) -ge 200 ]; do
        reading_left=$((reading_left - 1))
        [ $reading_left -gt 0 ] || fail "nobody reads $1"
        usleep 10000
    done
}

# by_id NAME DEVICE: the link that udev would make.
by_id() {
    mkdir -p /dev/disk/by-id
    ln -s "../../${2#/dev/}" "/dev/disk/by-id/$1"
}

# disk_with_serial SERIAL: the node of the SCSI or SATA disk with this serial number (its page 80h).
disk_with_serial() {
    for disk_page in /sys/block/sd*/device/vpd_pg80; do
        if grep -q "$1" "$disk_page"; then
            disk_name=${disk_page#/sys/block/}
            echo "/dev/${disk_name%%/*}"
            return
        fi
    done
    fail "no disk has the serial number $1"
}

# lvm_ COMMAND ARGUMENT …: LVM without udev, which is not here.
lvm_() {
    lvm "$@" --config 'activation { udev_sync=0 udev_rules=0 verify_udev_operations=0 } devices { use_devicesfile=0 types=["nullb", 16] }'
}

# said NAME COMMAND …: runs it; keeps what it prints (NAME.out), what it says (NAME.said) and its exit code (NAME.code).
said() {
    said_name=$1
    shift
    said_code=0
    "$@" > "$RESULTS/$said_name.out" 2> "$RESULTS/$said_name.said" < /dev/null || said_code=$?
    echo $said_code > "$RESULTS/$said_name.code"
}

# written: the kernel's count of sectors written to each disk.
written() {
    for written_disk in /sys/block/*; do
        read -r _ _ _ _ _ _ written_sectors _ < "$written_disk/stat"
        echo "${written_disk##*/} $written_sectors"
    done
}

# settled: waits until nobody writes any more (journals and arrays write once more after a while).
settled() {
    sync
    settled_was=none
    until [ "$settled_was" = "$(written)" ]; do
        settled_was=$(written)
        usleep 400000
    done
}

# content PLACE: a checksum of a disk, or of some of its sectors (DISK:FIRST:COUNT), read past the page cache.
content() {
    content_disk=${1%%:*}
    case $1 in
        *:*)
            content_rest=${1#*:}
            dd if="$content_disk" bs=512 skip="${content_rest%:*}" count="${content_rest#*:}" iflag=direct 2> /dev/null | md5sum
            ;;
        *) dd if="$content_disk" bs=1M iflag=direct 2> /dev/null | md5sum ;;
    esac
}

# noted PLACE …: takes the checksum of each, once nobody writes any more. `unchanged` ends what this began.
noted() {
    settled
    noted_places=$*
    noted_was=$(for noted_place in "$@"; do content "$noted_place"; done)
    # A disk that cannot be read would be the same for ever: that is the checksum of nothing.
    case $noted_was in *d41d8cd98f00b204e9800998ecf8427e*) complain "$*: nothing could be read" ;; esac
}

# unchanged: what was noted holds what it held, whatever was refused meanwhile.
unchanged() {
    unchanged_now=$(for noted_place in $noted_places; do content "$noted_place"; done)
    if [ "$noted_was" = "$unchanged_now" ]; then
        echo "$noted_places: the same content" | tee -a "$RESULTS/refusals"
    else
        complain "$noted_places: other content, checksums before and after:" $noted_was / $unchanged_now
    fi
}

# complain TEXT: something is not as promised. The script goes on, so that one run tells all of it.
complain() {
    echo "NOT AS PROMISED: $*"
    echo "$*" >> "$RESULTS/complaints"
}

# no_complaints: fails where there was one.
no_complaints() {
    [ ! -e "$RESULTS/complaints" ] || fail "not as promised, $(grep -c "" "$RESULTS/complaints") times: see above"
}

# refuses CODES WORDS TARGET [ARGUMENT …]: drivelab must not write to TARGET, whatever the arguments (--destroy ID): it
# must end with this exit code (or one of several), say these words, and no disk of the machine must have been written to.
refuses() {
    refuses_codes=$1
    refuses_words=$2
    shift 2
    refuses_before=$(written)
    refuses_got=0
    drivelab io "$@" --op write --qd 1 --block 4k --operations 16 --ramp 0s --no-save --json \
        > /tmp/refuses.out 2> /tmp/refuses.said < /dev/null || refuses_got=$?
    refuses_after=$(written)
    [ "$refuses_before" = "$refuses_after" ] || complain "$*: written, sectors before and after:" \
        $refuses_before / $refuses_after
    case " $refuses_codes " in
        *" $refuses_got "*) ;;
        *) complain "$*: exit code $refuses_got, not $refuses_codes" ;;
    esac
    grep -q -e "$refuses_words" /tmp/refuses.said || complain "$*: it does not say '$refuses_words'"
    echo "$*: $(cat /tmp/refuses.said)" | tee -a "$RESULTS/refusals"
}

# writes TARGET ID: drivelab must write to TARGET, since it is named and nothing stands against it.
writes() {
    writes_code=0
    drivelab io "$1" --op write --qd 1 --block 4k --operations 16 --ramp 0s --no-save --json --destroy "$2" \
        > /tmp/writes.out 2> /tmp/writes.said < /dev/null || writes_code=$?
    [ $writes_code -eq 0 ] || complain "$1 --destroy $2: exit code $writes_code: $(cat /tmp/writes.said)"
    echo "$1 --destroy $2: written" >> "$RESULTS/refusals"
}

# empty DISK MIB: whether its first MIB hold zero bytes and nothing else, read past the page cache.
empty() {
    empty_length=$(($2 * 1048576))
    empty_disk=$(dd if="$1" bs=1M count="$2" iflag=direct 2> /dev/null | md5sum)
    [ "$empty_disk" = "$(head -c $empty_length /dev/zero | md5sum)" ]
}

# meter FILE WATTS: a meter in the protocol of docs/telemetry.md that always reads the same, ten times a second, until it is
# killed by its number in $meter.
meter() {
    : > "$1"
    while :; do
        echo "$(/programs/date +%s.%N) $2"
        usleep 100000
    done >> "$1" &
    meter=$!
}

# smoke_until ACCEPTS NAME METHOD TARGET …: the same, three times at most, until the function ACCEPTS takes its document.
# For figures of steps so short that a busy host can hold one up; the check outside has the same bounds.
smoke_until() {
    accepts=$1
    shift
    for attempt in 1 2 3; do
        smoke "$@"
        "$accepts" "$RESULTS/$1.out" && return
        echo "$1: attempt $attempt is not accepted"
    done
}

# nvme_drives COUNT: so many NVMe drives (/dev/nvme0n1, …) and a folder for results.
nvme_drives() {
    modprobe nvme_core io_timeout=5
    modprobe nvme
    drive_at=0
    while [ "$drive_at" -lt "$1" ]; do
        wait_for -b "/dev/nvme${drive_at}n1"
        drive_at=$((drive_at + 1))
    done
    export DRIVELAB_DATA=/tmp/data
}

# small_and_large SECTORS: of two NVMe drives, $small is the one with so many sectors of 512 bytes. Which of the two is
# nvme0n1 depends on who came first.
small_and_large() {
    small=/dev/nvme0n1
    large=/dev/nvme1n1
    [ "$(cat /sys/block/nvme0n1/size)" -eq "$1" ] || { small=/dev/nvme1n1; large=/dev/nvme0n1; }
}

# drive_facts FIGURE=VALUE …: what is said to be printed of QEMU's NVMe drives.
drive_facts() {
    mkdir -p "$HOME/.config/drivelab/drives"
    {
        cat << 'END'
format = 1
name = "emulated"
title = "QEMU's NVMe drive"
maker = "QEMU"
models = [{ pattern = "QEMU NVMe Ctrl", source = "own", certainty = "stated" }]
[[sources]]
id = "own"
citation = "tests/vm"
[figures]
END
        for figure; do
            echo "${figure%%=*} = { value = \"${figure#*=}\", source = \"own\", certainty = \"stated\" }"
        done
    } > "$HOME/.config/drivelab/drives/emulated.toml"
}

# smoke NAME METHOD ARGUMENT …: a methodology, whole, in its smoke form; its document is NAME.out.
smoke() {
    smoke_name=$1
    shift
    echo "--- $smoke_name"
    said "$smoke_name" drivelab run "$@" --form smoke --json
    [ "$(cat "$RESULTS/$smoke_name.code")" -eq 0 ] ||
        complain "$smoke_name: exit code $(cat "$RESULTS/$smoke_name.code"): $(tail -n 3 "$RESULTS/$smoke_name.said")"
}
