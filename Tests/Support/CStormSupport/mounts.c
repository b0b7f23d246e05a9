// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mount.h>

typedef struct {
    void (*function)(void *context);
    void *context;
} call;

static void *run(void *argument) {
    call *call = argument;
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0) return (void *)(intptr_t)errno;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return (void *)(intptr_t)errno;
    call->function(call->context);
    return NULL;
}

int storm_run_with_own_mounts(void (*function)(void *context), void *context) {
    pthread_t thread;
    call call = {function, context};
    int failure = pthread_create(&thread, NULL, run, &call);
    if (failure != 0) return failure;
    void *result;
    failure = pthread_join(thread, &result);
    return failure != 0 ? failure : (int)(intptr_t)result;
}
