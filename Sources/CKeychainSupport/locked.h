// SPDX-License-Identifier: Apache-2.0
// What a fork has to do about locked memory. The order is that of the fork handlers.
#ifndef KEYCHAIN_LOCKED_H
#define KEYCHAIN_LOCKED_H

void keychain_locked_before_fork(void);
void keychain_locked_in_parent(void);
void keychain_locked_in_child(void);

#endif
