// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets between a program and the daemon, and waiting for many of them. Nothing here blocks unless
// documented.
#ifndef CKEYCHAIN_SOCKETS_H
#define CKEYCHAIN_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

// A socket that a forked child closes before anything else runs there; -1 with errno set on failure. Close it with
// keychain_close_private, in the process that opened it.
int keychain_open_private_socket(void);

// Binds a socket with this mode, regardless of the umask, and listens; 0 or an error number.
int keychain_listen(int socket, const char *path, mode_t mode, int backlog);

// Connects to an address; 0 or an error number: EAGAIN while too many others wait to be accepted.
int keychain_connect(int socket, const char *path);

// Accepts a connection; -1 with errno set on failure.
int keychain_accept(int listening);

// Sends without raising a signal if the peer has closed, or receives; -1 with errno set, EAGAIN if it would block.
ssize_t keychain_send(int socket, const void *bytes, size_t count);
ssize_t keychain_receive(int socket, void *bytes, size_t count);

// Sends as keychain_send does, and passes a descriptor with the bytes (SCM_RIGHTS, unix(7)).
ssize_t keychain_send_with(int socket, int descriptor, const void *bytes, size_t count);

// The most descriptors that a call passes (unix(7), SCM_RIGHTS).
enum { KEYCHAIN_MOST_DESCRIPTORS = 253 };

// Sends the parts one after the other, and passes descriptors with the first byte; -1 with errno set.
ssize_t keychain_send_parts(int socket, const struct iovec *parts, size_t count, const int *descriptors,
                            size_t descriptor_count);

// Makes the kernel report the sending process of all that arrives (SO_PASSCRED, unix(7)); sockets that a listening one
// accepts report it, too. Out-of-band bytes stay in sequence with the others. 0 or an error number.
int keychain_name_senders(int socket);

// Sets whether descriptors may be passed on a socket, if the kernel can refuse them (SO_PASSRIGHTS, Linux 6.16);
// accepted sockets inherit the setting from the listening one.
void keychain_permit_descriptors(int socket, bool permits);

// Receives on such a socket bytes from one process; EPERM if the next bytes are from another. If a descriptor came with
// the bytes, *has_descriptor is set, and the descriptor is closed, which blocks for as long as its last close takes;
// otherwise *has_descriptor is unchanged.
ssize_t keychain_receive_from(int socket, pid_t sender, void *bytes, size_t count, bool *has_descriptor);

// The same for a socket on which descriptors may be passed: they are stored, close-on-exec, in the room for
// KEYCHAIN_MOST_DESCRIPTORS, also if the result is -1.
ssize_t keychain_receive_parts(int socket, pid_t sender, void *bytes, size_t count, int *descriptors,
                               size_t *descriptor_count);

// Reads and discards the remaining data on such a socket, which was shut down; false if it contains a descriptor, which
// the close of the socket closes, blocking for as long as its last close takes.
bool keychain_discard(int socket);

// Closes a socket that contains descriptors that were not received. If the last close of one of those would block for
// as long as its sender likes (SO_LINGER, socket(7)), this does not: a process that shares this one's memory closes
// them by exiting, which waits for no linger time. It does wait for a file system that does not respond, such as one of
// FUSE with data to write, and so does this. False if there can be no such process: the socket is open still.
bool keychain_close_unread(int socket);

// The process that connected, or on the side of that process, the one that listens (SO_PEERCRED, unix(7)). 0 or an
// error number.
int keychain_peer(int socket, pid_t *process, uid_t *user);

// The events for which a socket is watched, and those that occurred.
enum { KEYCHAIN_READABLE = 1, KEYCHAIN_WRITABLE = 2, KEYCHAIN_ENDED = 4 };

// Blocks until a socket is ready, with a timeout in milliseconds; 0 on timeout, -1 with errno set.
int keychain_wait(int socket, int wanted, int milliseconds);

// A set of sockets to wait for (epoll(7)); -1 with errno set on failure.
int keychain_watch_make(void);

// Watches a descriptor under an identifying number, once: it has to be watched again after it was reported. 0 or an
// error number.
int keychain_watch_add(int watch, int descriptor, uint64_t number, int wanted);
int keychain_watch_again(int watch, int descriptor, uint64_t number, int wanted);

// Watches a descriptor that is reported to every waiting thread for as long as it is readable.
int keychain_watch_always(int watch, int descriptor, uint64_t number);

// Watches a descriptor no more.
void keychain_watch_remove(int watch, int descriptor);

// Blocks until a descriptor is ready; 1 with its number, 0 when the time was over, -1 with errno set.
int keychain_watch_next(int watch, uint64_t *number, int milliseconds);

#endif
