// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "children.h"
#include "spawning.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Newer than the headers of some systems; the same on all architectures that do not number socket options themselves.
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int make_address(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t count = strlen(path);
    if (count >= sizeof address->sun_path) return ENAMETOOLONG;
    memcpy(address->sun_path, path, count);
    return 0;
}

int keychain_listen(int socket, const char *path, mode_t mode, int backlog) {
    struct sockaddr_un address;
    int error = make_address(&address, path);
    if (error != 0) return error;
    if (bind(socket, (struct sockaddr *)&address, sizeof address) != 0) return errno;
    // No client is connected before it listens.
    if (chmod(path, mode) != 0) return errno;
    return listen(socket, backlog) == 0 ? 0 : errno;
}

int keychain_connect(int socket, const char *path) {
    struct sockaddr_un address;
    int error = make_address(&address, path);
    if (error != 0) return error;
    while (connect(socket, (struct sockaddr *)&address, sizeof address) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

int keychain_accept(int listening) {
    int descriptor;
    do descriptor = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

ssize_t keychain_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t keychain_send_with(int socket, int descriptor, const void *bytes, size_t count) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    return keychain_send_parts(socket, &part, 1, &descriptor, 1);
}

ssize_t keychain_send_parts(int socket, const struct iovec *parts, size_t count, const int *descriptors,
                            size_t descriptor_count) {
    union {
        char bytes[CMSG_SPACE(KEYCHAIN_MOST_DESCRIPTORS * sizeof(int))];
        struct cmsghdr header;
    } control;
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
    if (descriptor_count > KEYCHAIN_MOST_DESCRIPTORS) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count > 0) {
        size_t length = descriptor_count * sizeof(int);
        memset(&control, 0, sizeof control);
        control.header.cmsg_len = CMSG_LEN(length);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(&control.header), descriptors, length);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t keychain_receive(int socket, void *bytes, size_t count) {
    ssize_t received;
    do received = recv(socket, bytes, count, MSG_DONTWAIT);
    while (received < 0 && errno == EINTR);
    return received;
}

int keychain_name_senders(int socket) {
    int on = 1, off = 0;
    // The creator of the listening socket may have set these. Any other control message is treated as a descriptor.
    setsockopt(socket, SOL_SOCKET, SO_PASSSEC, &off, sizeof off);
    setsockopt(socket, SOL_SOCKET, SO_PASSPIDFD, &off, sizeof off);
    // Otherwise bytes out of band are dropped, and what came with them.
    setsockopt(socket, SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 ? 0 : errno;
}

void keychain_permit_descriptors(int socket, bool permits) {
    int value = permits;
    // Before Linux 6.16 they are always permitted.
    setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &value, sizeof value);
}

// Receives with room for control data of any kind that comes with the bytes.
static ssize_t receive_message(int socket, struct msghdr *message, void *control, size_t room, int flags) {
    ssize_t received;
    do {
        message->msg_control = control;
        message->msg_controllen = room;
        received = recvmsg(socket, message, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    return received;
}

// Whether control data says that a process sent the bytes. Bytes of several senders are never received at once.
static bool names_sender(const struct cmsghdr *header, pid_t sender) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS ||
        header->cmsg_len != CMSG_LEN(sizeof(struct ucred)))
        return false;
    struct ucred credentials;
    memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    return credentials.pid == sender;
}

ssize_t keychain_receive_from(int socket, pid_t sender, void *bytes, size_t count, bool *has_descriptor) {
    // Room for the credentials alone. Descriptors are dropped then, in this call, and MSG_CTRUNC is set.
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t received = receive_message(socket, &message, control.bytes, sizeof control.bytes, 0);
    if (received <= 0) return received;
    if (message.msg_flags & MSG_CTRUNC) *has_descriptor = true;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && names_sender(header, sender)) return received;
    keychain_wipe(bytes, (size_t)received);
    errno = EPERM;
    return -1;
}

ssize_t keychain_receive_parts(int socket, pid_t sender, void *bytes, size_t count, int *descriptors,
                               size_t *descriptor_count) {
    // Room for all that the kernel may pass at once: it would close what has none, and wait for that.
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(KEYCHAIN_MOST_DESCRIPTORS * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    *descriptor_count = 0;
    ssize_t received = receive_message(socket, &message, control.bytes, sizeof control.bytes, 0);
    if (received <= 0) return received;
    bool is_sender = false;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (names_sender(header, sender)) is_sender = true;
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && *descriptor_count == 0) {
            size_t length = header->cmsg_len - CMSG_LEN(0);
            memcpy(descriptors, CMSG_DATA(header), length);
            *descriptor_count = length / sizeof(int);
        }
    }
    // Without a free descriptor the kernel has dropped some.
    if (is_sender && !(message.msg_flags & MSG_CTRUNC)) return received;
    keychain_wipe(bytes, (size_t)received);
    errno = is_sender ? EMFILE : EPERM;
    return -1;
}

