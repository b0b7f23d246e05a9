// SPDX-License-Identifier: Apache-2.0
#include "CKeychainSupport.h"

// Not inlined: the frame of the caller stays as it is.
__attribute__((noinline)) void keychain_wipe_stack(size_t count) {
    unsigned char below[count];
    keychain_wipe(below, count);
}
