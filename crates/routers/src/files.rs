//! The files of a treatment that outlive a reboot: put aside before they are written, and put back.

/// The commands that put aside what there is, in the folder of the timer.
pub(crate) fn put_aside(files: &[&str]) -> String {
    let names = files.join(" ");
    format!(
        "for file in {names}; do\n\
         \x20   [ ! -e $file ] || {{ mkdir -p \"$dir/aside${{file%/*}}\"; cp -p $file \"$dir/aside$file\"; }}\n\
         done\n\
         : >\"$dir/put-aside\"\n"
    )
}

/// The commands that put back what was put aside. A file that was not there goes, by `gone` if none
/// of the files was there.
pub(crate) fn put_back(files: &[&str], gone: &str) -> String {
    let names = files.join(" ");
    format!(
        "[ -e \"$dir/put-aside\" ] || exit 0\n\
         [ -e \"$dir/aside\" ] || {{\n{gone}}}\n\
         for file in {names}; do\n\
         \x20   if [ -e \"$dir/aside$file\" ]; then cp -p \"$dir/aside$file\" $file; else rm -f $file; fi\n\
         done\n\
         rmdir /etc/unbloat 2>/dev/null\n"
    )
}
