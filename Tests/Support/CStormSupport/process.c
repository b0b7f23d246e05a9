// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

pid_t storm_fork(unsigned seconds) {
    pid_t process = fork();
    if (process == 0) alarm(seconds);
    return process;
}

int storm_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// The environment, in which Swift's runtime writes no report of a crash. Whoever calls this frees it.
static char **variables(void) {
    static const char name[] = "SWIFT_BACKTRACE=";
    size_t count = 0;
    while (environ[count] != NULL) count++;
    char **copy = calloc(count + 2, sizeof *copy);
    if (copy == NULL) return NULL;
    size_t kept = 0;
    for (size_t index = 0; index < count; index++)
        if (strncmp(environ[index], name, sizeof name - 1) != 0) copy[kept++] = environ[index];
    copy[kept] = "SWIFT_BACKTRACE=enable=no";
    return copy;
}

int storm_close_other_files(posix_spawn_file_actions_t *actions) {
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
    return 0;
#endif
}

int storm_spawn(char *const arguments[], pid_t *process, int *input, int *output) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) return errno;
    if (pipe2(out, O_CLOEXEC) != 0) {
        int failure = errno;
        close(in[0]);
        close(in[1]);
        return failure;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    storm_close_other_files(&actions);
    // The threads of a test block signals, and the program would inherit that.
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    // The program that writes a report outlives the one that is killed meanwhile, and holds the runner's output for ever.
    char **environment = variables();
    int status =
        environment == NULL ? ENOMEM : posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environment);
    free(environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    if (status != 0) {
        close(in[1]);
        close(out[0]);
        return status;
    }
    *input = in[1];
    *output = out[0];
    return 0;
}

int storm_wait(pid_t process, int milliseconds, int *status) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0) return errno;
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    int count;
    do count = poll(&ended, 1, milliseconds);
    while (count < 0 && errno == EINTR);
    close(descriptor);
    if (count == 0) return ETIMEDOUT;
    return waitpid(process, status, 0) == process ? 0 : errno;
}
