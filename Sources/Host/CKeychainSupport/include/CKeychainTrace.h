// SPDX-License-Identifier: Apache-2.0
// What a trace of calls needs: a flag that costs a call and a load, and the stack.
#ifndef CKEYCHAIN_TRACE_H
#define CKEYCHAIN_TRACE_H

#include <stddef.h>
#include <stdint.h>

// Whether calls are traced: 0 for no; anything else has whoever reads it look closer.
int keychain_is_traced(void);
void keychain_set_traced(int state);

// The return addresses of the calling function and its callers, as far as frame pointers lead; how many there are.
size_t keychain_return_addresses(uintptr_t *addresses, size_t most);

// The file that an address was loaded from, and where its first byte lies; 0 when it is known.
int keychain_image_of(uintptr_t address, const char **path, uintptr_t *base);

#endif
