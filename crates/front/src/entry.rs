//! The entry point of the program, and what the compiler expects of a C library.

#![expect(unsafe_code, reason = "there is nothing below it but the kernel")]

use crate::Room;
use crate::system::Stack;
use core::cell::UnsafeCell;

// The kernel (or the dynamic linker) leaves the words of the process where the stack begins, and in
// `rdx` what is to be called at its end. 256 bytes are left free below the words: two more may come.
//
// A static PIE corrects its addresses when its C library starts. Before that ours lead nowhere, and it starts as if
// we were not there. A release is at a fixed place: its addresses are right, and may lie beside the code.
//
// The functions behind it are the compiler's for copying and comparing. Those of a static C library cannot
// be called before it has started. They have no `.globl`: nobody else sees them.
#[cfg(fixed_place)]
macro_rules! addresses {
    () => {
        ".pushsection .rodata.headsup_start,\"a\",@progbits"
    };
}
#[cfg(not(fixed_place))]
macro_rules! addresses {
    () => {
        ".pushsection .data.rel.ro.headsup_start,\"aw\",@progbits"
    };
}

core::arch::global_asm!(
    ".pushsection .text.headsup_start,\"ax\",@progbits",
    ".globl headsup_start",
    ".type headsup_start,@function",
    "headsup_start:",
    "    lea rax, [rip + headsup_start]",
    "    cmp rax, qword ptr [rip + headsup_start_corrected]",
    "    jne _start",
    "    xor ebp, ebp",
    "    mov r12, rdx",
    "    mov rdi, rsp",
    "    sub rsp, 256",
    "    call {front}",
    "    mov rsp, rax",
    "    mov rdx, r12",
    "    xor r12d, r12d",
    "    jmp _start",
    "memcpy:",
    "    mov rax, rdi",
    "    mov rcx, rdx",
    "    rep movsb",
    "    ret",
    "memmove:",
    "    mov rax, rdi",
    "    mov rcx, rdx",
    "    mov r8, rdi",
    "    sub r8, rsi",
    "    cmp r8, rdx",
    "    jb 2f",
    "    rep movsb",
    "    ret",
    "2:  lea rdi, [rdi + rdx - 1]",
    "    lea rsi, [rsi + rdx - 1]",
    "    std",
    "    rep movsb",
    "    cld",
    "    ret",
    "memset:",
    "    mov r8, rdi",
    "    mov eax, esi",
    "    mov rcx, rdx",
    "    rep stosb",
    "    mov rax, r8",
    "    ret",
    "memcmp:",
    "bcmp:",
    "    xor eax, eax",
    "    xor ecx, ecx",
    "3:  cmp rcx, rdx",
    "    je 4f",
    "    movzx eax, byte ptr [rdi + rcx]",
    "    movzx r8d, byte ptr [rsi + rcx]",
    "    inc rcx",
    "    sub eax, r8d",
    "    je 3b",
    "4:  ret",
    "strlen:",
    "    xor eax, eax",
    "5:  cmp byte ptr [rdi + rax], 0",
    "    je 6f",
    "    inc rax",
    "    jmp 5b",
    "6:  ret",
    ".popsection",
    addresses!(),
    ".balign 8",
    "headsup_start_corrected:",
    "    .quad headsup_start",
    ".popsection",
    front = sym front,
);

struct Shared(UnsafeCell<Room>);

// SAFETY: `front` alone looks at it, in its one thread; the second that it may start is given what it reads.
unsafe impl Sync for Shared {}

static ROOM: Shared = Shared(UnsafeCell::new(Room::EMPTY));

impl Room {
    #[expect(
        clippy::large_stack_arrays,
        reason = "it is no variable, but zero pages of the program"
    )]
    const EMPTY: Self = Self {
        context: [0; _],
        head: [0; _],
        body: [0; _],
        answer: [0; _],
        words: [0; _],
        time: [0; _],
    };
}

/// Returns where the stack begins with which the program is to start.
extern "C" fn front(words: *mut usize) -> *mut usize {
    // SAFETY: the kernel has laid the words out, and nobody else holds the room.
    let (mut stack, room) = unsafe { (Stack::at(words), &mut *ROOM.0.get()) };
    crate::run(&mut stack, room);
    stack.words()
}
