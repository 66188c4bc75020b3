//! Set-ups that have something wrong, as people make them.

use crate::set_up::{LINE, SetUp};

const VDSL: &str = "--up 2mbit --down 20mbit --link vdsl2-pppoe";
const ADSL: &str = "--up 1mbit --down 8mbit --link adsl-pppoe-llc";

pub(crate) const BROKEN: &[SetUp] = &[
    SetUp::broken("only-fq-codel", "tc qdisc add dev wan root fq_codel", LINE, &["no-shaper"]),
    SetUp::broken("cake-without-a-rate", "tc qdisc add dev wan root cake", LINE, &["no-shaper"]),
    SetUp::broken("only-up", "up", LINE, &["one-direction"]),
    SetUp::broken("only-down", "down", LINE, &["one-direction"]),
    SetUp::broken(
        "rates-swapped",
        "up bandwidth 19mbit no-ack-filter\n down bandwidth 1900kbit",
        LINE,
        &["rates-swapped"],
    ),
    SetUp::broken(
        "rates-swapped-of-buckets",
        "bucket wan 19mbit fq_codel\n bucket lan 1900kbit fq_codel",
        LINE,
        &["rates-swapped"],
    ),
    SetUp::broken("rate-too-high", "up bandwidth 2500kbit\n down", LINE, &["rate-above-line"]),
    SetUp::broken(
        "mbps",
        "up bandwidth 0.25mbps\n down bandwidth 19mbps",
        LINE,
        &["rate-mistyped"],
    ),
    SetUp::broken("rate-too-low", "up\n down bandwidth 10mbit", LINE, &["rate-far-below-line"]),
    SetUp::broken(
        "redirect-removed",
        "up\n down\n tc qdisc del dev wan ingress",
        LINE,
        &["redirect-missing"],
    ),
    SetUp::broken(
        "ifb-of-another-name",
        "up\n down\n tc qdisc del dev wan ingress
         ip link set ifb4wan down && ip link set ifb4wan name dsl-in && ip link set dsl-in up",
        LINE,
        &["redirect-missing"],
    ),
    SetUp::broken(
        "filter-removed",
        "up\n down\n tc filter del dev wan parent ffff:",
        LINE,
        &["redirect-missing"],
    ),
    SetUp::broken("ifb-down", "up\n down\n ip link set ifb4wan down", LINE, &["ifb-missing"]),
    SetUp::broken("ifb-deleted", "up\n down\n ip link del ifb4wan", LINE, &["ifb-missing"]),
    SetUp::broken(
        "redirect-of-tcp-only",
        "up\n down\n tc filter del dev wan parent ffff:
         tc filter add dev wan parent ffff: protocol ip u32 match ip protocol 6 0xff \
            action mirred egress redirect dev ifb4wan",
        LINE,
        &["counters-still"],
    )
    .by_hand(),
    SetUp::broken(
        "another-way-out",
        "up\n down\n ip link add lte type veth peer name far
         ip link set lte up && ip link set far up
         ip address add 10.9.0.2/24 dev lte
         ip neigh add 10.9.0.1 lladdr 02:00:00:00:00:01 dev lte
         ip route replace default via 10.9.0.1
         ip route add 10.0.0.1/32 via 10.9.0.1",
        LINE,
        &["counters-still"],
    )
    .by_hand(),
    SetUp::broken(
        "htb-without-its-class",
        "single_packets\n down
         tc qdisc add dev wan root handle 1: stab overhead 44 linklayer ethernet htb default 99
         tc class add dev wan parent 1: classid 1:10 htb rate 1900kbit
         tc qdisc add dev wan parent 1:10 fq_codel",
        LINE,
        &["counters-still"],
    )
    .by_hand(),
    SetUp::broken(
        "replaced-up",
        "tc qdisc add dev wan root cake ingress dual-dsthost
         tc qdisc replace dev wan root cake bandwidth 1900kbit besteffort nat overhead 44 mpu 84
         down",
        LINE,
        &["kept-keywords"],
    ),
    SetUp::broken(
        "replaced-down",
        "up\n down ack-filter dual-srchost
         tc qdisc replace dev ifb4wan root cake bandwidth 19mbit",
        LINE,
        &["kept-keywords"],
    ),
    SetUp::broken(
        "ack-filter-on-an-even-line",
        "up bandwidth 19mbit\n down",
        "--up 20mbit --down 20mbit",
        &["kept-keywords"],
    ),
    SetUp::broken("no-overhead", "up raw\n down raw", LINE, &["overhead-missing"]),
    SetUp::broken(
        "buckets-without-a-table",
        "tc qdisc add dev wan root handle 1: tbf rate 1900kbit burst 5kb latency 50ms
         tc qdisc add dev wan parent 1:1 fq_codel\n down",
        LINE,
        &["overhead-missing"],
    )
    .by_hand(),
    SetUp::broken(
        "overhead-in-a-table",
        "tc qdisc add dev wan root stab overhead 44 linklayer ethernet cake bandwidth 1900kbit \
            besteffort dual-srchost nat ack-filter\n down",
        LINE,
        &["overhead-in-stab"],
    ),
    SetUp::broken(
        "overhead-of-cable",
        "up overhead 18 mpu 64\n down overhead 18 mpu 64",
        VDSL,
        &["overhead-wrong"],
    ),
    SetUp::broken(
        "overhead-of-one-byte-in-a-table",
        "single_packets\n down overhead 30 mpu 68 ptm
         tc qdisc add dev wan root handle 1: stab overhead 1 linklayer ethernet htb default 10
         tc class add dev wan parent 1: classid 1:10 htb rate 1900kbit
         tc qdisc add dev wan parent 1:10 fq_codel",
        VDSL,
        &["overhead-wrong"],
    )
    .by_hand(),
    SetUp::broken(
        "adsl-without-cells",
        "up bandwidth 850kbit\n down bandwidth 6800kbit",
        ADSL,
        &["overhead-wrong"],
    ),
    SetUp::broken(
        "cells-on-cable",
        "up bandwidth 2mbit overhead 40 atm\n down bandwidth 20mbit overhead 40 atm",
        "--up 2mbit --down 20mbit --link docsis",
        &["overhead-wrong"],
    ),
    SetUp::broken("rtt-20", "up rtt 20\n down rtt 20", LINE, &["rtt-mistyped"]),
    SetUp::broken("rtt-in-seconds", "up rtt 100s\n down", LINE, &["rtt-mistyped"]),
    SetUp::broken(
        "network-manager-lost-it",
        "mkdir -p /etc/NetworkManager/system-connections
         cat >/etc/NetworkManager/system-connections/wan.nmconnection <<'END'
[connection]
id=wan
interface-name=wan
[tc]
qdisc.root=cake
END
         tc qdisc add dev wan root cake",
        "",
        &["config-dropped"],
    )
    .by_hand(),
    SetUp::broken(
        "bucket-with-a-long-fifo",
        "tc qdisc add dev wan root handle 1: stab overhead 44 linklayer ethernet \
            tbf rate 1900kbit burst 5kb latency 400ms\n down",
        LINE,
        &["deep-fifo"],
    ),
    SetUp::broken(
        "class-with-a-long-fifo",
        "single_packets\n classes wan 1900kbit pfifo limit 1000\n down",
        LINE,
        &["deep-fifo"],
    ),
    SetUp::broken(
        "class-with-the-queue-of-the-kernel",
        "single_packets\n down\n tc qdisc add dev wan root handle 1: stab overhead 44 linklayer ethernet \
            htb default 10
         tc class add dev wan parent 1: classid 1:10 htb rate 1900kbit",
        LINE,
        &["deep-fifo"],
    ),
    SetUp::broken(
        "device-with-a-long-fifo",
        "tc qdisc add dev wan root bfifo limit 200mb",
        "--up 10gbit --down 10gbit",
        &["deep-fifo"],
    ),
    SetUp::broken(
        "super-packets-in-a-class",
        "classes wan 1900kbit fq_codel\n down",
        LINE,
        &["lumps"],
    ),
    SetUp::broken(
        "super-packets-from-the-network-at-home",
        "single_packets\n ethtool -K lan gro on\n classes wan 1900kbit fq_codel\n down",
        LINE,
        &["lumps"],
    ),
    SetUp::broken("super-packets-in-cake", "up no-split-gso\n down", LINE, &["lumps"]),
    SetUp::broken(
        "ecn-cleared",
        "up\n down
         ip netns exec provider tc qdisc add dev line handle ffff: ingress
         ip netns exec provider tc filter add dev line ingress protocol ip matchall \
            action pedit ex munge ip tos set 0 retain 3 pipe action csum ip
         measure",
        "line.json",
        &["ecn-bleached"],
    )
    .by_hand(),
    SetUp::broken(
        "buffers-begin-huge",
        "up\n down\n echo '4096 16777216 16777216' >/proc/sys/net/ipv4/tcp_wmem",
        LINE,
        &["huge-tcp-buffers"],
    ),
    SetUp::broken(
        "buffers-become-huge",
        "up\n down\n echo '4096 131072 268435456' >/proc/sys/net/ipv4/tcp_rmem",
        LINE,
        &["huge-tcp-buffers"],
    ),
];
