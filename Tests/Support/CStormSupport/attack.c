// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int outcome(long result) { return result < 0 ? errno : 0; }

static int attempt_open(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    int failure = outcome(descriptor);
    if (descriptor >= 0) close(descriptor);
    return failure;
}

int storm_attack(uid_t user, pid_t process, const char *file, struct storm_attack_outcomes *outcomes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        struct storm_attack_outcomes found = {0};
        if (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0) _exit(1);
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/mem", process);
        found.file = attempt_open(file);
        found.memory = attempt_open(path);
        snprintf(path, sizeof path, "/proc/%d/maps", process);
        found.mappings = attempt_open(path);
        snprintf(path, sizeof path, "/proc/%d/fd/3", process);
        found.descriptor = attempt_open(path);
        char byte;
        struct iovec here = {.iov_base = &byte, .iov_len = 1}, there = {.iov_base = (void *)&errno, .iov_len = 1};
        found.reading = outcome(process_vm_readv(process, &here, 1, &there, 1, 0));
        found.tracing = outcome(ptrace(PTRACE_SEIZE, process, 0, 0));
        found.stealing = outcome(syscall(SYS_pidfd_getfd, (int)syscall(SYS_pidfd_open, process, 0), 3, 0));
        found.killing = outcome(kill(process, 0));
        _exit(write(ends[1], &found, sizeof found) != sizeof found);
    }
    close(ends[1]);
    ssize_t count = read(ends[0], outcomes, sizeof *outcomes);
    close(ends[0]);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return count == sizeof *outcomes && status == 0 ? 0 : EPROTO;
}
