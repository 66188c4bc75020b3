#!/bin/sh
# wireless-kernel.sh FOLDER: unpacks into FOLDER/wireless Debian's kernel for all machines, which has, unlike the
# one for clouds, Wi-Fi and radios that are simulated (mac80211_hwsim). The package comes from the registry that
# apt knows, by name; nothing is installed. Does nothing if this script has filled FOLDER/wireless.
set -eu
folder=$1/wireless
filled=$(cksum <"$0")
[ "$filled" != "$(cat "$folder/complete" 2>/dev/null)" ] || exit 0
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "the guest is Debian on amd64" >&2; exit 1; }

rm -rf "$folder" && mkdir -p "$folder/download"
folder=$(cd "$folder" && pwd)
cd "$folder/download"

download() {
    kernel=$(apt-cache depends --important linux-image-amd64 | awk '$1 == "Depends:" { print $2; exit }')
    apt-get -q -o APT::Sandbox::User=root download "$kernel"
}

# What of the kernel's package a guest needs, as patterns of tar.
parts="*/vmlinuz-* */modules.order */modules.builtin* */drivers/virtio/* */virtio_blk.ko* */net/wireless/cfg80211.ko*
    */net/mac80211/* */mac80211_hwsim.ko* */libarc4.ko* */rfkill.ko* */crc-ccitt.ko* */bridge.ko* */stp.ko* */llc.ko*"

# A machine that has never asked its registry knows no packages.
download >../log 2>&1 || { apt-get -q update && download; } >>../log 2>&1 || { tail -3 ../log >&2; exit 1; }
image=$(echo linux-image-*.deb)
set -f
# shellcheck disable=SC2086 # several patterns
dpkg-deb --fsys-tarfile "$image" | tar -x -C .. --wildcards $parts 2>>../log || true
set +f
cd .. && ls boot/vmlinuz-* >/dev/null
rm -r download && echo "$filled" >complete
