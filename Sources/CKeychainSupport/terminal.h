// SPDX-License-Identifier: Apache-2.0
// What a fork has to do about a terminal whose echo is off: its settings stay the parent's business.
#ifndef KEYCHAIN_TERMINAL_H
#define KEYCHAIN_TERMINAL_H

void keychain_terminal_in_child(void);

#endif
