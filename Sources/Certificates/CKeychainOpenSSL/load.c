// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "libcrypto.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

// Whether a program has no dynamic loader (PT_INTERP, elf(5)): it contains the C library.
static int has_no_loader(struct dl_phdr_info *program, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int index = 0; index < program->dlpi_phnum; index += 1) {
        if (program->dlpi_phdr[index].p_type == PT_INTERP) return -1;
    }
    return 1;
}

// The first object is the program.
int keychain_program_is_static(void) { return dl_iterate_phdr(has_no_loader, NULL) == 1; }

keychain_openssl *keychain_openssl_load(const char *file, char *reason, size_t capacity) {
    if (keychain_program_is_static()) {
        snprintf(reason, capacity, "this program is linked statically, and loads no libraries");
        return NULL;
    }
    // It stays loaded, whatever follows: libcrypto has work to do when the process ends.
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *error = dlerror();
        snprintf(reason, capacity, "%s", error != NULL ? error : "it cannot be loaded");
        return NULL;
    }
    const char *missing = NULL;
    keychain_openssl *openssl = calloc(1, sizeof *openssl);
    if (openssl == NULL) {
        snprintf(reason, capacity, "memory is short");
        return NULL;
    }
#define FIND(name)                                             \
    openssl->name = (__typeof__(name) *)dlsym(library, #name); \
    if (openssl->name == NULL) missing = #name;
    LIBCRYPTO_FUNCTIONS(FIND)
#undef FIND
    if (missing != NULL) {
        snprintf(reason, capacity, "it has no %s", missing);
    } else if ((openssl->context = openssl->OSSL_LIB_CTX_new()) == NULL) {
        snprintf(reason, capacity, "OSSL_LIB_CTX_new fails");
    } else {
        return openssl;
    }
    free(openssl);
    return NULL;
}
