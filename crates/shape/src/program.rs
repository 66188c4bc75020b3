//! The programs in the kernel that hand packets over to us, and take them back.
//!
//! Specification: RFC 9669 (the instructions); Linux `include/uapi/linux/bpf.h` (`struct __sk_buff`,
//! `bpf_redirect`, `bpf_ktime_get_ns`, `bpf_skb_get_xfrm_state`, `enum tcx_action_base`).
//!
//! What is attached to the shaped interface looks up the program of its direction in an array, which
//! is empty when this process is not there. That program decides:
//! 1. A packet that carries our mark comes from us: the mark is removed, and the packet goes on.
//! 2. A packet of a protocol without a queue (ARP, LLDP, ...), or for several stations, goes on.
//! 3. A packet that comes in and was decrypted by IPsec goes on: it comes a second time, after what it
//!    was in went through the queue, and we would lose what the kernel knows of its decryption.
//! 4. If this process has not been heard of by the time that it has promised, the packet goes on. So
//!    an interface works as before also if the process hangs, and not only if it ends.
//! 5. All others go to our device.
//!
//! At our own device, what comes out of our queue is marked, and goes back to the shaped interface as
//! if it had just come from the wire.

use std::os::fd::{AsRawFd, BorrowedFd};

use live::LinkLayer;

/// The bytes of a program's name, with a 0 at its end (`BPF_OBJ_NAME_LEN`).
pub(crate) const NAME_LEN: usize = 16;
/// The firewall mark of packets that come from us, for which a hook looks: "unbl".
pub(crate) const MARK: u32 = 0x756e_626c;
/// The places in the array that programs read.
pub(crate) mod place {
    /// The time until which this process can be relied on, in nanoseconds of `CLOCK_MONOTONIC`.
    pub(crate) const ALIVE_UNTIL: usize = 0;
    /// The index of the shaped interface.
    pub(crate) const INTERFACE: usize = 1;
    /// The number of places.
    pub(crate) const COUNT: usize = 2;
}

/// The EtherTypes that go through a queue: IPv4, IPv6, tags of IEEE 802.1Q and 802.1ad, and sessions
/// of PPPoE (RFC 2516 section 4).
const QUEUED: [u16; 5] = [0x0800, 0x86dd, 0x8100, 0x88a8, 0x8864];

/// An instruction (RFC 9669 section 3).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    code: u8,
    /// The destination register in the low half, the source register in the high half.
    registers: u8,
    offset: i16,
    immediate: i32,
}

/// A label to jump to: the end of the program at which packets go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Next,
    Ours,
    Queue,
}

/// Offsets in `struct __sk_buff`.
const MARK_AT: i16 = 8;
const PROTOCOL_AT: i16 = 16;
/// Functions of the kernel.
const KTIME_GET_NS: i32 = 5;
const TAIL_CALL: i32 = 12;
const REDIRECT: i32 = 23;
const GET_XFRM_STATE: i32 = 66;
/// `BPF_F_INGRESS`.
const TO_INGRESS: i32 = 1;
/// `TCX_NEXT`: the next program decides.
const NEXT: i32 = -1;

/// A program in the making. Jumps get their distances at the end.
#[derive(Default)]
struct Assembler {
    instructions: Vec<Instruction>,
    jumps: Vec<(usize, Label)>,
    labels: Vec<(Label, usize)>,
}

impl Assembler {
    fn push(&mut self, code: u8, registers: u8, offset: i16, immediate: i32) {
        self.instructions.push(Instruction { code, registers, offset, immediate });
    }

    /// `to = from`, 64 bits.
    fn copy(&mut self, to: u8, from: u8) {
        self.push(0xbf, from << 4 | to, 0, 0);
    }

    /// `to = number`, with its sign.
    fn set(&mut self, to: u8, number: i32) {
        self.push(0xb7, to, 0, number);
    }

    /// `to += number`.
    fn add(&mut self, to: u8, number: i32) {
        self.push(0x07, to, 0, number);
    }

    /// `to = *(u32 *)(from + offset)`.
    fn load_word(&mut self, to: u8, from: u8, offset: i16) {
        self.push(0x61, from << 4 | to, offset, 0);
    }

    /// `to = *(u64 *)(from + offset)`.
    fn load_double(&mut self, to: u8, from: u8, offset: i16) {
        self.push(0x79, from << 4 | to, offset, 0);
    }

    /// `*(u32 *)(to + offset) = from`.
    fn store_word(&mut self, to: u8, offset: i16, from: u8) {
        self.push(0x63, from << 4 | to, offset, 0);
    }

    /// `r0 =` the byte of the packet at this place; register 6 holds the context.
    fn load_packet_byte(&mut self, at: i32) {
        self.push(0x30, 0, 0, at);
    }

    /// `to =` the map.
    fn map(&mut self, to: u8, map: BorrowedFd<'_>) {
        const MAP: u8 = 1;
        self.push(0x18, MAP << 4 | to, 0, map.as_raw_fd());
        self.push(0, 0, 0, 0);
    }

    /// `to =` the address of the value of the array `map`.
    fn map_value(&mut self, to: u8, map: BorrowedFd<'_>) {
        const VALUE_OF_MAP: u8 = 2;
        self.push(0x18, VALUE_OF_MAP << 4 | to, 0, map.as_raw_fd());
        self.push(0, 0, 0, 0);
    }

