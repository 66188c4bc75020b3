#!/bin/sh
export PATH=/bin:/tmp/applets
busybox mount -t proc proc /proc
busybox mkdir /tmp/applets && busybox --install -s /tmp/applets
mount -t sysfs sysfs /sys && mount -t devtmpfs devtmpfs /dev
depmod
# By this path the kernel asks for modules.
ln -s /tmp/applets/modprobe /bin/modprobe
modprobe virtio_pci && modprobe virtio_blk
cd /results
sh -e /script >log 2>&1
echo $? >status
find . -type f | sed 's|^\./||' | cpio -o -H newc >/dev/vda && sync
poweroff -f
