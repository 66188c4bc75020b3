cp /tmp/before.json .
# With systemd alone, the script's unit starts with the device.
tc_up() {
    ip link set wan up
    ip address add 10.0.0.2/24 dev wan
    ip route add default via 10.0.0.1
}
treated tc tc_up

# With ifupdown.
cat >/etc/network/interfaces <<'END'
iface wan inet static
    address 10.0.0.2/24
    gateway 10.0.0.1
END
ifup() {
    # A reboot empties the list of interfaces that are up.
    rm -f /run/network/ifstate*
    command ifup wan
}
appear ifup
treated ifupdown ifup

# With NetworkManager's script, typed by hand and called as its dispatcher calls it, with the interface and
# the action (NetworkManager-dispatcher(8)).
appear tc_up
state >state-networkmanager
typed() {
    unbloat fix --up 1.9mbit --down 19mbit --for networkmanager --wan wan |
        sed -n "/^To $1/,/^\(To\|Then\) / { /^\(To\|Then\) /d; p }" >typed.sh
    sh typed.sh
}
typed 'apply it'
appear tc_up
for event in 'lan up' 'wan pre-up' 'wan up'; do
    tc qdisc show >before-event
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEVICE_IFACE=wan CONNECTION_ID=wan \
        /etc/NetworkManager/dispatcher.d/90-unbloat-shaper $event
done
tc qdisc show >appeared-networkmanager
typed 'take it back'
back_after networkmanager 0 networkmanager
