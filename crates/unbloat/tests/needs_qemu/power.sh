# A watch whose store is on a disk of its own. The first guest formats the disk; each later one reads first
# what the one before has left, whose power was cut.
modprobe virtio_pci
modprobe virtio_blk
while [ ! -b /dev/vdb ]; do sleep 0.1; done
mkdir -p /disk
if ! mount -t ext4 /dev/vdb /disk 2>/dev/null; then
    mkfs.ext4 -q /dev/vdb
    mount -t ext4 /dev/vdb /disk
fi
ip link set lo up
home=/disk/home
if [ -d $home ]; then
    cp $home/watch.sqlite* .
    unbloat watch export $home --what probes >found
fi
# Where a page is served, a commit is made each 5 s.
unbloat watch 127.0.0.1 --own --every 10ms --hops 0 --store $home --page 127.0.0.1:8080 --quiet >said 2>&1 &
sleep "$(cat /tmp/seconds)"
before=0
[ ! -f found ] || before=$(wc -l <found)
# While the host is slow to write, the guest's clock runs on: a commit may take seconds of it.
for _ in $(seq 60); do
    unbloat watch export $home --what probes >kept || echo "nothing to read yet"
    [ "$(wc -l <kept)" -le $((before + 200)) ] || break
    sleep 1
done
sleep "$(cat /tmp/more)"
