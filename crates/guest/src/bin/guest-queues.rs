//! `guest-queues FILE`: writes the queues of a guest's devices as its rtnetlink tells them, one
//! record each, with the index of the device in the place of a time.
#![cfg_attr(not(target_os = "linux"), expect(unused, reason = "only Linux has rtnetlink"))]

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("wanted is FILE")?;
    let names = kernel::devices()?;
    let mut records = Vec::new();
    for packet in kernel::Netlink::open()?.queues()? {
        let index = tc::ListedQdisc::device_in_netlink(&packet).ok_or("a message is cut off")?;
        if !names.iter().any(|(known, _)| *known == index) {
            return Err(format!("no device has the index {index}").into());
        }
        records.push(guest::Record { nanos: index.into(), packet });
    }
    std::fs::write(file, guest::Record::write(&records))?;
    Ok(())
}
