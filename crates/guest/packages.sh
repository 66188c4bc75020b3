#!/bin/sh
# packages.sh FOLDER: unpacks into FOLDER what a guest needs: Debian's kernel for clouds, ip and tc, a
# shell, ssh and a small server of it, with their libraries, and busybox. The packages come from the
# registry that apt knows, by name; nothing is installed, and no rights are needed. Does nothing if this script has filled FOLDER.
set -eu
folder=$1
filled=$(cksum <"$0")
[ "$filled" != "$(cat "$folder/complete" 2>/dev/null)" ] || exit 0
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "the guest is Debian on amd64" >&2; exit 1; }

# The libraries that these packages need, directly or not.
libraries() {
    direct=$(apt-cache depends --important "$@" |
        awk '$1 == "Depends:" && $2 ~ /^(lib|zlib)/ && $2 !~ /-bin$/ { print $2 }')
    # shellcheck disable=SC2086 # several packages
    apt-cache depends --recurse --important $direct | grep -E '^(lib|zlib)' | sort -u
}

download() {
    kernel=$(apt-cache depends --important linux-image-cloud-amd64 | awk '$1 == "Depends:" { print $2; exit }')
    # shellcheck disable=SC2046 # several packages
    apt-get -q -o APT::Sandbox::User=root download "$kernel" $programs busybox-static \
        $(libraries $programs)
}

programs="dash dropbear-bin iproute2 openssh-client"

# What of the kernel's package a guest needs, as patterns of tar.
kernel_parts="*/vmlinuz-* */modules.order */modules.builtin* */kernel/net/sched/* */kernel/drivers/virtio/*
    */virtio_blk.ko* */veth.ko* */ifb.ko* */nf_conntrack.ko* */nf_defrag_ipv?.ko* */libcrc32c.ko* */crc32c*.ko*"

rm -rf "$folder" && mkdir -p "$folder/download" "$folder/root"
folder=$(cd "$folder" && pwd)
cd "$folder/download"
# A machine that has never asked its registry knows no packages.
download >../log 2>&1 || { apt-get -q update && download; } >>../log 2>&1 || { tail -3 ../log >&2; exit 1; }
for package in *.deb; do
    case $package in
        linux-image-*)
            set -f
            # shellcheck disable=SC2086 # several patterns
            dpkg-deb --fsys-tarfile "$package" | tar -x -C ../root --wildcards $kernel_parts 2>>../log || true
            set +f
            ;;
        *) dpkg-deb -x "$package" ../root ;;
    esac
done
ls ../root/boot/vmlinuz-* >/dev/null
cd .. && rm -r download && echo "$filled" >complete
