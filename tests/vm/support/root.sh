# Moves the machine from its first file system in memory to one on disks, before a scenario with `#: root: KIND` runs.
# Runs in the first process, after functions.sh; leaves the new root mounted on /newroot.
#
# plain: ext4 on the first partition of /dev/nvme0n1.
# stacked: an overlay on ext4 on LVM on dm-crypt on an md mirror on partitions of /dev/nvme0n1 and /dev/nvme1n1.

# partition DISK: one partition from 1 MiB to the end.
partition() {
    printf 'label: gpt\nstart=1MiB\n' | sfdisk --quiet --no-reread --no-tell-kernel "$1"
    blockdev --rereadpt "$1"
    wait_for -b "${1}p1"
}

root_on() {
    mkdir -p /newroot
    modprobe crc32c_generic
    modprobe ext4
    modprobe nvme
    wait_for -b /dev/nvme0n1
    partition /dev/nvme0n1
    case $1 in
        plain)
            mkfs.ext4 -q -F /dev/nvme0n1p1
            mount -t ext4 /dev/nvme0n1p1 /newroot
            fill /newroot
            ;;
        stacked)
            wait_for -b /dev/nvme1n1
            partition /dev/nvme1n1
            for module in raid1 dm-mod dm-crypt aesni_intel xts ecb overlay; do
                modprobe $module
            done
            mdadm --create /dev/md0 --run --quiet --level=1 --raid-devices=2 --metadata=1.2 --assume-clean \
                /dev/nvme0n1p1 /dev/nvme1n1p1
            key | dmsetup_crypt /dev/md0 below
            lvm_ pvcreate -q /dev/mapper/below
            lvm_ vgcreate -q vm /dev/mapper/below
            lvm_ lvcreate -q -n root -l 100%FREE -Zn -Wn vm
            mkfs.ext4 -q -F /dev/mapper/vm-root
            mkdir -p /base
            mount -t ext4 /dev/mapper/vm-root /base
            mkdir /base/lower /base/upper /base/work
            fill /base/lower
            mount -t overlay -o lowerdir=/base/lower,upperdir=/base/upper,workdir=/base/work overlay /newroot
            ;;
        *) fail "no kind of root is called $1" ;;
    esac
    rm /newroot/vm/root
}

# fill FOLDER: everything of the file system in memory.
fill() {
    for part in bin lib lib64 usr sbin programs vm init etc; do
        [ ! -e /$part ] || cp -a /$part "$1/"
    done
    mkdir -p "$1/dev" "$1/proc" "$1/sys" "$1/tmp" "$1/mnt" "$1/var/tmp"
}

key() {
    printf '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
}

# dmsetup_crypt DEVICE NAME: a mapping that encrypts; its key is no secret.
dmsetup_crypt() {
    hex=$(hexdump -v -e '/1 "%02x"')
    sectors=$(blockdev --getsz "$1")
    echo "0 $sectors crypt aes-xts-plain64 $hex 0 $1 0" | dmsetup create "$2" --noudevsync
}
