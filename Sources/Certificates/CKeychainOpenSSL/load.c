// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

keychain_openssl *keychain_openssl_load(const char *file, char *reason, size_t capacity) {
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
