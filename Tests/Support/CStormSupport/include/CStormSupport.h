// SPDX-License-Identifier: Apache-2.0
// What the process tests and their helper need and Swift on Linux cannot reach: fork, prctl, close-on-exec pipes.
#ifndef CSTORM_SUPPORT_H
#define CSTORM_SUPPORT_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// fork(2). The child is killed by SIGALRM after so many seconds, so that a deadlock there ends and shows.
pid_t storm_fork(unsigned seconds);

// Whether this process is dumpable (PR_GET_DUMPABLE).
int storm_is_dumpable(void);

// Has a program that is about to be started inherit its standard streams only, after all other actions: it would otherwise hold
// open for as long as it runs what another test has just opened, such as the end of a pipe.
int storm_close_other_files(posix_spawn_file_actions_t *actions);

// Starts a program with pipes at its standard input and output, which no other child inherits; Swift's runtime writes no report
// when it crashes.
// Returns 0 or an errno. The arguments end with NULL.
int storm_spawn(char *const arguments[], pid_t *process, int *input, int *output);

// Waits for a child to end and reaps it. Returns 0, ETIMEDOUT or another errno; *status is that of waitpid(2).
int storm_wait(pid_t process, int milliseconds, int *status);

// The distinctive bytes of a memory search: computed, so that looking for them leaves no copy.
enum { storm_pattern_count = 64, storm_fragment_count = 16 };
void storm_fill_pattern(uint8_t *bytes);

// How often an aligned-by-16 fragment of the pattern lies in the readable memory of this process.
// Up to capacity addresses of finds are noted.
size_t storm_find_pattern(uintptr_t *addresses, size_t capacity);

// Bytes to look for, and how often they were found.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    size_t found;
} storm_needle;

// Looks for whole needles, of at least two bytes each, in the readable memory of another process that stands still, or only
// in what is left out of its core dumps (madvise(2), MADV_DONTDUMP).
// Returns how many bytes were looked at, or 0 with errno.
size_t storm_search_process(pid_t process, int undumpable_only, storm_needle *needles, size_t needle_count);

// Runs a function on a thread that has these bytes, whole pages, as its stack, and waits for its end. Returns 0 or an errno.
int storm_run_on_stack(void *stack, size_t size, void (*function)(void *context), void *context);

// Runs a function on a thread that has a mount namespace of its own, from which nothing is passed on, and waits for its end.
// Only root may. Returns 0 or an errno.
int storm_run_with_own_mounts(void (*function)(void *context), void *context);

// Runs a function on this thread, but on a stack of these bytes, as a coroutine. Returns 0 or an errno.
int storm_run_as_coroutine(void *stack, size_t size, void (*function)(void));

// Calls a function as code does that was compiled without frame pointers and keeps something else in their register.
void storm_call_without_frame_pointer(void (*function)(void));

// What a process of a user gets of another process and of a file: 0, or the number of the error.
struct storm_attack_outcomes {
    int file, memory, mappings, descriptor, reading, tracing, stealing, killing;
};

// Has a child try that as a user, who must be another one than root; 0 or an error number.
int storm_attack(uid_t user, pid_t process, const char *file, struct storm_attack_outcomes *outcomes);

#endif
