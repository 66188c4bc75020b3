# A VLAN, the device below it, and a bond.
address() {
    ip -n router address flush dev wan
    ip -n server address flush dev line
    ip -n router address add 10.2.0.1/24 dev $1
    ip -n server address add 10.2.0.2/24 dev $2
    ip -n server route add default via 10.2.0.1
}

ip -n router link add link wan name wan.5 type vlan id 5
ip -n server link add link line name line.5 type vlan id 5
ip -n router link set wan.5 up
ip -n server link set line.5 up
address wan.5 line.5
for device in wan.5 wan; do
    ours $device 10mbit
    load vlan-$device up 2
    load vlan-$device down 2
    end_ours vlan-$device $device
done
ip -n router link del wan.5
ip -n server link del line.5

ip -n router link add bond0 type bond mode active-backup miimon 100
ip -n router link set wan down
ip -n router link set wan master bond0
ip -n router link set bond0 up
address bond0 line
sleep 1
for device in bond0 wan; do
    ours $device 10mbit
    load bond-$device up 2
    load bond-$device down 2
    end_ours bond-$device $device
done
