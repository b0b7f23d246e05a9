// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "spawning.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

pthread_mutex_t keychain_spawning = PTHREAD_MUTEX_INITIALIZER;

// Files that the program left open for its children are not meant for this one.
static int close_rest(posix_spawn_file_actions_t *actions) {
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
    int error = 0;
    for (int file = STDERR_FILENO + 1; file < 1024 && !error; file++)
        error = posix_spawn_file_actions_addclose(actions, file);
    return error;
#endif
}

int keychain_pipe(int *ends) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int keychain_execute(const char *program, char *const *arguments, char *const *environment) {
    execvpe(program, arguments, environment);
    return errno;
}

int keychain_spawn(const char *path, char *const *arguments, char *const *environment, int *socket, pid_t *child) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawnattr_init(&attributes);
        if (error == 0) {
            if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
            if (!error) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
            if (!error) error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
            if (!error) error = close_rest(&actions);
            if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
            if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
            if (!error)
                error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
            if (!error) {
                pthread_mutex_lock(&keychain_spawning);
                error = posix_spawn(child, path, &actions, &attributes, arguments, environment);
                pthread_mutex_unlock(&keychain_spawning);
            }
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error == 0) *socket = ends[0]; else close(ends[0]);
    return error;
}
