// SPDX-License-Identifier: Apache-2.0
// What Swift on Linux cannot reach by itself: variadic calls, calls behind _GNU_SOURCE, and fork handlers.
#ifndef CKEYCHAIN_SUPPORT_H
#define CKEYCHAIN_SUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "CKeychainDaemon.h"
#include "CKeychainPeers.h"
#include "CKeychainSockets.h"
#include "CKeychainTerminal.h"
#include "CKeychainTrace.h"

// Overwrites memory with zeros in a way that the optimizer may not remove (explicit_bzero(3)).
void keychain_wipe(void *bytes, size_t count);

// Fills memory from the system's generator (getrandom(2)). Returns 0, or errno.
int keychain_random(void *bytes, size_t count);

// Makes the calling process undumpable: no core file, no /proc/PID/mem for others of the same user. For executables only.
int keychain_disable_dumps(void);

// Ends the process without a report when it crashes: Swift's runtime would write registers, and memory that they point to,
// to standard error. For executables only.
void keychain_disable_crash_reports(void);

// Memory for long-lived keys: locked, left out of core dumps, zero in a forked child, wiped when freed. Many owners share
// a few small mappings, so that a small limit of locked memory goes far.
// Returns NULL when there is no memory, or for more than 16 KiB; *locked tells whether mlock(2) worked.
void *keychain_locked_allocate(size_t count, int *locked);
void keychain_locked_free(void *bytes, size_t count);

// Overwrites this much of the stack below the caller with zeros, or what there is, where a thread has a smaller stack.
void keychain_wipe_stack(size_t count);

// The fork gate. Work on a store happens between enter and leave; a fork waits a moment until nobody is inside, so that a
// child inherits no transaction under way. Where it waits in vain, it goes on, and the child is abandoned.
// Nobody waits for another process inside. A thread inside may neither enter again nor fork.
//
// A turn is what one thread at a time has, always together with the gate: whoever waits for one is not inside yet.
typedef struct keychain_turn keychain_turn;
keychain_turn *keychain_turn_make(void);
void keychain_turn_free(keychain_turn *turn);

// Turns are handed out to shares, such as the programs that a daemon serves: first to that which has the fewest of them, then
// to another than the one that had it last, then in the order of arrival. 0 is that of calls without a share.
//
// Enters, with all of these turns; waits for them until a time of CLOCK_MONOTONIC, NULL for as long as it takes.
// Returns 0, ETIMEDOUT, or ECANCELED in an abandoned child, in which nobody may enter.
int keychain_fork_gate_enter(keychain_turn *const *turns, size_t count, uint64_t share, const struct timespec *deadline);

// Enters with one of these turns, the first that is free, and tells which; leave with that one alone. The last free one is left
// to a share that has none of them, unless the share is 0.
int keychain_fork_gate_enter_one(keychain_turn *const *turns, size_t count, size_t *chosen, uint64_t share,
                                 const struct timespec *deadline);
// How many threads wait for one of these turns, or for all of them.
size_t keychain_fork_gate_waiting(keychain_turn *const *turns, size_t count);

void keychain_fork_gate_leave(keychain_turn *const *turns, size_t count);

// Whether this process, or an ancestor that it was forked from, was forked while a thread was inside the gate: it has the
// halves of what that thread did, and for ever.
int keychain_is_abandoned(void);

// Names the calling thread for whoever looks at the process (proc(5), comm): 15 bytes at most.
void keychain_name_thread(const char *name);

// Changes in every forked child.
uint64_t keychain_fork_generation(void);

// Sets what is done before every fork, while nobody is inside the gate.
void keychain_prepare_forks(void (*prepare)(void));

// Opens a file whose descriptor a forked child closes before anything else runs there; as open(2), which must not wait.
// It is closed by keychain_close_private, and only in the process that opened it.
int keychain_open_lock_file(const char *path, int flags, mode_t mode);
void keychain_close_private(int descriptor);

// Renames a file unless the new name is taken (renameat2(2)); 0 or errno: EEXIST, EINVAL where the file system cannot.
int keychain_rename_new(const char *from, const char *to);

// The magic number of the file system that a path leads to (statfs(2), f_type); 0 where it cannot be told.
uint32_t keychain_file_system(const char *path);

// The value of an environment variable; NULL in a program that runs with more rights than its caller (secure_getenv(3)).
const char *keychain_environment(const char *name);

// Memory that is a file without a name (memfd_create(2)), with these bytes and sealed: nobody can change it any more.
// Returns its descriptor, close-on-exec, -1 with errno set on failure. A high number, out of the way of scripts.
int keychain_sealed_memory(const void *bytes, size_t count);

// Reads the bytes of sealed memory of exactly this size, and of no other kind of file; 0, or -1 when it is not that.
int keychain_read_sealed_memory(int descriptor, void *bytes, size_t count);

// Closes the descriptor in programs that this one starts, from now on.
void keychain_close_on_exec(int descriptor);

// How many callers of this function, at most, can be reached by their frame pointers: code that was compiled without them uses
// the register for something else. Frames behind one of an asynchronous function count as reachable.
size_t keychain_walkable_frames(size_t most);

// The return addresses on the stack of this function, and the frame pointer at each, by the unwind tables that compilers write for
// exceptions: no frame pointers are needed. Returns how many there are. The callers of an asynchronous function of Swift are not
// on the stack.
size_t keychain_unwind_stack(uintptr_t *addresses, uintptr_t *frames, size_t most);

// The continuations of an asynchronous function of Swift by its frame pointer: where its callers go on. Returns how many there are.
size_t keychain_async_callers(uintptr_t frame, uintptr_t *addresses, size_t most);

// The name of the function that an address lies in, as it is mangled; NULL where it is not known. It is read from the table of
// symbols in the file of the program or library: in milliseconds, and without a line. Says whether the address is one of the
// program.
const char *keychain_function_name(uintptr_t address, int *is_in_program);

// Calls back with the mangled name of each function of the program whose name contains a part. It takes milliseconds.
void keychain_each_function(const char *part, void (*callback)(const char *name, void *context), void *context);

// Whether KeychainSimulation is linked.
int keychain_testing_is_linked(void);

// Has KeychainSimulation put what serves a call without a task-local context into the Swift optional at the address; only
// where it is linked.
void keychain_testing_find_context(void *context);

// Has the test that is running fail for a reason; 0 where KeychainTesting is not linked.
int keychain_testing_complain(const char *reason);

#endif
