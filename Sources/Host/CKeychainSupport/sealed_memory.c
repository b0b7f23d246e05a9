// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define KEYCHAIN_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

// Shells and scripts use small numbers for themselves.
#define KEYCHAIN_FIRST_DESCRIPTOR 64

int keychain_sealed_memory(const void *bytes, size_t count) {
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int memory = memfd_create("swift-keychain", flags | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 do not know the flag.
    if (memory < 0 && errno == EINVAL) memory = memfd_create("swift-keychain", flags);
    if (memory < 0) return -1;
    ssize_t written;
    do written = pwrite(memory, bytes, count, 0);
    while (written < 0 && errno == EINTR);
    if (written != (ssize_t)count || fcntl(memory, F_ADD_SEALS, KEYCHAIN_SEALS) != 0) {
        int failure = written >= 0 && written != (ssize_t)count ? ENOSPC : errno;
        close(memory);
        errno = failure;
        return -1;
    }
    int high = fcntl(memory, F_DUPFD_CLOEXEC, KEYCHAIN_FIRST_DESCRIPTOR);
    if (high < 0) return memory;
    close(memory);
    return high;
}

int keychain_read_sealed_memory(int descriptor, void *bytes, size_t count) {
    // Only memory has seals: a pipe, a socket or a device with this number is not even read.
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & KEYCHAIN_SEALS) != KEYCHAIN_SEALS) return -1;
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != (off_t)count) return -1;
    ssize_t got;
    do got = pread(descriptor, bytes, count, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)count ? 0 : -1;
}

void keychain_close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }
