// SPDX-License-Identifier: Apache-2.0
// What a fork has to do about the other parts of this module. The order is that of the fork handlers.
#ifndef KEYCHAIN_FORK_H
#define KEYCHAIN_FORK_H

// Locked memory.
void keychain_locked_before_fork(void);
void keychain_locked_in_parent(void);
void keychain_locked_in_child(void);

// Lock files, connections and watches: a child closes them.
void keychain_private_descriptors_before_fork(void);
void keychain_private_descriptors_in_parent(void);
void keychain_private_descriptors_in_child(void);

// A terminal whose echo is off: its settings stay the parent's business.
void keychain_terminal_in_child(void);

#endif
