#!/bin/sh
# Each package of `./x dist`, installed as a stranger would install it, into a root of its own with
# nothing of this machine, and used there: `./x dist try` (root; Debian's tools).
set -eu

dist=$(cd "$1" && pwd)
[ "$(id -u)" = 0 ] || { echo 'x dist try: needs root, to make roots of other systems' >&2; exit 1; }
roots=$(mktemp -d)
trap 'rm -rf "$roots"' EXIT
machine=$(uname -m)
case $machine in x86_64) debian=amd64 ;; aarch64) debian=arm64 ;; *) debian=$machine ;; esac
foreign=$(case $machine in x86_64) echo aarch64 ;; *) echo x86_64 ;; esac)

failed=0
# try WHAT COMMAND...: says whether the command works.
try() {
    what=$1
    shift
    if "$@" >"$roots/log" 2>&1; then
        echo "ok      $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
        tail -n 20 "$roots/log" | sed 's/^/        /'
    fi
}

# inside ROOT COMMAND...: in a root of its own, with its own processes and network.
inside() {
    root=$1
    shift
    unshare --mount --pid --net --fork chroot "$root" "$@"
}

# works ROOT PROGRAM SCENARIO: the program tells its version, simulates, and writes a page.
works() {
    inside "$1" "$2" --version &&
        inside "$1" "$2" sim "$3" --report /page.html &&
        [ -s "$1/page.html" ]
}

# serves ROOT PROGRAM: a server and a test of it over the loopback interface, as nobody.
serves() {
    inside "$1" /bin/sh -c "ip link set lo up
        $2 serve --bind 127.0.0.1 --quiet &
        sleep 1
        $2 test 127.0.0.1 --time 5s --json --quiet >/test.json
        kill \$!
        test -s /test.json"
}

# linked FOLDER: all files to which the folder's README links are there.
linked() {
    grep -o '](\([^):]*\))' "$1/README.md" | sed 's/^](//; s/[#)].*//' >"$roots/links"
    test -s "$roots/links"
    while read -r file; do test -e "$1/$file" || { echo "$file"; return 1; }; done <"$roots/links"
}

# --- the archive, where there is nothing but the archive ------------------------------------------

empty="$roots/empty"
mkdir -p "$empty"
tar -xzf "$dist"/unbloat-*-"$machine"-linux.tar.gz -C "$empty" --strip-components=1
try "archive for $machine, in an empty root" works "$empty" /unbloat /scenarios/home-uplink.toml
try "manual pages of the archive" man --warnings -l "$empty/man/unbloat-sim.1.gz"

# --- Debian ---------------------------------------------------------------------------------------

debootstrap --variant=minbase --include=iproute2,man-db,bash-completion stable "$roots/debian" \
    >"$roots/debootstrap.log" 2>&1 || { cat "$roots/debootstrap.log" >&2; exit 1; }
cp "$dist"/unbloat_*_"$debian".deb "$roots/debian/unbloat.deb"
try 'dpkg installs the package' inside "$roots/debian" dpkg --install /unbloat.deb
try 'it works on Debian' works "$roots/debian" unbloat /usr/share/doc/unbloat/examples/home-uplink.toml
try 'links of the README on Debian' linked "$roots/debian/usr/share/doc/unbloat"
try 'a server and a test on Debian' serves "$roots/debian" unbloat
try 'bash completes its verbs' inside "$roots/debian" bash -c '
    . /usr/share/bash-completion/completions/unbloat
    COMP_WORDS=(unbloat wat) COMP_CWORD=1
    _unbloat unbloat wat unbloat
    [ "${COMPREPLY[0]}" = watch ]'
try 'each file belongs to root' sh -c "! dpkg-deb --contents '$roots/debian/unbloat.deb' | grep -vE ' (root/root|0/0) '"
try 'dpkg removes it' inside "$roots/debian" sh -c 'dpkg --remove unbloat && ! command -v unbloat'

# --- RPM ------------------------------------------------------------------------------------------

mkdir -p "$roots/rpm"
try 'rpm installs the package' rpm --root "$roots/rpm" --ignoresize --install "$dist"/unbloat-*-1."$machine".rpm
try 'it works where rpm has put it' works "$roots/rpm" /usr/bin/unbloat /usr/share/doc/unbloat/examples/home-uplink.toml
try 'rpm finds each file as it was' rpm --root "$roots/rpm" --verify unbloat

# --- containers -----------------------------------------------------------------------------------

image=$(echo "$dist"/unbloat-*-serve-"$debian".oci.tar)
version=${image##*/unbloat-} version=${version%%-*}
mkdir -p "$roots/image"
tar -xf "$image" -C "$roots/image"
try 'skopeo reads the image' skopeo inspect --config "oci-archive:$image"
try 'umoci unpacks the image' umoci unpack --rootless --image "$roots/image:$version" "$roots/container"
try 'the image has 10 MB at most' test "$(wc -c <"$image")" -le 10000000
try 'its program works' inside "$roots/container/rootfs" /usr/bin/unbloat --version

# --- other machines, by QEMU ----------------------------------------------------------------------

for program in "$dist"/unbloat-*-small-*-linux; do
    case $program in
        *x86_64*) emulator=qemu-x86_64-static ;;
        *aarch64*) emulator=qemu-aarch64-static ;;
        *armv7*) emulator=qemu-arm-static ;;
    esac
    try "$(basename "$program") by $emulator" "$emulator" "$program" doctor --help
done
other="$roots/other"
mkdir -p "$other"
tar -xzf "$dist"/unbloat-*-"$foreign"-linux.tar.gz -C "$other" --strip-components=1
try "the archive for $foreign simulates as the one for $machine" sh -c "
    'qemu-$foreign-static' '$other/unbloat' sim '$other/scenarios/home-uplink.toml' >'$roots/theirs' &&
    '$empty/unbloat' sim '$other/scenarios/home-uplink.toml' >'$roots/ours' &&
    cmp '$roots/ours' '$roots/theirs'"

# --- sources and sums -----------------------------------------------------------------------------

try 'the sums are right' sh -c "cd '$dist' && sha256sum --check --quiet SHA256SUMS"
try 'the bill of materials is CycloneDX, and names SQLite' sh -c "
    python3 -c 'import json, sys; bom = json.load(open(sys.argv[1]));
assert bom[\"bomFormat\"] == \"CycloneDX\" and any(c[\"name\"] == \"libsqlite3-sys\" for c in bom[\"components\"])' \
    '$dist'/unbloat-*.cdx.json"
# What the units call: the program, and a shell.
install -D "$empty/unbloat" "$empty/usr/bin/unbloat"
install -D /bin/sh "$empty/bin/sh"
install -D --mode=644 -t "$empty/etc/systemd/system" "$empty"/systemd/*
for unit in serve watch shape@eth0 autorate@wan; do
    try "systemd reads unbloat-$unit" systemd-analyze verify --man=no --recursive-errors=no \
        --root="$empty" "unbloat-$unit.service"
done

[ "$failed" = 0 ] && echo 'Each package works.'
