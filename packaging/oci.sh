#!/bin/sh
# An image with one program and nothing else, which any engine of containers loads: the layout of the
# OCI Image Format Specification 1.1 (image-layout.md, manifest.md, config.md, layer.md).
#
#     SOURCE_DATE_EPOCH=SECONDS oci.sh PROGRAM ARCHITECTURE VERSION IMAGE.tar
set -eu
program=$1 architecture=$2 version=$3 image=$4
. "$(dirname "$0")/pack.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
blobs="$folder/image/blobs/sha256"
mkdir -p "$blobs" "$folder/root/usr/bin"
cp "$program" "$folder/root/usr/bin/unbloat"

# blob FILE TYPE: moves it to where its sum names it, and prints its descriptor.
blob() {
    name=$(sum "$1")
    printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$2" "$name" "$(wc -c <"$1")"
    mv "$1" "$blobs/$name"
}

pack -C "$folder/root" usr >"$folder/layer"
content=$(sum "$folder/layer")
gzip -9 -n "$folder/layer"
layer=$(blob "$folder/layer.gz" application/vnd.oci.image.layer.v1.tar+gzip)
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

cat >"$folder/config" <<TEXT
{"created":"$created","architecture":"$architecture","os":"linux",
"config":{"User":"65534:65534","Entrypoint":["/usr/bin/unbloat"],"Cmd":["serve"],
"ExposedPorts":{"8517/tcp":{},"8517/udp":{}},
"Labels":{"org.opencontainers.image.title":"unbloat","org.opencontainers.image.version":"$version",
"org.opencontainers.image.licenses":"MIT OR Apache-2.0"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$content"]}}
TEXT
config=$(blob "$folder/config" application/vnd.oci.image.config.v1+json)

cat >"$folder/manifest" <<TEXT
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":$config,"layers":[$layer]}
TEXT
manifest=$(blob "$folder/manifest" application/vnd.oci.image.manifest.v1+json)

cat >"$folder/image/index.json" <<TEXT
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json",
"manifests":[${manifest%\}},"annotations":{"org.opencontainers.image.ref.name":"$version",
"io.containerd.image.name":"unbloat:$version"}}]}
TEXT
printf '{"imageLayoutVersion":"1.0.0"}' >"$folder/image/oci-layout"
pack -C "$folder/image" blobs index.json oci-layout >"$image"
