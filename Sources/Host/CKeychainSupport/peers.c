// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainPeers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// Newer than the headers of some systems; the same on all architectures that do not number socket options themselves.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif
// The same on every architecture.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int keychain_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return errno;
    if (size != sizeof credentials) return EPROTO;
    *process = credentials.pid;
    *user = credentials.uid;
    *group = credentials.gid;
    return 0;
}

int keychain_peer_open(int socket, pid_t process, int *is_exact) {
    int descriptor = -1;
    socklen_t size = sizeof descriptor;
    *is_exact = 1;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) == 0) {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        return descriptor;
    }
    // Of a process that was reaped the kernel has nothing left (EINVAL in some versions).
    if (errno != ENOPROTOOPT) {
        if (errno == EINVAL) errno = ESRCH;
        return -1;
    }
    *is_exact = 0;
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int keychain_peer_is_alive(int pidfd) {
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};
    int count;
    do count = poll(&ended, 1, 0);
    while (count < 0 && errno == EINTR);
    return count == 0;
}

int keychain_peer_label(int socket, char *label, size_t capacity) {
    socklen_t size = (socklen_t)(capacity - 1);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERSEC, label, &size) != 0) return errno;
    label[size] = 0;
    return 0;
}

int keychain_is_served_by_program(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == FUSE_SUPER_MAGIC;
}

int keychain_queued_bytes(int socket) {
    int count = 0;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : -1;
}
