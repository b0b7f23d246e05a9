// SPDX-License-Identifier: Apache-2.0
// What a trace of calls needs: a flag that costs a call and a load, and the stack.
#ifndef CKEYCHAIN_TRACE_H
#define CKEYCHAIN_TRACE_H

#include <stddef.h>
#include <stdint.h>

// Whether calls are traced: 0 for no; for any other value, the reader has to check further.
int keychain_is_traced(void);
void keychain_set_traced(int state);

// The return addresses of the calling function and its callers, as far as frame pointers lead; returns their number.
size_t keychain_return_addresses(uintptr_t *addresses, size_t most);

// The file from which an address was loaded, and the address of its first byte; 0 if it is known.
int keychain_image_of(uintptr_t address, const char **path, uintptr_t *base);

#endif
