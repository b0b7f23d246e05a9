// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin(void *argument) {
    struct keychain_child *child = argument;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    return getppid() == child->parent ? child->run(child->argument) : 0;
}

pid_t keychain_child_start(struct keychain_child *child, int flags) {
    sigset_t all, before;
    sigfillset(&all);
    child->parent = getpid();
    // It must not run this process's handlers.
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t number = clone(begin, child->stack + sizeof child->stack, CLONE_VM | flags, child);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

int keychain_child_has_ended(pid_t child) { return waitpid(child, NULL, __WALL | WNOHANG) != 0; }

void keychain_child_await(pid_t child) {
    // It has the errno of the thread that started it.
    while (waitpid(child, NULL, __WALL) < 0 && errno != ECHILD) {}
}
