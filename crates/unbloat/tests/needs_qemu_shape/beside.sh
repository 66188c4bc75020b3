# The kernel's CAKE and ours on the same line, by turns.
kernels() {
    in_router tc qdisc add dev wan root cake bandwidth $1
    in_router ip link add ifb0 type ifb
    in_router ip link set ifb0 up
    in_router tc qdisc add dev ifb0 root cake bandwidth $1 ingress
    in_router tc qdisc add dev wan ingress
    in_router tc filter add dev wan parent ffff: matchall action mirred egress redirect dev ifb0
}

end_kernels() {
    in_router tc qdisc del dev wan root
    in_router tc qdisc del dev wan ingress
    in_router ip link del ifb0
}

# beside RATE WAYS: the loads in these directions.
beside() {
    kernels $1
    for way in $2; do load kernel-$1 $way 4; done
    end_kernels
    ours wan $1
    for way in $2; do load ours-$1 $way 4; done
    end_ours ours-$1 wan
}
beside 10mbit 'up down'
beside 50mbit down
