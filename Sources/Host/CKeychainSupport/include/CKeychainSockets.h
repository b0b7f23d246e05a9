// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets between a program and the daemon, and waiting for many of them. Nothing here
// blocks but what says so.
#ifndef CKEYCHAIN_SOCKETS_H
#define CKEYCHAIN_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A socket that a forked child closes before anything else runs there; -1 with errno set on failure.
// It is closed by keychain_close_private, and only in the process that opened it.
int keychain_open_private_socket(void);

// Binds a socket with this mode, whatever the umask, and listens; 0 or an error number.
int keychain_listen(int socket, const char *path, mode_t mode, int backlog);

// Connects to an address; 0 or an error number: EAGAIN while too many others wait to be accepted.
int keychain_connect(int socket, const char *path);

// Accepts a connection; -1 with errno set on failure.
int keychain_accept(int listening);

// Sends without a signal when the other side is gone, or receives; -1 with errno set, EAGAIN when it would block.
ssize_t keychain_send(int socket, const void *bytes, size_t count);
ssize_t keychain_receive(int socket, void *bytes, size_t count);

// Sends as keychain_send does, and passes a descriptor with the bytes (SCM_RIGHTS, unix(7)).
ssize_t keychain_send_with(int socket, int descriptor, const void *bytes, size_t count);

// Has the kernel say of all that arrives which process wrote it (SO_PASSCRED, unix(7)); sockets that a listening one
// accepts say so, too. Bytes that are sent out of band are in their place among the others. 0 or an error number.
int keychain_name_senders(int socket);

// Says whether descriptors may be passed on a socket, if the kernel can refuse them (SO_PASSRIGHTS, Linux 6.16); sockets
// that a listening one accepts begin as that one is.
void keychain_permit_descriptors(int socket, bool permits);

// Receives on such a socket what one process wrote; EPERM when the next bytes are another's. If a descriptor came with the
// bytes, *has_descriptor is set, and it is dropped, upon which this sleeps for as long as its last close takes; otherwise
// that stays as it is.
ssize_t keychain_receive_from(int socket, pid_t sender, void *bytes, size_t count, bool *has_descriptor);

// Reads what is left on such a socket, which was shut down, and forgets it; false if a descriptor is among that, which the
// close of the socket drops, and sleeps for as long as the last close of that takes.
bool keychain_discard(int socket);

// Closes a socket with descriptors in it that nobody received. Where the last close of one of those would sleep for as long
// as who passed it likes (SO_LINGER, socket(7)), it does not here: a process that shares this one's memory closes them by its
// end, which waits for no linger time. Where there can be no such process, and for some other kinds of files, this sleeps.
void keychain_close_unread(int socket);

// Who connected, or on the side of who connected: who listens (SO_PEERCRED, unix(7)). 0 or an error number.
int keychain_peer(int socket, pid_t *process, uid_t *user);

// What a socket is watched for, and what it is ready for.
enum { KEYCHAIN_READABLE = 1, KEYCHAIN_WRITABLE = 2, KEYCHAIN_ENDED = 4 };

// Blocks until a socket is ready, for so many milliseconds at most; 0 when the time was over, -1 with errno set.
int keychain_wait(int socket, int wanted, int milliseconds);

// A set of sockets to wait for (epoll(7)); -1 with errno set on failure.
int keychain_watch_make(void);

// Watches a descriptor, under a number that tells it from others; once: it has to be watched again after it was reported.
// 0 or an error number.
int keychain_watch_add(int watch, int descriptor, uint64_t number, int wanted);
int keychain_watch_again(int watch, int descriptor, uint64_t number, int wanted);

// Watches a descriptor that is reported to everybody who waits, for as long as it is readable.
int keychain_watch_always(int watch, int descriptor, uint64_t number);

// Watches a descriptor no more.
void keychain_watch_remove(int watch, int descriptor);

// Blocks until a descriptor is ready; 1 with its number, 0 when the time was over, -1 with errno set.
int keychain_watch_next(int watch, uint64_t *number, int milliseconds);

#endif
