# Prints what this machine says of its queues, devices and settings, a section after each line
# `== NAME ARGUMENTS`. It reads, and changes nothing. What is not installed or not allowed is left
# out. POSIX sh; the only argument is the pause between the two readings of the counters, in seconds.
{
pause=${1:-2}
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL PATH

has() { command -v "$1" >/dev/null 2>&1; }

section() { printf '\n== %s\n' "$*"; }

# shown NAME [ARGUMENTS]: the section of the input, unless that is empty.
shown() {
    text=$(cat)
    [ -z "$text" ] || { section "$@"; printf '%s\n' "$text"; }
}

# file PATH: the section of a file, indented so that no line of it begins a section.
file() { sed 's/^/ /' "$1" | shown file "$1"; }

fact() { [ -z "$2" ] || printf '%s %s\n' "$1" "$2"; }

# fact_in NAME FILE: the first line of a file, which may be missing or not readable.
fact_in() {
    value=
    [ ! -r "$2" ] || read -r value <"$2"
    fact "$1" "$value"
}

# setting NAME FILE: the value of a setting below /proc/sys, which can be read only in one piece, so
# not by the shell's `read`.
setting() { fact "$1" "$(cat "$2")"; }

# link NAME PATH: the last part of what a symbolic link points to.
link() {
    [ ! -e "$2" ] || { value=$(readlink "$2") && fact "$1" "${value##*/}"; }
}

device() {
    at=/sys/class/net/$1
    section device "$1"
    for key in type flags mtu tx_queue_len operstate speed; do
        fact_in "$key" "$at/$key"
    done
    while IFS='=' read -r key value; do
        [ "$key" != DEVTYPE ] || fact devtype "$value"
    done <"$at/uevent"
    link driver "$at/device/driver"
    link master "$at/master"
    link wireless "$at/phy80211"
    for lower in "$at"/lower_*; do
        [ ! -e "$lower" ] || fact lower "${lower##*/lower_}"
    done
    set -- "$at"/queues/tx-*
    [ ! -d "$1" ] || fact tx_queues $#
    [ ! -d "$1/byte_queue_limits" ] || fact bql yes
    # The socket at which `unbloat shape` takes requests, of this network namespace.
    ! grep -q " @unbloat/shape/$(cat "$at/ifindex")\$" /proc/net/unix || fact shaper unbloat
}

# counters NUMBER: what has passed devices, queues and redirects until now.
counters() {
    shown traffic "$1" </proc/net/dev
    # The queue that the kernel gives a class is invisible else. Before iproute2 4.12 tc has no such word.
    { tc -s -d qdisc show invisible || tc -s -d qdisc show; } | shown queues "$1"
    for device in $ingress; do
        tc -s -d filter show dev "$device" ingress | shown filters "$1" "$device"
    done
    # Of a queue of the kind ingress, the same filters would be shown again.
    for device in $clsact; do
        tc -s -d filter show dev "$device" egress | shown egress "$1" "$device"
    done
}

# devices_with KINDS: the devices that have a queue of these kinds.
devices_with() {
    tc qdisc show | sed -n "s/^qdisc \($1\) [^ ]* dev \([^ ]*\) .*/\2/p"
}

module() {
    if [ -d "/sys/module/$1" ]; then
        fact "$1" loaded
    elif [ -f "$modules/modules.dep" ] || [ -f "$modules/$1.ko" ]; then
        if [ -f "$modules/$1.ko" ] \
            || grep -q "/$1\.ko" "$modules/modules.dep" "$modules/modules.builtin"; then
            fact "$1" available
        else
            fact "$1" absent
        fi
    fi
}

section survey 1
fact pause "$pause"
fact user "$(id -u)"
fact kernel "$(uname -sr)"
for tool in tc ethtool nft; do
    has "$tool" || fact lacks "$tool"
done
# As sd_booted(3) tells.
[ ! -d /run/systemd/system ] || fact runs systemd
! has ifup || fact runs ifupdown
sed 's/^/ /' /etc/os-release | shown release

ingress=$(devices_with 'ingress\|clsact')
clsact=$(devices_with clsact)
counters 1
sleep "$pause"
counters 2
for device in $(devices_with 'htb\|hfsc'); do
    tc class show dev "$device" | shown classes "$device"
done

for at in /sys/class/net/*; do
    [ ! -d "$at" ] || device "${at##*/}"
done
ip -o link show type ifb | shown ifbs
grep '^[^[:space:]]*[[:space:]]*00000000[[:space:]]' /proc/net/route | shown routes4
grep '^0\{32\} 00 ' /proc/net/ipv6_route | shown routes6
[ ! -r /proc/net/pppoe ] || shown pppoe </proc/net/pppoe

section settings
for key in core/default_qdisc core/rmem_max core/wmem_max ipv4/tcp_rmem ipv4/tcp_wmem \
    ipv4/tcp_congestion_control ipv4/tcp_ecn ipv4/ip_forward ipv6/conf/all/forwarding; do
    setting "$key" "/proc/sys/net/$key"
done

modules=/lib/modules/$(uname -r)
section modules
for name in sch_cake sch_fq_codel ifb act_mirred cls_matchall; do
    module "$name"
done

for at in /sys/class/net/*; do
    offload='^(tcp-segmentation|generic-segmentation|generic-receive|hw-tc)-offload:'
    ethtool -k "${at##*/}" | grep -E "$offload" | shown offloads "${at##*/}"
done
nft list flowtables | shown flowtables
uci -q show firewall | grep flow_offloading | shown uci firewall
uci -q show sqm | shown uci sqm

networkctl --version | head -n 1 | shown networkd
# files PATTERN PATHS: the files in which a line matches.
files() {
    pattern=$1
    shift
    for path; do
        [ ! -f "$path" ] || ! grep -q "$pattern" "$path" || file "$path"
    done
}
files '^\[CAKE\]' /etc/systemd/network/*.network /run/systemd/network/*.network \
    /usr/lib/systemd/network/*.network /etc/systemd/network/*.network.d/*.conf \
    /run/systemd/network/*.network.d/*.conf
files '^qdisc\.' /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/*
files 'tc qdisc' /etc/network/interfaces /etc/network/interfaces.d/*

for path in /sys/kernel/debug/ieee80211/*; do
    [ ! -e "$path/aql_enable" ] || cat "$path/aql_enable" | shown aql "${path##*/}"
done
section end
} </dev/null 2>/dev/null
