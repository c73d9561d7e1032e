#: about: wipe on NVMe: format, discard and write-zeroes empty what was released and nothing beside it; sanitize is refused
#: modules: nvme
#: disks: d0=8 d1=8
#: qemu: -device nvme-subsys,id=s0,nqn=wiped -device nvme,id=c0,serial=WIPE-0,subsys=s0
#: qemu: -device nvme-ns,bus=c0,drive=d0,nsid=1,shared=off -device nvme-ns,bus=c0,drive=d1,nsid=2,shared=off
#: waiting: real
# Of two namespaces the first is wiped, and the second keeps its content. What lies there is looked at from outside, by dd.
# QEMU's disks are files of the host in which what is discarded is a hole, so that it reads as zeros.
modprobe nvme
wiped=/dev/nvme0n1
beside=/dev/nvme0n2
wait_for -b $wiped
wait_for -b $beside

# full DISK TEXT: text from end to end.
full() {
    yes "$2" | head -c $((8 * 1048576)) | dd of="$1" bs=1M iflag=fullblock oflag=direct 2> /dev/null
}

# wipe HOW: empties the first namespace; what it says of it is kept. The second one must stay as it is.
wipe() {
    echo "--- $1"
    full $wiped "a line of text that is to go"
    if empty $wiped 8; then complain "$1: nothing was written before, so it shows nothing"; fi
    noted $beside
    said "$1" drivelab wipe $wiped --how "$1" --destroy WIPE-0 --json
    wipe_code=$(cat "$RESULTS/$1.code")
    [ "$wipe_code" -eq 0 ] || complain "$1: exit code $wipe_code: $(cat "$RESULTS/$1.said")"
    cat "$RESULTS/$1.out"
    empty $wiped 8 || complain "$1: the namespace is not empty"
    unchanged
}

full $beside "a line of text that is to stay"
for how in format discard write-zeroes; do
    wipe $how
done

echo "--- refused"
full $wiped "a line of text that is to stay too"
noted $wiped $beside
# QEMU's drive has no sanitize; and a dry run, a wrong name or none at all touch nothing.
said sanitize drivelab wipe $wiped --how sanitize --destroy WIPE-0
said dry drivelab wipe $wiped --how format --destroy WIPE-0 --dry-run
said wrong drivelab wipe $wiped --how format --destroy WIPE-1
said unnamed drivelab wipe $wiped --how format --yes
unchanged
for pair in "sanitize 6 cannot.sanitize" "dry 0 format" "wrong 5 WIPE-0" "unnamed 5 WIPE-0"; do
    set -- $pair
    [ "$(cat "$RESULTS/$1.code")" -eq "$2" ] || complain "$1: exit code $(cat "$RESULTS/$1.code"), not $2"
    cat "$RESULTS/$1.out" "$RESULTS/$1.said" | tee -a "$RESULTS/refusals" | grep -q -i -e "$3" || complain "$1: it does not say '$3'"
done
no_complaints
