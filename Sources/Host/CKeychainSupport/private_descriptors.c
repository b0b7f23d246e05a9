// SPDX-License-Identifier: Apache-2.0
// Descriptors that a forked child closes: of lock files, because flock(2) belongs to the open file, and of connections,
// which both processes would use. A child's copy would keep either open for as long as the child lives.
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "fork.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

// Held only for calls that do not wait, so that a fork does not wait either.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *descriptors;
static size_t descriptor_count;
static size_t capacity;

static int make_room(void) {
    if (descriptor_count < capacity) return 0;
    size_t larger = capacity == 0 ? 8 : 2 * capacity;
    int *moved = realloc(descriptors, larger * sizeof *moved);
    if (moved == NULL) return ENOMEM;
    descriptors = moved;
    capacity = larger;
    return 0;
}

// Takes what `call` opens into the list, in one step: a fork comes before or after.
#define open_privately(call)                                                                                           \
    pthread_mutex_lock(&mutex);                                                                                        \
    int error = make_room();                                                                                           \
    int descriptor = -1;                                                                                               \
    if (error == 0) {                                                                                                  \
        descriptor = (call);                                                                                           \
        error = errno;                                                                                                 \
        if (descriptor >= 0) descriptors[descriptor_count++] = descriptor;                                             \
    }                                                                                                                  \
    pthread_mutex_unlock(&mutex);                                                                                      \
    errno = error;                                                                                                     \
    return descriptor

int keychain_open_lock_file(const char *path, int flags, mode_t mode) { open_privately(open(path, flags, mode)); }

int keychain_open_private_socket(void) {
    open_privately(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

void keychain_close_private(int descriptor) {
    pthread_mutex_lock(&mutex);
    for (size_t index = 0; index < descriptor_count; index++) {
        if (descriptors[index] != descriptor) continue;
        descriptors[index] = descriptors[--descriptor_count];
        close(descriptor);
        break;
    }
    pthread_mutex_unlock(&mutex);
}

void keychain_private_descriptors_before_fork(void) { pthread_mutex_lock(&mutex); }

void keychain_private_descriptors_in_parent(void) { pthread_mutex_unlock(&mutex); }

void keychain_private_descriptors_in_child(void) {
    for (size_t index = 0; index < descriptor_count; index++) close(descriptors[index]);
    descriptor_count = 0;
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex = fresh;
}
