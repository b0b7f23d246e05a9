// SPDX-License-Identifier: Apache-2.0
#ifndef KEYCHAIN_SPAWNING_H
#define KEYCHAIN_SPAWNING_H

#include <pthread.h>

// Held while a child has the descriptors of this process, before it executes a program.
extern pthread_mutex_t keychain_spawning;

#endif
