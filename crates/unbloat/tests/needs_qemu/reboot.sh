# The machine starts with the files that were kept.
systemctl start systemd-networkd
wait_for shaped
tc qdisc show >started
unbloat fix --undo
state >undone
