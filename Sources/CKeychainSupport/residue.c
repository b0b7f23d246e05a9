// SPDX-License-Identifier: Apache-2.0
// What a cryptographic library leaves behind in memory that it does not wipe.
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// The sizes of blocks that swift-crypto frees with keys in them: derived keys, unwrapped keys, padded keys of HMAC, states of
// SHA-256, contexts of AES-GCM. An allocator rounds sizes up, so each has its neighbours with it.
static const size_t sizes[] = {40, 56, 72, 88, 104, 120, 136, 152, 600, 616, 632};

// As many blocks of one size as glibc keeps for the next call (tcache_count). More are not in use at one time.
#define DEPTH 7

// The largest size of which glibc keeps further blocks without joining them to others.
#define FAST_SIZE 120

// Deeper than any call into the library goes, and what may lie between it and the outermost that contains it.
#define STACK_SIZE (32 << 10)

// How many calls of keychain_contain this thread is in.
static _Thread_local unsigned depth;

// The optimizer would leave out blocks that nobody reads.
static void *(*volatile allocate)(size_t) = malloc;

// An allocator hands out first what was freed last, so what it hands out now is what was just freed.
__attribute__((noinline)) static void wipe_freed(void) {
    void *blocks[LENGTH(sizes)][DEPTH];
    for (size_t size = 0; size < LENGTH(sizes); size++) {
        for (size_t block = 0; block < DEPTH; block++) {
            blocks[size][block] = allocate(sizes[size]);
            keychain_wipe(blocks[size][block], sizes[size]);
        }
    }
    for (size_t size = 0; size < LENGTH(sizes); size++) {
        for (size_t block = 0; block < DEPTH; block++) free(blocks[size][block]);
    }
}

#if defined(__x86_64__)
__attribute__((noinline, target("avx512f"))) static void clear_avx512(void) {
    __asm__ volatile("vzeroall");
#define CLEAR(number) __asm__ volatile("vpxorq %zmm" #number ", %zmm" #number ", %zmm" #number);
    CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22) CLEAR(23)
    CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)
#undef CLEAR
}

__attribute__((noinline, target("avx"))) static void clear_avx(void) { __asm__ volatile("vzeroall"); }

__attribute__((noinline)) static void clear_sse(void) {
#define CLEAR(number) __asm__ volatile("pxor %xmm" #number ", %xmm" #number);
    CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7)
    CLEAR(8) CLEAR(9) CLEAR(10) CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15)
#undef CLEAR
}

// All of them are the caller's to save, so nothing is lost.
static void clear_registers(void) {
    if (__builtin_cpu_supports("avx512f")) {
        clear_avx512();
    } else if (__builtin_cpu_supports("avx")) {
        clear_avx();
    } else {
        clear_sse();
    }
}
#elif defined(__aarch64__)
__attribute__((noinline)) static void clear_registers(void) {
    // Not v8 to v15, whose lower halves are the callee's to save: who used them has put back what was there.
    __asm__ volatile(
        "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n"
        "movi v4.2d, #0\n movi v5.2d, #0\n movi v6.2d, #0\n movi v7.2d, #0\n"
        "movi v16.2d, #0\n movi v17.2d, #0\n movi v18.2d, #0\n movi v19.2d, #0\n"
        "movi v20.2d, #0\n movi v21.2d, #0\n movi v22.2d, #0\n movi v23.2d, #0\n"
        "movi v24.2d, #0\n movi v25.2d, #0\n movi v26.2d, #0\n movi v27.2d, #0\n"
        "movi v28.2d, #0\n movi v29.2d, #0\n movi v30.2d, #0\n movi v31.2d, #0\n"
        ::: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
            "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
#else
static void clear_registers(void) {}
#endif

__attribute__((noinline)) static void clear_stack(void) {
    unsigned char below[STACK_SIZE];
    keychain_wipe(below, sizeof below);
}

__attribute__((noinline)) void keychain_wipe_residue(void) {
    if (depth > 0) return;
    // The registers first: the dynamic linker may save them on the stack at a first call.
    clear_registers();
    clear_stack();
}

// A call makes room among the kept blocks for what it frees by what it takes from them. But calloc(3) takes nothing from
// them: one held block of each small size makes room for that.
__attribute__((noinline)) void keychain_contain(void (*body)(void *context), void *context) {
    if (depth > 0) {
        body(context);
        return;
    }
    void *held[LENGTH(sizes)] = {NULL};
    for (size_t size = 0; size < LENGTH(sizes) && sizes[size] <= FAST_SIZE; size++) held[size] = allocate(sizes[size]);
    depth++;
    body(context);
    depth--;
    wipe_freed();
    for (size_t size = 0; size < LENGTH(sizes); size++) free(held[size]);
    keychain_wipe_residue();
}

// The sizes of the objects in which swift-crypto keeps expanded keys and does not wipe them: ML-KEM-768, ML-KEM-1024,
// ML-DSA-65, ML-DSA-87 (CCryptoBoringSSL_mlkem.h, _mldsa.h), each with the header of an object and a reference to the seed.
static const size_t private_key_sizes[] = {7808, 12416, 17568, 23712};

// One call has no more of them at a time; the second is for a block that was found elsewhere first.
#define PRIVATE_KEY_DEPTH 2

// Deeper than the arithmetic of ML-KEM-1024 goes.
#define PRIVATE_KEY_STACK_SIZE (64 << 10)

__attribute__((noinline)) static void wipe_freed_private_keys(void) {
    void *blocks[LENGTH(private_key_sizes)][PRIVATE_KEY_DEPTH];
    // The largest first, so that none is cut out of a block that a larger one needs.
    for (size_t size = LENGTH(private_key_sizes); size-- > 0;) {
        for (size_t block = 0; block < PRIVATE_KEY_DEPTH; block++) {
            blocks[size][block] = allocate(private_key_sizes[size]);
            if (blocks[size][block]) keychain_wipe(blocks[size][block], private_key_sizes[size]);
        }
    }
    for (size_t size = 0; size < LENGTH(private_key_sizes); size++) {
        for (size_t block = 0; block < PRIVATE_KEY_DEPTH; block++) free(blocks[size][block]);
    }
}

__attribute__((noinline)) static void clear_deep_stack(void) {
    unsigned char below[PRIVATE_KEY_STACK_SIZE];
    keychain_wipe(below, sizeof below);
}

__attribute__((noinline)) void keychain_wipe_private_key_residue(void) {
    wipe_freed_private_keys();
    clear_registers();
    clear_deep_stack();
}
