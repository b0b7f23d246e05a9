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

// Makes the calling process undumpable: no core file, no /proc/PID/mem for other processes of the same user. For
// executables only.
int keychain_disable_dumps(void);

// Makes the process exit without a report when it crashes: Swift's runtime would write registers, and memory that they
// point to, to standard error. For executables only.
void keychain_disable_crash_reports(void);

// Memory for long-lived keys: locked, left out of core dumps, zero in a forked child, wiped when freed. Many owners
// share a few small mappings, to stay within a small limit for locked memory. Returns NULL if there is no memory, or
// for more than 16 KiB; *locked reports whether mlock(2) succeeded.
void *keychain_locked_allocate(size_t count, int *locked);
void keychain_locked_free(void *bytes, size_t count);

// Overwrites this much of the stack below the caller with zeros, or all of it if a thread has a smaller stack.
void keychain_wipe_stack(size_t count);

// The name and the home folder of a user, in the buffer: by getpwuid_r(3), or from a file such as /etc/passwd, which a
// statically linked program reads alone. Returns 0 or an error number: ENOENT for a user without an account, ERANGE for
// a buffer that is too small.
int keychain_account(uid_t user, const char *file, char *buffer, size_t capacity, const char **name,
                     const char **home);

// The fork gate. Work on a store happens between enter and leave; a fork waits a moment until no thread is inside, so
// that a child inherits no transaction in progress. If the wait times out, the fork continues, and the child is
// abandoned. No thread waits for another process inside. A thread inside may neither enter again nor fork.
//
// A turn is held by one thread at a time, always together with the gate: a thread that waits for one is not inside yet.
typedef struct keychain_turn keychain_turn;
keychain_turn *keychain_turn_make(void);
void keychain_turn_free(keychain_turn *turn);

// Turns are assigned to shares, such as the programs that a daemon serves: first to the one that has the fewest of
// them, then to a different one than the last, then in the order of arrival. 0 is for calls without a share.
//
// Enters, with all of these turns; waits for them until a time of CLOCK_MONOTONIC, or without limit for NULL. Returns
// 0, ETIMEDOUT, or ECANCELED in an abandoned child, in which no thread may enter.
int keychain_fork_gate_enter(keychain_turn *const *turns, size_t count, uint64_t share, const struct timespec *deadline);

// Enters with one of these turns, the first that is free, and reports which; leave with that one alone. The last free
// one is reserved for a share that has none of them, unless the share is 0.
int keychain_fork_gate_enter_one(keychain_turn *const *turns, size_t count, size_t *chosen, uint64_t share,
                                 const struct timespec *deadline);
// How many threads wait for one of these turns, or for all of them.
size_t keychain_fork_gate_waiting(keychain_turn *const *turns, size_t count);

void keychain_fork_gate_leave(keychain_turn *const *turns, size_t count);

// Whether this process, or an ancestor from which it was forked, was forked while a thread was inside the gate: then it
// permanently has the incomplete work of that thread.
int keychain_is_abandoned(void);

// Sets the name of the calling thread (proc(5), comm): 15 bytes at most.
void keychain_name_thread(const char *name);

// Changes in every forked child.
uint64_t keychain_fork_generation(void);

// Sets the function to call before every fork, while no thread is inside the gate.
void keychain_prepare_forks(void (*prepare)(void));

// Opens a file whose descriptor a forked child closes before anything else runs there; as open(2), which must not
// block. Close it with keychain_close_private, in the process that opened it.
int keychain_open_lock_file(const char *path, int flags, mode_t mode);

// The same for a watch of folders (inotify(7)).
int keychain_open_private_watch(void);

// The serial number, from 1 on, of the opening of a descriptor that a forked child closes. 0 if it was closed, also
// behind the library's back: the number may then be that of a file of the program, which must not be used or closed.
uint64_t keychain_private_serial(int descriptor);

// Whether a descriptor is still that of the opening with this serial number; false for 0, which is that of a
// descriptor that was closed before its number was asked for.
bool keychain_is_private_opening(int descriptor, uint64_t serial);

// Closes the descriptor if it is still the file that was opened.
void keychain_close_private(int descriptor);

// Renames a file unless the new name is taken (renameat2(2)); 0 or errno: EEXIST, EINVAL if the file system does not
// support it.
int keychain_rename_new(const char *from, const char *to);

// The magic number of the file system of a path (statfs(2), f_type); 0 if it is unknown.
uint32_t keychain_file_system(const char *path);

// The value of an environment variable; NULL in a program that runs with more privileges than its caller
// (secure_getenv(3)).
const char *keychain_environment(const char *name);

// A sealed, unnamed memory file (memfd_create(2)) with these bytes, which can no longer be changed. Returns its
// descriptor, close-on-exec, -1 with errno set on failure. It is a high number, which does not conflict with those of
// scripts.
int keychain_sealed_memory(const void *bytes, size_t count);

// Reads the bytes of sealed memory of exactly this size, and of no other kind of file; 0, or -1 if it is anything else.
int keychain_read_sealed_memory(int descriptor, void *bytes, size_t count);

// Closes the descriptor in programs that this one starts, from now on.
void keychain_close_on_exec(int descriptor);

// Becomes a program that is searched for in PATH, with another environment (execvpe(3)). Returns errno if it cannot.
int keychain_execute(const char *program, char *const *arguments, char *const *environment);

// The maximum number of callers of this function that are reachable by their frame pointers: code that was compiled
// without them uses the register for something else. Frames behind one of an asynchronous function count as reachable.
size_t keychain_walkable_frames(size_t most);

// The return addresses on the stack of this function, and the frame pointer at each, from the unwind tables that
// compilers write for exceptions: no frame pointers are needed. Returns their number. The callers of an asynchronous
// Swift function are not on the stack.
size_t keychain_unwind_stack(uintptr_t *addresses, uintptr_t *frames, size_t most);

// The continuations of an asynchronous Swift function from its frame pointer: where its callers resume. Returns their
// number.
size_t keychain_async_callers(uintptr_t frame, uintptr_t *addresses, size_t most);

// The mangled name of the function that contains an address; NULL if it is unknown. It is read from the symbol table in
// the file of the program or library, which takes milliseconds, and has no line. Also reports whether the address is in
// the program.
const char *keychain_function_name(uintptr_t address, int *is_in_program);

// Calls back with the mangled name of each function of the program whose name contains a string. It takes milliseconds.
void keychain_each_function(const char *part, void (*callback)(const char *name, void *context), void *context);

// The identity in a note of the program, whose length is returned: also one that is larger than the room for it, of which
// nothing is copied. -1 if there is no such note.
int keychain_program_identity(char *identity, size_t capacity);

// Whether KeychainSimulation is linked.
int keychain_testing_is_linked(void);

// If KeychainSimulation is linked, makes it store the object that serves calls without a task-local context in the
// Swift optional at the address.
void keychain_testing_find_context(void *context);

// Records a failure of the running test with a reason; 0 if KeychainTesting is not linked.
int keychain_testing_complain(const char *reason);

#endif
