// SPDX-License-Identifier: Apache-2.0
#include "CKeychainSupport.h"

// KeychainSimulation defines this if it is linked.
void swift_keychain_testing_context(void *context) __attribute__((weak));

// KeychainTesting defines this if it is linked.
void swift_keychain_testing_complaint(const char *reason) __attribute__((weak));

int keychain_testing_is_linked(void) { return swift_keychain_testing_context != 0; }

void keychain_testing_find_context(void *context) { swift_keychain_testing_context(context); }

int keychain_testing_complain(const char *reason) {
    if (swift_keychain_testing_complaint == 0) return 0;
    swift_keychain_testing_complaint(reason);
    return 1;
}
