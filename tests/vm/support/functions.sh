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
