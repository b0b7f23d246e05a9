// SPDX-License-Identifier: Apache-2.0
// Accounts, also in a program that has the C library linked in: getpwuid_r(3) loads the modules that nsswitch.conf(5)
// names there, which belong to another C library, and the program crashes.
#define _GNU_SOURCE
#include "include/CKeychainSupport.h"

#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>

// Whether no program interpreter has loaded this program (getauxval(3)).
static int is_static(void) { return getauxval(AT_BASE) == 0; }

int keychain_user_in_file(const char *path, uid_t user, struct passwd *entry, char *buffer, size_t capacity,
                          struct passwd **found) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return errno;
    int failure;
    while ((failure = fgetpwent_r(file, entry, buffer, capacity, found)) == 0 && entry->pw_uid != user) continue;
    fclose(file);
    if (failure != 0) *found = NULL;
    return failure;
}

int keychain_user(uid_t user, struct passwd *entry, char *buffer, size_t capacity, struct passwd **found) {
    if (is_static()) return keychain_user_in_file("/etc/passwd", user, entry, buffer, capacity, found);
    return getpwuid_r(user, entry, buffer, capacity, found);
}
