// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

void keychain_wipe(void *bytes, size_t count) {
    if (bytes != NULL && count > 0) explicit_bzero(bytes, count);
}

int keychain_random(void *bytes, size_t count) {
    for (size_t filled = 0; filled < count;) {
        ssize_t got = getrandom((unsigned char *)bytes + filled, count - filled, 0);
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) filled += (size_t)got;
    }
    return 0;
}

int keychain_disable_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

void keychain_disable_crash_reports(void) {
    static const int signals[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) {
        struct sigaction action;
        if (sigaction(signals[index], NULL, &action) != 0) continue;
        if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = SIG_DFL};
        sigaction(signals[index], &action, NULL);
    }
}

int keychain_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

void keychain_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

const char *keychain_environment(const char *name) { return secure_getenv(name); }

uint32_t keychain_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (uint32_t)status.f_type : 0;
}
