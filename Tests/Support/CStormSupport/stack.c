// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CStormSupport.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

typedef struct {
    void (*function)(void *context);
    void *context;
} call;

static void *run(void *argument) {
    call *call = argument;
    call->function(call->context);
    return NULL;
}

int storm_run_on_stack(void *stack, size_t size, void (*function)(void *context), void *context) {
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure != 0) return failure;
    failure = pthread_attr_setstack(&attributes, stack, size);
    pthread_t thread;
    call call = {function, context};
    if (failure == 0) failure = pthread_create(&thread, &attributes, run, &call);
    pthread_attr_destroy(&attributes);
    return failure == 0 ? pthread_join(thread, NULL) : failure;
}

int storm_run_as_coroutine(void *stack, size_t size, void (*function)(void)) {
    ucontext_t caller, callee;
    if (getcontext(&callee) != 0) return errno;
    callee.uc_stack.ss_sp = stack;
    callee.uc_stack.ss_size = size;
    callee.uc_link = &caller;
    makecontext(&callee, function, 0);
    return swapcontext(&caller, &callee) == 0 ? 0 : errno;
}
