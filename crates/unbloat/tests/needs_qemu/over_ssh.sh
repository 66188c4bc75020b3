# Treatments of the router by a program on a computer behind it, over ssh.
cp /tmp/before.json .
mkdir -p /etc/network/if-up.d /usr/local/sbin
state >state-plain

fix() {
    in_client unbloat fix --over ssh://root@10.1.0.1 "$@"
}
apply() {
    fix before.json --for ifupdown --apply --yes "$@"
}

# The router's sh is dash, and then busybox's.
for shell in dash busybox; do
    serve_ssh $shell
    apply --json >$shell.json 2>said
    state >kept-by-$shell
    fix --undo >undone
    back_after "kept with $shell and taken back" 0 plain
    kill $dropbear
    wait $dropbear || true
done

# Nobody answers.
apply >gone 2>&1 || echo "status $?" >>gone

# Somebody else answers.
serve_ssh dash
: >/root/.ssh/known_hosts
apply >stranger 2>&1 || echo "status $?" >>stranger
back_after 'not reached' 0 plain
