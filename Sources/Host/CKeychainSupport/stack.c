// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

// On Apple's systems Swift marks the frames of asynchronous functions in the frame pointers that they save, and on others a
// compiler may (Swift 6.3 does not on Linux). The callers of such a function are not on the stack.
#define ASYNC_FRAME ((uintptr_t)1 << 60)

// The part at the lower end of a stack that is not overwritten: space for the functions that overwrite the rest.
#define LOWEST_FRAMES 4096

struct stack {
    uintptr_t lowest, end;
};

// The writable part of the stack of the calling thread; empty if it is unknown. Determined once for each thread: for
// the main thread, it is read from /proc.
// main thread, it is read from /proc.
static struct stack current_stack(void) {
    static _Thread_local struct stack known;
    if (known.end != 0) return known;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return known;
    void *lowest = NULL;
    size_t size = 0, guard = 0;
    int error = pthread_attr_getstack(&attributes, &lowest, &size);
    if (error == 0) error = pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    if (error != 0 || guard > size) return known;
    // Before glibc 2.27, the guard is counted as a part of the stack.
    known = (struct stack){(uintptr_t)lowest + guard, (uintptr_t)lowest + size};
    return known;
}

// The size of the stack below a frame; 0 if the frame is on another stack than the thread's own, whose end is unknown.
static size_t room_below(uintptr_t frame) {
    struct stack stack = current_stack();
    // The stack of the main thread grows, and nothing is mapped within a mebibyte below it.
    if (stack.end == 0) return gettid() == getpid() ? SIZE_MAX : 0;
    if (frame >= stack.end || frame <= stack.lowest + LOWEST_FRAMES) return 0;
    return frame - stack.lowest - LOWEST_FRAMES;
}

// Not inlined: the frame of the caller stays as it is.
__attribute__((noinline)) void keychain_wipe_stack(size_t count) {
    size_t room = room_below((uintptr_t)__builtin_frame_address(0));
    if (count > room) count = room;
    if (count == 0) return;
    unsigned char below[count];
    keychain_wipe(below, count);
}

size_t keychain_walkable_frames(size_t most) {
    const uintptr_t *frame = __builtin_frame_address(0);
    struct stack stack = current_stack();
    uintptr_t end = stack.end;
    // On another stack than the thread's own, such as a coroutine's, it is unknown what is mapped above a frame.
    if ((uintptr_t)frame < stack.lowest || (uintptr_t)frame >= end) return 0;
    for (size_t count = 0; count < most; count++) {
        uintptr_t next = frame[0];
        if (next == 0 || (next & ASYNC_FRAME)) return most;
        if (next % sizeof next != 0 || next <= (uintptr_t)frame || next + 2 * sizeof next > end) return count;
        frame = (const uintptr_t *)next;
    }
    return most;
}

// The number of the frame pointer in DWARF, by the ABI of the processor.
#if defined(__aarch64__)
#define FRAME_POINTER 29
#else
#define FRAME_POINTER 6
#endif

struct unwinding {
    uintptr_t *addresses, *frames;
    size_t count, most;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument) {
    struct unwinding *unwinding = argument;
    uintptr_t address = _Unwind_GetIP(context);
    if (unwinding->count == unwinding->most || address == 0) return _URC_NORMAL_STOP;
    uintptr_t frame = _Unwind_GetGR(context, FRAME_POINTER);
    unwinding->addresses[unwinding->count] = address;
    unwinding->frames[unwinding->count++] = frame;
    // The caller of an asynchronous function finds its mark in the frame pointer again, which would be used to find the
    // next frame.
    return frame & ASYNC_FRAME ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

size_t keychain_unwind_stack(uintptr_t *addresses, uintptr_t *frames, size_t most) {
    struct unwinding unwinding = {addresses, frames, 0, most};
    _Unwind_Backtrace(note_frame, &unwinding);
    return unwinding.count;
}

// How the context of an asynchronous function of Swift begins (AsyncContext, Swift's ABI).
struct async_context {
    uintptr_t parent, resume_parent;
};

// Reads memory if it is mapped, which the kernel checks. If a sandbox forbids that, the memory is read unchecked, as by
// Swift's runtime library.
static bool read_memory(uintptr_t address, void *bytes, size_t count) {
    if (address == 0 || address % sizeof(uintptr_t) != 0) return false;
    struct iovec local = {bytes, count}, remote = {(void *)address, count};
    ssize_t status = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (status >= 0 || (errno != EPERM && errno != ENOSYS)) return status == (ssize_t)count;
    __builtin_memcpy(bytes, (const void *)address, count);
    return true;
}

size_t keychain_async_callers(uintptr_t frame, uintptr_t *addresses, size_t most) {
    struct async_context context = {0, 0};
    size_t count = 0;
    if (frame < sizeof frame) return 0;
    // The context is in the word below the one that the frame pointer points at.
    if (!read_memory(frame - sizeof frame, &context.parent, sizeof context.parent)) return 0;
    while (count < most && read_memory(context.parent, &context, sizeof context) && context.resume_parent != 0) {
        addresses[count++] = context.resume_parent;
    }
    return count;
}
