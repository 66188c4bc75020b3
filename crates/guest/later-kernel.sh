#!/bin/sh
# later-kernel.sh FOLDER: unpacks into FOLDER/later the kernel for clouds that Debian has backported from
# its next release, for what the kernel of packages.sh lacks: hooks for programs (TCX, Linux 6.6), and
# kinds of devices. The archive is the one that apt knows; its list of backports is kept in a folder of
# its own, so nothing is installed or configured. Does nothing if this script has filled FOLDER/later.
set -eu
folder=$1/later
filled=$(cksum <"$0")
[ "$filled" != "$(cat "$folder/complete" 2>/dev/null)" ] || exit 0
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "the guest is Debian on amd64" >&2; exit 1; }

rm -rf "$folder" && mkdir -p "$folder/apt/lists/partial"
folder=$(cd "$folder" && pwd)
cd "$folder/apt"

# The line of a list of sources for the backports of this release.
backports() {
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$2 == release && $3 == "main" {
            print "deb", $1, release "-backports main"; exit }'
}

# with_backports COMMAND ...: apt's command with the backports alone.
with_backports() {
    command=$1
    shift
    "$command" -q -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$PWD/lists" -o Dir::Cache::PkgCache= -o Dir::Cache::SrcPkgCache= \
        -o APT::Sandbox::User=root "$@"
}

download() {
    backports >sources.list && [ -s sources.list ] && with_backports apt-get update &&
        kernel=$(with_backports apt-cache depends --important linux-image-cloud-amd64 |
            awk '$1 == "Depends:" { print $2; exit }') &&
        with_backports apt-get download "$kernel"
}

# What of the kernel's package a guest needs, as patterns of tar.
parts="*/vmlinuz-* */modules.order */modules.builtin* */kernel/net/sched/* */kernel/drivers/virtio/*
    */virtio_blk.ko* */nf_conntrack.ko* */nf_defrag_ipv?.ko* */libcrc32c.ko* */crc32c*.ko* */veth.ko*
    */ifb.ko* */tun.ko* */dummy.ko* */macvlan.ko* */8021q.ko* */garp.ko* */mrp.ko* */stp.ko* */llc.ko*
    */bridge.ko* */bonding.ko* */tls.ko* */xfrm_user.ko* */xfrm_algo.ko* */esp4.ko* */gcm.ko* */seqiv.ko*
    */ghash-generic.ko* */gf128mul.ko* */geniv.ko* */crypto_null.ko* */wireguard.ko* */*udp_tunnel.ko*
    */*curve25519*.ko* */*chacha*.ko* */*poly1305*.ko*"

download >../log 2>&1 || { tail -3 ../log >&2; exit 1; }
image=$(echo linux-image-*.deb)
set -f
# shellcheck disable=SC2086 # several patterns
dpkg-deb --fsys-tarfile "$image" | tar -x -C .. --wildcards $parts 2>>../log || true
set +f
cd .. && ls boot/vmlinuz-* >/dev/null
# The guest's own modprobe reads no compressed modules.
find lib -name '*.ko.xz' -exec unxz {} +
rm -r apt && echo "$filled" >complete
