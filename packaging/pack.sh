# What dist.sh and oci.sh share.

# pack OPTION...: an archive whose bytes depend on the files alone, and on SOURCE_DATE_EPOCH
# (https://reproducible-builds.org/docs/archives/).
pack() {
    tar --create --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
        --mode='u+rwX,go+rX,go-w' --mtime="@$SOURCE_DATE_EPOCH" "$@"
}

# sum FILE: its SHA-256.
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
