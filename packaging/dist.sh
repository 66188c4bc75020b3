#!/bin/sh
# What others can have: `./x dist [FOLDER]`, called by `x`, which has seen to cargo.
#
# Everything is built from the last commit, in a clone of its own, and nothing depends on the time, the
# machine or the folder: two builds have the same bytes (`./x dist twice`).
set -eu

die() { printf 'x dist: %s\n' "$*" >&2; exit 1; }
say() { printf '\n%s\n' "$*"; }

out=$1
work=$2
mkdir -p "$out" "$work"
out=$(cd "$out" && pwd)
work=$(cd "$work" && pwd)

# --- the sources ------------------------------------------------------------------------------

rm -rf "$work/source"
git clone --quiet . "$work/source"
cd "$work/source"
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
. packaging/pack.sh
rm -rf "${out:?}"/*

# --- programs ---------------------------------------------------------------------------------

# Neither the place of the sources nor that of the dependencies is in the programs: in panics of Rust,
# and in what C's `__FILE__` says.
dependencies=${CARGO_HOME:-$HOME/.cargo}
RUSTFLAGS="--remap-path-prefix=$work/source=/unbloat --remap-path-prefix=$dependencies=/cargo"
CFLAGS="-ffile-prefix-map=$work=/unbloat -ffile-prefix-map=$dependencies=/cargo -g0"
export RUSTFLAGS CFLAGS
export CARGO_TARGET_DIR="$work/target" CARGO_INCREMENTAL=0

# build PROFILE TARGET [OPTION]: prints where the program is.
build() {
    profile=$1 target=$2
    shift 2
    say "Building for $target ($profile)" >&2
    cargo zigbuild --quiet --locked --profile "$profile" --target "$target" -p unbloat "$@" >&2 &&
        echo "$CARGO_TARGET_DIR/$target/$profile/unbloat"
}

full='x86_64-unknown-linux-musl aarch64-unknown-linux-musl'
small="$full armv7-unknown-linux-musleabihf"
# True if Rust's libraries for a target are installed.
is_had() { [ -d "$(rustc --print target-libdir --target "$1")" ]; }
# The name of a machine in Debian and in images of the OCI.
debian_name() { case $1 in x86_64*) echo amd64 ;; aarch64*) echo arm64 ;; armv7*) echo armhf ;; esac; }

# --- one archive for each machine, and packages -------------------------------------------------

own="$(uname -m)-unknown-linux-musl"
case " $full " in *" $own "*) ;; *) die "the manual pages need a program that runs here, not one for $own" ;; esac

# The full program that runs here is compiled for what it does most (profile-guided optimisation). Names of
# functions depend on the machine for which they are compiled, so one profile is for one machine.
guide=''
if [ -x "$(rustc --print target-libdir)/../bin/llvm-profdata" ]; then
    say "A program for $own that counts what it executes"
    # Without optimisation across crates it is compiled in less time, and counts the same. Zig's linker does not
    # know the option -u, which it needs.
    program=$(RUSTFLAGS="$RUSTFLAGS -Cprofile-generate -Clinker-plugin-lto=off -Clto=off -Clinker=rust-lld" \
        build dist "$own")
    counts="$work/counts"
    rm -rf "$counts"
    mkdir -p "$counts"
    sh packaging/profile.sh "$program" "$counts"
    # Cargo compiles again if the name changes, not if the contents do.
    guide="$counts/$(sum "$counts/profile.profdata").profdata"
    mv "$counts/profile.profdata" "$guide"
else
    echo "skipped: compiling for what the program does most needs LLVM's tools (rustup component add llvm-tools)"
fi

# build_full TARGET: prints where the full program is.
build_full() {
    if [ "$1" = "$own" ] && [ -n "$guide" ]; then build_guided "$1"; else build dist "$1"; fi
}

# LLVM warns about each function without counts. Most functions have none; one that was counted must have some.
build_guided() {
    log="$work/guided.log"
    RUSTFLAGS="$RUSTFLAGS -Cprofile-use=$guide -Cllvm-args=-pgo-warn-missing-function" \
        build dist "$1" 2>"$log" || { cat "$log" >&2; exit 1; }
    counted=$(grep -m 1 '^_[^;]*3sim' "$counts/profile.txt") || die 'the profile has no function of the simulator'
    ! grep -qF "for function $counted " "$log" || die "the compiler found no counts of $counted; see $log"
}

say "Everything for $own first: it writes its own manual pages"
program=$(build_full "$own")
aids="$work/aids"
rm -rf "$aids"
mkdir -p "$aids/man" "$aids/completions" "$aids/doc"
"$program" man "$aids/man"
gzip -9 -n "$aids"/man/*.1
"$program" completions bash >"$aids/completions/unbloat.bash"
"$program" completions zsh >"$aids/completions/_unbloat"
"$program" completions fish >"$aids/completions/unbloat.fish"
# README.md, and all files to which it links.
git archive HEAD README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE-APACHE LICENSE-MIT docs \
    python/README.md web/vendor/uplot/LICENSE | tar -x -C "$aids/doc"
# Where the tables of crates/unbloat/Cargo.toml expect them.
ln -sfn "$aids" packaging/aids

for target in $full; do
    program=$(build_full "$target")
    machine=${target%%-*}
    name="unbloat-$version-$machine-linux"
    folder="$work/$name"
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$program" "$folder/"
    cp -R "$aids"/doc/* "$aids/man" "$aids/completions" packaging/systemd scenarios "$folder/"
    pack -C "$work" "$name" | gzip -9 -n >"$out/$name.tar.gz"

    say "Packages for $machine"
    cargo deb --quiet --no-build --no-strip --profile dist --target "$target" -p unbloat \
        --output "$out/unbloat_${version}_$(debian_name "$target").deb"
    cargo generate-rpm --profile dist --target "$target" -p crates/unbloat \
        --source-date "$SOURCE_DATE_EPOCH" --output "$out/unbloat-$version-1.$machine.rpm"
done

# --- for routers, and for containers ------------------------------------------------------------

for target in $small; do
    is_had "$target" || { echo "skipped: no libraries of Rust for $target"; continue; }
    program=$(build small "$target" --no-default-features)
    cp "$program" "$out/unbloat-$version-small-${target%%-*}-linux"
    case $target in
        x86_64* | aarch64*) sh packaging/oci.sh "$program" "$(debian_name "$target")" "$version" \
            "$out/unbloat-$version-serve-$(debian_name "$target").oci.tar" ;;
    esac
done

# --- sources, what is in them, and recipes --------------------------------------------------------

say "Sources, bill of materials, recipes"
git archive --format=tar --prefix="unbloat-$version/" HEAD | gzip -9 -n >"$out/unbloat-$version.tar.gz"
cargo cyclonedx --quiet --format json --target "$own" --manifest-path crates/unbloat/Cargo.toml \
    --override-filename bom
cp crates/unbloat/bom.json "$out/unbloat-$version.cdx.json"
mkdir -p "$out/schema"
cp schema/*.json "$out/schema/"

# fill RECIPE FILE: with the version, and the address and sum of the sources.
fill() {
    sed -e "s|@VERSION@|$version|g" -e "s|@SHA256@|$(sum "$out/unbloat-$version.tar.gz")|g" \
        -e "s|@URL@|${UNBLOAT_URL:-file://$out}|g" "$1" >"$2"
}
fill packaging/homebrew/unbloat.rb "$out/unbloat.rb"
mkdir -p "$out/openwrt/unbloat/files"
fill packaging/openwrt/Makefile "$out/openwrt/unbloat/Makefile"
cp packaging/openwrt/files/* "$out/openwrt/unbloat/files/"

cd "$out"
find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
say "In $out:"
ls -l | awk 'NR > 1 { printf "%10d  %s\n", $5, $9 }'
