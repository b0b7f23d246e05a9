// SPDX-License-Identifier: Apache-2.0
// Accounts, also in a program that has the C library linked in: getpwuid_r(3) loads the modules that nsswitch.conf(5)
// names there, which belong to another C library, and the program crashes.
#define _GNU_SOURCE
#include "include/CKeychainSupport.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/auxv.h>

// Whether no program interpreter has loaded this program (getauxval(3)).
static int is_static(void) { return getauxval(AT_BASE) == 0; }

static int search_file(const char *path, uid_t user, struct passwd *entry, char *buffer, size_t capacity) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return errno;
    struct passwd *found;
    int failure;
    while ((failure = fgetpwent_r(file, entry, buffer, capacity, &found)) == 0 && entry->pw_uid != user) continue;
    fclose(file);
    return failure;
}

int keychain_account(uid_t user, const char *file, char *buffer, size_t capacity, const char **name,
                     const char **home) {
    if (file == NULL && is_static()) file = "/etc/passwd";
    struct passwd entry, *found = &entry;
    int failure = file != NULL ? search_file(file, user, &entry, buffer, capacity)
                               : getpwuid_r(user, &entry, buffer, capacity, &found);
    if (failure != 0) return failure;
    if (found == NULL) return ENOENT;
    *name = entry.pw_name;
    *home = entry.pw_dir;
    return 0;
}
