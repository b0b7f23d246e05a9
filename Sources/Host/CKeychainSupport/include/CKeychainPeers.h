// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a Unix socket, as the kernel knows it.
#ifndef CKEYCHAIN_PEERS_H
#define CKEYCHAIN_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// The credentials of the process that connected, as they were then (SO_PEERCRED). Returns 0 or errno.
int keychain_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group);

// A pidfd of the process that connected (SO_PEERPIDFD, Linux 6.5), close-on-exec. Before Linux 6.5, a pidfd of the
// process that has this number now, and *is_exact is 0. Returns -1 with errno, ESRCH if the process has ended.
int keychain_peer_open(int socket, pid_t process, int *is_exact);

// Whether the process of a pidfd has not ended.
int keychain_peer_is_alive(int pidfd);

// The NUL-terminated label that a security module assigned to the process that connected (SO_PEERSEC). Returns 0 or
// errno: ENOPROTOOPT if no module assigns labels.
int keychain_peer_label(int socket, char *label, size_t capacity);

// Whether each of some threads has the same memory as the first of them (kcmp(2)); false also if that is unknown, which
// the first result shows. Returns the number of results: all, or those before a thread that is executing a program, for
// which kcmp(2) would wait (without limit: a file system may have to respond first); the first one if there is none. -1
// if the process that makes the calls could not be created.
int keychain_compare_memory(const pid_t *threads, int count, bool *results);

// Whether a program answers reads of an open file (FUSE).
int keychain_is_served_by_program(int descriptor);

// How many bytes wait to be read; -1 with errno.
int keychain_queued_bytes(int socket);

#endif
