# The search for the rates, from rates that are a quarter too high. Bursts of a slow download wait up to 50 ms
# in the modem, before they come to its shaper.
# A slow line has few packets, which a guest is slow to send.
in_modem tc qdisc change dev home root tbf rate 4mbit burst 3000 limit 262144
mkdir -p /etc/network/if-up.d /usr/local/sbin
state >state-plain
in_router unbloat fix 10.0.1.2 --up 2.5mbit --down 5mbit --for ifupdown --apply --autotune --target 60ms --yes \
    --json --report tuned.html >tuned.json || echo "status $?"
in_router unbloat fix --undo >undone || echo "status $?"
back_after 'tuned and taken back' 0 plain
