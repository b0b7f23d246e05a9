// SPDX-License-Identifier: Apache-2.0
// For the library that Scripts/install creates, for packages that were written for Apple's platforms: prints one line
// in a test program that uses Bundle.main if its bundleIdentifier is going to be nil. Such packages often force-unwrap
// it, before any other code runs. A program that is linked with this package by its manifest uses Bundle.main by that
// alone, and gets no line.
#ifdef SWIFT_KEYCHAIN_INSTALLATION
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hint[] =
    "swift-keychain: Bundle.main.bundleIdentifier is nil in these tests; 'keychainctl bundle-identifier set com.example.app' "
    "gives them one, and 'keychainctl test' does (SWIFT_KEYCHAIN_HINTS=off: no hints)\n";

// The paths where Foundation looks for the property list of a main bundle.
static const char *const lists[] = {"Info.plist", "Contents/Info.plist", "Resources/Info.plist"};

// The getter of Bundle.main. That of bundleIdentifier is called without its name.
static const char getter[] = "$s10Foundation6BundleC4mainACvgZ";

// Sets the flag if the program names the getter, which is a symbol of a library to it.
static int look_for_getter(struct dl_phdr_info *info, size_t size, void *is_named) {
    (void)size;
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    uintptr_t names = 0;
    size_t length = 0;
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRSZ) length = entry->d_un.d_val;
    }
    // The loader has added the path of the program; not on every architecture.
    if (names != 0 && names < info->dlpi_addr) names += info->dlpi_addr;
    if (names != 0) *(int *)is_named = memmem((const void *)names, length, getter, sizeof getter) != NULL;
    // The program is the first of all.
    return 1;
}

// A program that is asked to list its tests runs none.
static int lists_tests(int count, char **arguments) {
    static const char *const options[] = {"--list-tests", "-l", "--dump-tests-json"};
    for (int i = 1; i < count; i++) {
        for (size_t j = 0; j < sizeof options / sizeof *options; j++) {
            if (strcmp(arguments[i], options[j]) == 0) return 1;
        }
    }
    return 0;
}

// glibc passes the arguments of the program on to constructors.
__attribute__((constructor)) static void hint_at_bundle_identifier(int count, char **arguments) {
    const char *setting = getenv("SWIFT_KEYCHAIN_HINTS");
    if (setting != NULL && strcmp(setting, "off") == 0) return;
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    const char *suffix = strrchr(path, '.');
    char *name = strrchr(path, '/');
    if (suffix == NULL || name == NULL || strcmp(suffix, ".xctest") != 0 || lists_tests(count, arguments)) return;
    *name = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char list[PATH_MAX + 32];
        snprintf(list, sizeof list, "%s/%s", path, lists[i]);
        if (access(list, F_OK) == 0) return;
    }
    int is_named = 0;
    dl_iterate_phdr(look_for_getter, &is_named);
    if (!is_named) return;
    ssize_t written = write(STDERR_FILENO, hint, sizeof hint - 1);
    (void)written;
}
#else
typedef int keychain_not_installed;
#endif
