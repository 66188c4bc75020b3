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

for rate in 10mbit 50mbit; do
    kernels $rate
    load kernel-$rate up 4
    load kernel-$rate down 4
    end_kernels
    ours wan $rate
    load ours-$rate up 4
    load ours-$rate down 4
    end_ours ours-$rate wan
done
