// SPDX-License-Identifier: Apache-2.0
// In the library that Scripts/install makes, for packages that were written for Apple's platforms: under a test runner, one
// line when Bundle.main.bundleIdentifier is going to be nil. Such packages often unwrap it by force, before any other code runs.
#ifdef SWIFT_KEYCHAIN_INSTALLATION
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hint[] =
    "swift-keychain: Bundle.main.bundleIdentifier is nil in these tests; 'keychainctl bundle-identifier set' gives them one, "
    "and 'keychainctl test' does (SWIFT_KEYCHAIN_HINTS=off: no hints)\n";

// Where Foundation looks for the property list of a main bundle.
static const char *const lists[] = {"Info.plist", "Contents/Info.plist", "Resources/Info.plist"};

__attribute__((constructor)) static void hint_at_bundle_identifier(void) {
    const char *setting = getenv("SWIFT_KEYCHAIN_HINTS");
    if (setting != NULL && strcmp(setting, "off") == 0) return;
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    const char *suffix = strrchr(path, '.');
    char *name = strrchr(path, '/');
    if (suffix == NULL || name == NULL || strcmp(suffix, ".xctest") != 0) return;
    *name = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char list[PATH_MAX + 32];
        snprintf(list, sizeof list, "%s/%s", path, lists[i]);
        if (access(list, F_OK) == 0) return;
    }
    ssize_t written = write(STDERR_FILENO, hint, sizeof hint - 1);
    (void)written;
}
#else
typedef int keychain_not_installed;
#endif
