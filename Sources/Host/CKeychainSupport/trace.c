// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <dlfcn.h>

// The environment has not been read yet.
static int trace_state = 2;

int keychain_is_traced(void) { return __atomic_load_n(&trace_state, __ATOMIC_ACQUIRE); }
void keychain_set_traced(int state) { __atomic_store_n(&trace_state, state, __ATOMIC_RELEASE); }

// The mark of a frame of an asynchronous Swift function, if compilers set it (stack.c).
#define ASYNC_FRAME ((uintptr_t)1 << 60)

__attribute__((noinline)) size_t keychain_return_addresses(uintptr_t *addresses, size_t most) {
    size_t walkable = keychain_walkable_frames(most);
    const uintptr_t *frame = __builtin_frame_address(0);
    size_t count = 0;
    while (count < most && count < walkable) {
        uintptr_t next = frame[0];
        if (frame[1] == 0) break;
        addresses[count++] = frame[1];
        if (next == 0 || (next & ASYNC_FRAME)) break;
        frame = (const uintptr_t *)next;
    }
    return count;
}

int keychain_image_of(uintptr_t address, const char **path, uintptr_t *base) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) return -1;
    *path = info.dli_fname;
    *base = (uintptr_t)info.dli_fbase;
    return 0;
}
