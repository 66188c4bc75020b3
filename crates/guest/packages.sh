#!/bin/sh
# packages.sh FOLDER: unpacks into FOLDER what a guest needs: Debian's kernel for clouds, and two root
# file systems: FOLDER/root with ip and tc, a shell, busybox, ssh and a small server of it, and
# FOLDER/debian with systemd as its first program, ifupdown and NetworkManager besides. The packages come
# from the registry that apt knows, by name; nothing is installed, and no rights are needed. Does nothing
# if this script has filled FOLDER.
set -eu
folder=$1
filled=$(cksum <"$0")
[ "$filled" != "$(cat "$folder/complete" 2>/dev/null)" ] || exit 0
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "the guest is Debian on amd64" >&2; exit 1; }

# The libraries that these packages need, directly or not.
libraries() {
    direct=$(apt-cache depends --important "$@" |
        awk '$1 ~ /Depends:$/ && $2 ~ /^(lib|zlib)/ && $2 !~ /-bin$/ { print $2 }')
    # shellcheck disable=SC2086 # several packages
    apt-cache depends --recurse --important $direct | grep -E '^(lib|zlib)' | sort -u
}

# download FOLDER PACKAGES: these packages and their libraries.
download() {
    mkdir -p "$1"
    # shellcheck disable=SC2046 # several packages
    (cd "$1" && shift && apt-get -q -o APT::Sandbox::User=root download "$@" $(libraries "$@"))
}

download_all() {
    kernel=$(apt-cache depends --important linux-image-cloud-amd64 | awk '$1 == "Depends:" { print $2; exit }')
    # shellcheck disable=SC2086 # several packages
    (mkdir -p kernel && cd kernel && apt-get -q -o APT::Sandbox::User=root download "$kernel") &&
        download root $programs e2fsprogs && download debian $programs $system
}

# unpack FOLDER: the packages of the folder, without what only people and fonts need.
unpack() {
    for package in "$1"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "../$1" --exclude './usr/share/doc*' \
            --exclude './usr/share/man' --exclude './usr/share/locale' --exclude '*/hwdb.d' --exclude '*/gconv'
    done
}

programs="busybox dash dropbear-bin ethtool hostapd iproute2 iw openssh-client wpasupplicant"
system="coreutils dbus dbus-bin dbus-daemon dbus-system-bus-common debianutils ifupdown mount network-manager
    systemd udev util-linux"

# What of the kernel's package a guest needs, as patterns of tar.
kernel_parts="*/vmlinuz-* */modules.order */modules.builtin* */kernel/net/sched/* */kernel/drivers/virtio/*
    */virtio_blk.ko* */veth.ko* */ifb.ko* */nf_conntrack.ko* */nf_defrag_ipv?.ko* */libcrc32c.ko* */crc32c*.ko*
    */dummy.ko* */8021q.ko* */bridge.ko* */garp.ko* */mrp.ko* */stp.ko* */llc.ko* */tcp_bbr.ko*"

rm -rf "$folder" && mkdir -p "$folder/download" "$folder/root" "$folder/debian"
folder=$(cd "$folder" && pwd)
cd "$folder/download"
# A machine that has never asked its registry knows no packages.
download_all >../log 2>&1 || { apt-get -q update && download_all; } >>../log 2>&1 ||
    { tail -3 ../log >&2; exit 1; }
image=$(echo kernel/linux-image-*.deb)
set -f
# shellcheck disable=SC2086 # several patterns
dpkg-deb --fsys-tarfile "$image" | tar -x -C ../root --wildcards $kernel_parts 2>>../log || true
set +f
ls ../root/boot/vmlinuz-* >/dev/null
unpack root
unpack debian
cd .. && rm -r download && echo "$filled" >complete
