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
file() { sed 's/^/ /' "$1" 2>/dev/null | shown file "$1"; }

fact() { [ -z "$2" ] || printf '%s %s\n' "$1" "$2"; }

# fact_in NAME FILE: the first line of a file, which may be missing or not readable. Settings of the
# kernel can be read only in one piece, so not by the shell's `read`.
fact_in() { fact "$1" "$(cat "$2" 2>/dev/null)"; }

name_of_link() {
    link=$(readlink "$1" 2>/dev/null) && printf '%s' "${link##*/}"
}

device() {
    at=/sys/class/net/$1
    section device "$1"
    for key in type flags mtu tx_queue_len operstate speed; do
        fact_in "$key" "$at/$key"
    done
    fact devtype "$(sed -n 's/^DEVTYPE=//p' "$at/uevent" 2>/dev/null)"
    fact driver "$(name_of_link "$at/device/driver")"
    fact master "$(name_of_link "$at/master")"
    fact wireless "$(name_of_link "$at/phy80211")"
    set -- "$at"/queues/tx-*
    [ ! -d "$1" ] || fact tx_queues $#
    [ ! -d "$1/byte_queue_limits" ] || fact bql yes
}

# counters NUMBER: what has passed devices, queues and redirects until now.
counters() {
    shown traffic "$1" </proc/net/dev
    tc -s -d qdisc show 2>/dev/null | shown queues "$1"
    for device in $ingress; do
        tc -s -d filter show dev "$device" ingress 2>/dev/null | shown filters "$1" "$device"
    done
}

# devices_with KINDS: the devices that have a queue of these kinds.
devices_with() {
    tc qdisc show 2>/dev/null | sed -n "s/^qdisc \($1\) [^ ]* dev \([^ ]*\) .*/\2/p"
}

module() {
    if [ -d "/sys/module/$1" ]; then
        fact "$1" loaded
    elif [ -f "$modules/modules.dep" ] || [ -f "$modules/$1.ko" ]; then
        if [ -f "$modules/$1.ko" ] \
            || grep -q "/$1\.ko" "$modules/modules.dep" "$modules/modules.builtin" 2>/dev/null; then
            fact "$1" available
        else
            fact "$1" absent
        fi
    fi
}

section survey 1
fact pause "$pause"
fact user "$(id -u 2>/dev/null)"
fact kernel "$(uname -sr)"
for tool in tc ethtool nft; do
    has "$tool" || fact lacks "$tool"
done
sed 's/^/ /' /etc/os-release 2>/dev/null | shown release

ingress=$(devices_with 'ingress\|clsact')
counters 1
sleep "$pause"
counters 2
for device in $(devices_with 'htb\|hfsc'); do
    tc class show dev "$device" 2>/dev/null | shown classes "$device"
done

for at in /sys/class/net/*; do
    [ ! -d "$at" ] || device "${at##*/}"
done
grep '^[^[:space:]]*[[:space:]]*00000000[[:space:]]' /proc/net/route 2>/dev/null | shown routes4
grep '^0\{32\} 00 ' /proc/net/ipv6_route 2>/dev/null | shown routes6

section settings
for key in core/default_qdisc core/rmem_max core/wmem_max ipv4/tcp_rmem ipv4/tcp_wmem \
    ipv4/tcp_congestion_control ipv4/tcp_ecn; do
    fact_in "$key" "/proc/sys/net/$key"
done

modules=/lib/modules/$(uname -r)
section modules
for name in sch_cake ifb act_mirred; do
    module "$name"
done

for at in /sys/class/net/*; do
    offload='^(tcp-segmentation|generic-segmentation|generic-receive|hw-tc)-offload:'
    ethtool -k "${at##*/}" 2>/dev/null | grep -E "$offload" | shown offloads "${at##*/}"
done
nft list flowtables 2>/dev/null | shown flowtables
uci -q show firewall 2>/dev/null | grep flow_offloading | shown uci firewall
uci -q show sqm 2>/dev/null | shown uci sqm

networkctl --version 2>/dev/null | head -n 1 | shown networkd
for path in /etc/systemd/network/*.network /run/systemd/network/*.network \
    /usr/lib/systemd/network/*.network /etc/systemd/network/*.network.d/*.conf \
    /run/systemd/network/*.network.d/*.conf; do
    ! grep -q '^\[CAKE\]' "$path" 2>/dev/null || file "$path"
done
for path in /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/*; do
    ! grep -q '^qdisc\.' "$path" 2>/dev/null || file "$path"
done
for path in /etc/network/interfaces /etc/network/interfaces.d/*; do
    ! grep -q 'tc qdisc' "$path" 2>/dev/null || file "$path"
done

for path in /sys/kernel/debug/ieee80211/*; do
    [ ! -e "$path/aql_enable" ] || cat "$path/aql_enable" 2>/dev/null | shown aql "${path##*/}"
done
section end
} </dev/null 2>/dev/null
