#: about: what drivelab shows of SATA drives is what QEMU was told; with SMART, without rights, behind a USB bridge
#: modules: ahci sd_mod xhci-pci usb-storage
#: programs: setpriv
#: qemu: -device ahci,id=sata -device qemu-xhci,id=usb
#: qemu: -blockdev null-co,size=201326592,read-zeroes=on,node-name=platters
#: qemu: -blockdev null-co,size=67108864,read-zeroes=on,node-name=flash
#: qemu: -blockdev null-co,size=33554432,read-zeroes=on,node-name=bridge
#: qemu: -device ide-hd,bus=sata.0,drive=platters,model=Example-Platters-7200-rpm,serial=SPIN-01,ver=FW7.2,rotation_rate=7200
#: qemu: -device ide-hd,bus=sata.1,drive=flash,model=Flash-One,serial=SOLID-02,ver=FW1,rotation_rate=1,physical_block_size=4096
#: qemu: -device usb-storage,bus=usb.0,drive=bridge,serial=BRIDGE-03,removable=off
#: waiting: real
# QEMU's drives answer IDENTIFY DEVICE and SMART; its USB drive takes no ATA command, as some bridges.
for module in ahci sd_mod xhci-pci usb-storage; do
    modprobe $module
done
left=2000
until [ -b /dev/sda ] && [ -b /dev/sdb ] && [ -b /dev/sdc ]; do
    left=$((left - 1))
    [ $left -gt 0 ] || fail "the three drives did not all come: $(ls /dev)"
    usleep 10000
done

# looked NAME COMMAND …: what it prints is a result; it has to end well.
looked() {
    looked_name=$1
    shift
    "$@" > "$RESULTS/$looked_name" || fail "$looked_name: $* ended with $?"
}

# Which node is which depends on who came first: results go by serial number, the bridge by its bus.
for node in sda sdb sdc; do
    case $(readlink -f /sys/block/$node) in
        */usb*) name=bridge ;;
        */ata1/*) name=platters ;;
        *) name=flash ;;
    esac
    echo $node > "$RESULTS/$name.node"
    looked $name drivelab show /dev/$node --json
    looked $name.text drivelab show /dev/$node
done
cat "/sys/block/$(cat "$RESULTS/platters.node")/device/vpd_pg89" > "$RESULTS/platters.vpd"
looked targets drivelab targets --json

# Somebody without rights: first without the node's, then with those and without the capability for commands.
as_nobody() { # with its path, since busybox has a smaller one of the same name
    /programs/setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
flash=/dev/$(cat "$RESULTS/flash.node")
looked closed as_nobody drivelab show "$flash" --json
chmod 644 "$flash"
looked barred as_nobody drivelab show "$flash" --json
