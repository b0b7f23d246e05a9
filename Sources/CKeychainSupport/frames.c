// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <pthread.h>
#include <stdint.h>

// Swift marks the frames of asynchronous functions in their frame pointers; what those lead to is not on the stack.
#define ASYNC_FRAME ((uintptr_t)1 << 60)

static uintptr_t end_of_stack(void) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    void *lowest = NULL;
    size_t size = 0;
    int error = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return error == 0 ? (uintptr_t)lowest + size : 0;
}

size_t keychain_walkable_frames(size_t most) {
    const uintptr_t *frame = __builtin_frame_address(0);
    uintptr_t end = end_of_stack();
    for (size_t count = 0; count < most; count++) {
        uintptr_t next = frame[0];
        if (next == 0 || (next & ASYNC_FRAME)) return most;
        if (next % sizeof next != 0 || next <= (uintptr_t)frame || next + 2 * sizeof next > end) return count;
        frame = (const uintptr_t *)next;
    }
    return most;
}
