# wan has a CAKE of 10 Mbit/s. Nothing else is sent than what is here: there are no addresses of
# IPv6, and no questions of ARP.
ip netns add far
ip link add wan type veth peer name line netns far
ip link set wan addrgenmode none address 02:00:00:00:00:02 up
ip -n far link set line addrgenmode none address 02:00:00:00:00:01 up
ip address add 10.0.0.2/24 dev wan
ip -n far address add 10.0.0.1/24 dev line
ip neighbour add 10.0.0.1 lladdr 02:00:00:00:00:01 dev wan
ip -n far neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev line
ip netns exec far tc qdisc add dev line root netem delay 20ms
tc qdisc add dev wan root cake bandwidth 10mbit diffserv4 overhead 18 mpu 64 noatm

# tc before and after, so that what is told lies between.
explain() {
    tc -s -j qdisc show >$1.before
    unbloat doctor --explain wan --json --time 1s >$1.lines
    tc -s -j qdisc show >$1.after
    unbloat doctor --explain wan >$1.text
}
explain idle

ping -q -i 0.02 -s 1000 10.0.0.1 >/dev/null & pings=$!
sleep 1.01
explain light
kill $pings
sleep 1

for port in 5001 5002; do
    # The end of its input would end nc.
    ip netns exec far sh -c "sleep 100 | nc -l -p $port >/dev/null" &
done
sleep 1
nc 10.0.0.1 5001 </dev/zero & first=$!
nc 10.0.0.1 5002 </dev/zero & second=$!
sleep 5
explain loaded
kill $first $second
sleep 5
explain over