    /// `r0 =` 0 if IPsec has decrypted the packet; register 6 holds the context.
    fn was_decrypted(&mut self) {
        /// The end of the stack, and the room there for the answer (`struct bpf_xfrm_state`).
        const STACK: u8 = 10;
        const LEN: i32 = 28;
        self.copy(1, 6);
        self.set(2, 0);
        self.copy(3, STACK);
        self.add(3, -32);
        self.set(4, LEN);
        self.set(5, 0);
        self.call(GET_XFRM_STATE);
    }

    fn call(&mut self, function: i32) {
        self.push(0x85, 0, 0, function);
    }

    fn exit(&mut self) {
        self.push(0x95, 0, 0, 0);
    }

    /// A jump, with this code, if a register compares to `number`.
    fn jump(&mut self, code: u8, register: u8, number: i32, to: Label) {
        self.jumps.push((self.instructions.len(), to));
        self.push(code, register, 0, number);
    }

    fn label(&mut self, label: Label) {
        self.labels.push((label, self.instructions.len()));
    }

    fn finish(mut self) -> Vec<Instruction> {
        for (at, label) in self.jumps {
            let target = self.labels.iter().find(|(known, _)| *known == label);
            let (_, target) = target.expect("every label is set");
            self.instructions[at].offset = (target - at - 1) as i16;
        }
        self.instructions
    }
}

/// Codes of jumps. Those of 32 bits compare the low half of a register.
mod jump {
    pub(super) const IF_EQUAL: u8 = 0x15;
    pub(super) const IF_EQUAL_32: u8 = 0x16;
    pub(super) const IF_ANY_BIT: u8 = 0x45;
    pub(super) const IF_GREATER_THAN_REGISTER: u8 = 0x2d;
    pub(super) const ALWAYS: u8 = 0x05;
}

/// The program at a hook of the shaped interface: it goes on with the one at this place of an array,
/// and lets packets pass where there is none.
pub(crate) fn look_up(array: BorrowedFd<'_>, place: u32) -> Vec<Instruction> {
    let mut program = Assembler::default();
    program.map(2, array);
    program.set(3, place.cast_signed());
    program.call(TAIL_CALL);
    program.set(0, NEXT);
    program.exit();
    program.finish()
}

/// The program of a direction, which hands packets over to the device with the index `device`: all,
/// or all but those that IPsec has decrypted, which a kernel without IPsec cannot ask for.
pub(crate) fn hand_over(
    map: BorrowedFd<'_>,
    device: u32,
    link_layer: LinkLayer,
    spares_decrypted: bool,
) -> Vec<Instruction> {
    let mut program = Assembler::default();
    program.copy(6, 1);
    program.load_word(2, 6, MARK_AT);
    program.jump(jump::IF_EQUAL_32, 2, MARK.cast_signed(), Label::Ours);
    program.load_word(2, 6, PROTOCOL_AT);
    for protocol in QUEUED {
        program.jump(jump::IF_EQUAL_32, 2, protocol.to_be().into(), Label::Queue);
    }
    program.jump(jump::ALWAYS, 0, 0, Label::Next);
    program.label(Label::Queue);
    if link_layer == LinkLayer::Ethernet {
        /// The bit of an address of several stations (IEEE 802 section 8.2.2).
        const GROUP: i32 = 1;
        program.load_packet_byte(0);
        program.jump(jump::IF_ANY_BIT, 0, GROUP, Label::Next);
    }
    if spares_decrypted {
        program.was_decrypted();
        program.jump(jump::IF_EQUAL, 0, 0, Label::Next);
    }
    program.map_value(1, map);
    program.load_double(7, 1, (place::ALIVE_UNTIL * 8) as i16);
    program.call(KTIME_GET_NS);
    program.jump(jump::IF_GREATER_THAN_REGISTER, 7 << 4, 0, Label::Next);
    program.set(1, device.cast_signed());
    program.set(2, 0);
    program.call(REDIRECT);
    program.exit();
    program.label(Label::Ours);
    program.set(2, 0);
    program.store_word(6, MARK_AT, 2);
    program.label(Label::Next);
    program.set(0, NEXT);
    program.exit();
    program.finish()
}

/// The program at our own device, which gives packets back to the shaped interface.
pub(crate) fn give_back(map: BorrowedFd<'_>) -> Vec<Instruction> {
    let mut program = Assembler::default();
    program.set(2, MARK.cast_signed());
    program.store_word(1, MARK_AT, 2);
    program.map_value(3, map);
    program.load_double(1, 3, (place::INTERFACE * 8) as i16);
    program.set(2, TO_INGRESS);
    program.call(REDIRECT);
    program.exit();
    program.finish()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    /// Every jump leads forward to an instruction, and never into the second half of a load of an
    /// address.
    #[test]
    fn jumps_lead_to_instructions() {
        let any = std::io::stderr();
        let ethernet = LinkLayer::Ethernet;
        for (link_layer, spares, jumps) in
            [(ethernet, false, 9), (LinkLayer::None, false, 8), (ethernet, true, 10)]
        {
            let program = hand_over(any.as_fd(), 9, link_layer, spares);
            let is_jump = |code: u8| matches!(code & 7, 5 | 6) && !matches!(code, 0x85 | 0x95);
            let found = program.iter().enumerate().filter(|(_, it)| is_jump(it.code));
            let targets: Vec<_> = found.map(|(at, it)| at + 1 + it.offset as usize).collect();
            assert_eq!(targets.len(), jumps);
            for target in targets {
                assert!(program[target].code != 0, "{target}");
            }
        }
    }
}
