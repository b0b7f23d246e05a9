// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainDaemon.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The descriptor for reporting the outcome; -1 in a process that is not in the background.
static int report = -1;

// Passes on what the process in the background reports: its status as one byte, and a message.
static _Noreturn void wait_for_report(int reports, pid_t child) {
    unsigned char status = EXIT_FAILURE;
    ssize_t got;
    while ((got = read(reports, &status, 1)) < 0 && errno == EINTR) {}
    char message[1024];
    while ((got = read(reports, message, sizeof message)) != 0) {
        if (got < 0 && errno != EINTR) break;
        for (ssize_t sent = 0; got > 0 && sent < got;) {
            ssize_t count = write(STDOUT_FILENO, message + sent, (size_t)(got - sent));
            if (count < 0 && errno != EINTR) break;
            if (count > 0) sent += count;
        }
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    _exit(status);
}

// The descriptors that the parent process left open are not meant for this one, except for two.
static void close_others(int kept, int passed) {
#ifdef SYS_close_range
    int first = passed > STDERR_FILENO && passed < kept ? passed : kept;
    int last = passed > kept ? passed : kept;
    if (first > STDERR_FILENO + 1) syscall(SYS_close_range, STDERR_FILENO + 1, first - 1, 0);
    if (last > first + 1) syscall(SYS_close_range, first + 1, last - 1, 0);
    if (syscall(SYS_close_range, last + 1, ~0U, 0) == 0) return;
#endif
    for (int file = STDERR_FILENO + 1; file < 1024; file++)
        if (file != kept && file != passed) close(file);
}

// Contains the descriptor of the report for the program after execve(2).
static const char *const report_variable = "SWIFT_KEYCHAIND_REPORT";

// Adopts the report from the process that executed this program again.
static int take_report(void) {
    const char *text = getenv(report_variable);
    if (text == NULL) return -1;
    char *end = NULL;
    long number = strtol(text, &end, 10);
    int is_number = end != text && *end == 0 && number > STDERR_FILENO && number < 1 << 20;
    unsetenv(report_variable);
    if (!is_number || fcntl((int)number, F_SETFD, FD_CLOEXEC) != 0) return -1;
    return (int)number;
}

// Executes this program again with the same arguments. The Swift runtime records the number of each thread for its
// locks, which changes after a fork: two threads that contend for such a lock would deadlock.
static void execute_again(int kept) {
    char number[16];
    snprintf(number, sizeof number, "%d", kept);
    if (setenv(report_variable, number, 1) != 0 || fcntl(kept, F_SETFD, 0) != 0) return;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    static char text[1 << 17];
    size_t length = 0;
    for (ssize_t got; length < sizeof text - 1; length += (size_t)got) {
        got = read(file, text + length, sizeof text - 1 - length);
        if (got < 0 && errno == EINTR) got = 0;
        else if (got <= 0) break;
    }
    close(file);
    static char *words[1 << 10];
    size_t count = 0;
    for (size_t start = 0; start < length && count < sizeof words / sizeof *words - 1; start += strlen(text + start) + 1)
        words[count++] = text + start;
    if (count > 0) execv("/proc/self/exe", words);
}

int keychain_go_to_background(int passed) {
    report = take_report();
    if (report >= 0) {
        // The kernel took the name from /proc/self/exe; ps(1), pgrep(1) and killall(1) search for that of the program.
        prctl(PR_SET_NAME, program_invocation_short_name);
        return 0;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    if (child > 0) {
        close(ends[1]);
        wait_for_report(ends[0], child);
    }
    close(ends[0]);
    // The second fork leaves a process that leads no session, and so gets no terminal by opening one.
    if (setsid() < 0) _exit(EXIT_FAILURE);
    pid_t grandchild = fork();
    if (grandchild < 0) _exit(EXIT_FAILURE);
    if (grandchild > 0) _exit(EXIT_SUCCESS);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) _exit(EXIT_FAILURE);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (stream != passed && dup2(null, stream) < 0) _exit(EXIT_FAILURE);
    close_others(ends[1], passed);
    execute_again(ends[1]);
    // The parent, which receives nothing, reports the failure.
    _exit(EXIT_FAILURE);
}

void keychain_background_report(int status, const char *message) {
    if (report < 0) return;
    unsigned char byte = (unsigned char)status;
    if (write(report, &byte, 1) == 1) {
        ssize_t ignored = write(report, message, strlen(message));
        (void)ignored;
    }
    close(report);
    report = -1;
}

int keychain_disable_core_files(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : errno;
}

static const rlim_t usual_stack = 8 << 20;

void keychain_lift_limits(void) {
    // Otherwise the C library keeps blocks of up to 32 MiB for each thread once such were freed, instead of giving them
    // back to the system.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    const int kinds[] = {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_AS, RLIMIT_NPROC, RLIMIT_MEMLOCK};
    struct rlimit limit;
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        if (getrlimit(kinds[index], &limit) != 0 || limit.rlim_cur == limit.rlim_max) continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(kinds[index], &limit);
    }
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= usual_stack) return;
    limit.rlim_cur = limit.rlim_max < usual_stack ? limit.rlim_max : usual_stack;
    if (setrlimit(RLIMIT_STACK, &limit) != 0) return;
    // The C library has read the limit for the stacks of threads already.
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, limit.rlim_cur) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}
