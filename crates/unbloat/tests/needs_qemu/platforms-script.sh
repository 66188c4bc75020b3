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