bool keychain_discard(int socket) {
    char bytes[4096];
    ssize_t received;
    bool was_reset = false;
    while (true) {
        union {
            char bytes[CMSG_SPACE(sizeof(struct ucred))];
            struct cmsghdr alignment;
        } control;
        struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        // Peeking at the queue drops nothing, but reports whether there was no space for something.
        received = receive_message(socket, &message, control.bytes, sizeof control.bytes, MSG_PEEK);
        // That the peer closed with unread data is reported once, and nothing is queued then.
        if (received < 0 && errno == ECONNRESET && !was_reset) {
            was_reset = true;
            continue;
        }
        if (received <= 0 || message.msg_flags & MSG_CTRUNC) break;
        if (keychain_receive(socket, bytes, (size_t)received) != received) break;
    }
    keychain_wipe(bytes, sizeof bytes);
    return received == 0;
}

// A socket that a process of its own has, too, until it is closed here.
struct kept {
    int socket;
    atomic_int step;
};

// First the events of this process, then those of the peer.
enum { BEGUN, IS_ALONE, IS_CLOSED };

static void reach(struct kept *kept, int step) {
    atomic_store(&kept->step, step);
    syscall(SYS_futex, &kept->step, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int keep(void *argument) {
    struct kept *kept = argument;
    unsigned socket = (unsigned)kept->socket;
    // Before Linux 5.9 the others go at the end, too.
    syscall(SYS_close_range, socket + 1, UINT_MAX, 0);
    if (socket > 0) syscall(SYS_close_range, 0, socket - 1, 0);
    reach(kept, IS_ALONE);
    while (atomic_load(&kept->step) != IS_CLOSED)
        syscall(SYS_futex, &kept->step, FUTEX_WAIT_PRIVATE, IS_ALONE, NULL, NULL, 0);
    return 0;
}

bool keychain_close_unread(int socket) {
    struct kept kept = {.socket = socket};
    struct keychain_child child = {.run = keep, .argument = &kept};
    struct timespec second = {.tv_sec = 1};
    // A child that has the descriptors of this process meanwhile must not have the last one: it would sleep.
    pthread_mutex_lock(&keychain_spawning);
    pid_t process = keychain_child_start(&child, 0);
    bool has_ended = process < 0;
    while (!has_ended && atomic_load(&kept.step) == BEGUN) {
        syscall(SYS_futex, &kept.step, FUTEX_WAIT_PRIVATE, BEGUN, &second, NULL, 0);
        has_ended = keychain_child_has_ended(process);
    }
    // Without it, this close would be the last one, and might not return, with the lock held.
    if (!has_ended) close(socket);
    pthread_mutex_unlock(&keychain_spawning);
    if (has_ended) return false;
    reach(&kept, IS_CLOSED);
    keychain_child_await(process);
    return true;
}

int keychain_peer(int socket, pid_t *process, uid_t *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return errno;
    *process = peer.pid;
    *user = peer.uid;
    return 0;
}

int keychain_wait(int socket, int wanted, int milliseconds) {
    short events = POLLRDHUP;
    if (wanted & KEYCHAIN_READABLE) events |= POLLIN;
    if (wanted & KEYCHAIN_WRITABLE) events |= POLLOUT;
    struct pollfd entry = {.fd = socket, .events = events};
    int count = poll(&entry, 1, milliseconds);
    // The waiting caller has a deadline, and tries again.
    if (count < 0) return errno == EINTR ? 0 : -1;
    int ready = 0;
    if (entry.revents & POLLIN) ready |= KEYCHAIN_READABLE;
    if (entry.revents & POLLOUT) ready |= KEYCHAIN_WRITABLE;
    if (entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) ready |= KEYCHAIN_ENDED;
    return ready;
}

int keychain_watch_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int change(int watch, int operation, int descriptor, uint64_t number, int wanted) {
    struct epoll_event event = {.events = EPOLLONESHOT | EPOLLRDHUP, .data.u64 = number};
    if (wanted & KEYCHAIN_READABLE) event.events |= EPOLLIN;
    if (wanted & KEYCHAIN_WRITABLE) event.events |= EPOLLOUT;
    return epoll_ctl(watch, operation, descriptor, &event) == 0 ? 0 : errno;
}

int keychain_watch_add(int watch, int descriptor, uint64_t number, int wanted) {
    return change(watch, EPOLL_CTL_ADD, descriptor, number, wanted);
}

int keychain_watch_again(int watch, int descriptor, uint64_t number, int wanted) {
    return change(watch, EPOLL_CTL_MOD, descriptor, number, wanted);
}

int keychain_watch_always(int watch, int descriptor, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
    return epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

void keychain_watch_remove(int watch, int descriptor) { epoll_ctl(watch, EPOLL_CTL_DEL, descriptor, NULL); }

int keychain_watch_next(int watch, uint64_t *number, int milliseconds) {
    struct epoll_event event;
    int count = epoll_wait(watch, &event, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    if (count > 0) *number = event.data.u64;
    return count;
}
