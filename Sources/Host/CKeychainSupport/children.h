// SPDX-License-Identifier: Apache-2.0
#ifndef KEYCHAIN_CHILDREN_H
#define KEYCHAIN_CHILDREN_H

#include <sys/types.h>

// A child process that shares the memory of this one, for a call that may never return. It ends with the thread that
// started it.
struct keychain_child {
    int (*run)(void *argument);
    void *argument;
    pid_t parent;
    char stack[1 << 14] __attribute__((aligned(16)));
};

// Starts a child whose `run` and `argument` are set; the value must outlive it. `flags` are additional flags of
// clone(2). Returns its process number, or -1.
pid_t keychain_child_start(struct keychain_child *child, int flags);

// Whether a child has ended.
int keychain_child_has_ended(pid_t child);

// Waits for the end of a child.
void keychain_child_await(pid_t child);

#endif
