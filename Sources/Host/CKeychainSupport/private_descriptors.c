// SPDX-License-Identifier: Apache-2.0
// Descriptors that a forked child closes: of lock files, because flock(2) belongs to the open file, of connections and
// of watches, which both processes would use. A child's copy would keep either open for as long as the child lives.
//
// A program may close all descriptors, as it does to become a daemon, and open other files under the same numbers. So
// each is compared with the file that was opened before it is used or closed.
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "fork.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct {
    int descriptor;
    // The signal that the open file has (F_SETSIG), which is never sent.
    int mark;
    uint64_t serial;
    dev_t device;
    ino_t inode;
} opening;

// Held only for calls that do not wait, so that a fork does not wait either.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static opening *openings;
static size_t opening_count;
static size_t capacity;
static uint64_t last_serial;

static int make_room(void) {
    if (opening_count < capacity) return 0;
    size_t larger = capacity == 0 ? 8 : 2 * capacity;
    opening *moved = realloc(openings, larger * sizeof *moved);
    if (moved == NULL) return ENOMEM;
    openings = moved;
    capacity = larger;
    return 0;
}

// Which file a descriptor is open on; false with errno set if that is unknown.
static bool identify(int descriptor, opening *identified) {
    // A file system that does not respond is not asked.
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) == 0) {
        identified->device = makedev(status.stx_dev_major, status.stx_dev_minor);
        identified->inode = status.stx_ino;
    } else {
        // Not every filter of system calls permits the other one.
        struct stat older;
        if (errno == EBADF || fstat(descriptor, &older) != 0) return false;
        identified->device = older.st_dev;
        identified->inode = older.st_ino;
    }
    int mark = fcntl(descriptor, F_GETSIG);
    identified->mark = mark < 0 ? 0 : mark;
    return true;
}

static bool is_unchanged(const opening *known) {
    opening now;
    return identify(known->descriptor, &now) && now.device == known->device && now.inode == known->inode &&
           now.mark == known->mark;
}

// The place in the list of a descriptor that is still what was opened; otherwise `opening_count`.
static size_t find(int descriptor) {
    for (size_t index = 0; index < opening_count; index++) {
        if (openings[index].descriptor != descriptor) continue;
        if (is_unchanged(&openings[index])) return index;
        openings[index] = openings[--opening_count];
        break;
    }
    return opening_count;
}

// Adds a descriptor that was just opened: what had its number before was closed.
static int add(int descriptor) {
    opening added = {.descriptor = descriptor, .serial = ++last_serial};
    if (!identify(descriptor, &added)) return errno;
    size_t index = 0;
    while (index < opening_count && openings[index].descriptor != descriptor) index++;
    if (index == opening_count) opening_count++;
    openings[index] = added;
    return 0;
}

// Takes what `call` opens into the list, in one step: a fork comes before or after.
#define open_privately(call)                                                                                           \
    pthread_mutex_lock(&mutex);                                                                                        \
    int error = make_room();                                                                                           \
    int descriptor = -1;                                                                                               \
    if (error == 0) {                                                                                                  \
        descriptor = (call);                                                                                           \
        error = descriptor >= 0 ? add(descriptor) : errno;                                                             \
        if (descriptor >= 0 && error != 0) {                                                                           \
            close(descriptor);                                                                                         \
            descriptor = -1;                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    pthread_mutex_unlock(&mutex);                                                                                      \
    errno = error;                                                                                                     \
    return descriptor

int keychain_open_lock_file(const char *path, int flags, mode_t mode) { open_privately(open(path, flags, mode)); }

int keychain_open_private_socket(void) {
    open_privately(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static int make_watch(void) {
    int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    // All watches have the same inode. The signal would be sent only with O_ASYNC; no program sets this one.
    if (descriptor >= 0) fcntl(descriptor, F_SETSIG, SIGSYS);
    return descriptor;
}

int keychain_open_private_watch(void) { open_privately(make_watch()); }

uint64_t keychain_private_serial(int descriptor) {
    pthread_mutex_lock(&mutex);
    size_t index = find(descriptor);
    uint64_t serial = index < opening_count ? openings[index].serial : 0;
    pthread_mutex_unlock(&mutex);
    return serial;
}

bool keychain_is_private_opening(int descriptor, uint64_t serial) {
    return serial != 0 && keychain_private_serial(descriptor) == serial;
}

void keychain_close_private(int descriptor) {
    pthread_mutex_lock(&mutex);
    size_t index = find(descriptor);
    if (index < opening_count) {
        openings[index] = openings[--opening_count];
        close(descriptor);
    }
    pthread_mutex_unlock(&mutex);
}

void keychain_private_descriptors_before_fork(void) { pthread_mutex_lock(&mutex); }

void keychain_private_descriptors_in_parent(void) { pthread_mutex_unlock(&mutex); }

void keychain_private_descriptors_in_child(void) {
    for (size_t index = 0; index < opening_count; index++)
        if (is_unchanged(&openings[index])) close(openings[index].descriptor);
    opening_count = 0;
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    mutex = fresh;
}
