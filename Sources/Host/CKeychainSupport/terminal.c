// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"
#include "fork.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { signal_count = sizeof signals / sizeof *signals };

// The hidden terminal. A thread that changes it or the terminal holds the lock, with all signals blocked, so that a
// handler that waits for the lock never waits for its own thread.
static struct {
    atomic_flag lock;
    pid_t process;
    int is_hidden;
    int terminal, event;
    struct termios shown, hidden;
    struct sigaction before[signal_count];
} state = {.lock = ATOMIC_FLAG_INIT};

static void lock(sigset_t *mask) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, mask);
    while (atomic_flag_test_and_set_explicit(&state.lock, memory_order_acquire)) {}
}

static void unlock(const sigset_t *mask) {
    atomic_flag_clear_explicit(&state.lock, memory_order_release);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

int keychain_terminal_is_ours(int terminal) {
    pid_t foreground = tcgetpgrp(terminal);
    return foreground < 0 ? errno == ENOTTY : foreground == getpgrp();
}

static void handle(int number, siginfo_t *information, void *context);

static void install(int number) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void install_all(void) {
    for (int index = 0; index < signal_count; index++) {
        sigaction(signals[index], NULL, &state.before[index]);
        // A signal that is ignored stays so, as for a program under nohup(1).
        if (state.before[index].sa_handler != SIG_IGN) install(signals[index]);
    }
}

static void uninstall(void) {
    for (int index = 0; index < signal_count; index++) {
        struct sigaction now;
        sigaction(signals[index], NULL, &now);
        // One that the program set meanwhile is the program's.
        if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle)
            sigaction(signals[index], &state.before[index], NULL);
    }
}

// Does what the signal would have done, with the terminal as it was.
static void pass_on(int number, siginfo_t *information, void *context, const struct sigaction *before) {
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, information, context);
    } else if (before->sa_handler == SIG_DFL) {
        sigset_t mask, only;
        sigemptyset(&only);
        sigaddset(&only, number);
        sigaction(number, before, NULL);
        raise(number);
        // Here the process ends or stops.
        pthread_sigmask(SIG_UNBLOCK, &only, &mask);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    } else if (before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    }
}

static void handle(int number, siginfo_t *information, void *context) {
    int error = errno;
    sigset_t mask;
    struct sigaction before = {.sa_handler = SIG_DFL};
    lock(&mask);
    for (int index = 0; index < signal_count; index++)
        if (signals[index] == number) before = state.before[index];
    if (state.is_hidden && state.process == getpid()) tcsetattr(state.terminal, TCSANOW, &state.shown);
    unlock(&mask);
    pass_on(number, information, context, &before);
    lock(&mask);
    if (state.is_hidden && state.process == getpid()) {
        install(number);
        // In the background, the settings belong to another process.
        if (keychain_terminal_is_ours(state.terminal)) tcsetattr(state.terminal, TCSANOW, &state.hidden);
        eventfd_write(state.event, 1);
    }
    unlock(&mask);
    errno = error;
}

// The settings of a terminal without echo and line editing, and the keys that it has with them.
static struct keychain_terminal_keys hide(const struct termios *shown, struct termios *hidden) {
    *hidden = *shown;
    // Line editing of the terminal ends at 4095 bytes. The interrupt key cancels the prompt, not the program.
    hidden->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON);
    hidden->c_iflag |= ICRNL;
    hidden->c_iflag &= ~(tcflag_t)(INLCR | IGNCR);
    hidden->c_cc[VINTR] = _POSIX_VDISABLE;
    hidden->c_cc[VLNEXT] = _POSIX_VDISABLE;
    hidden->c_cc[VMIN] = 1;
    hidden->c_cc[VTIME] = 0;
    return (struct keychain_terminal_keys){shown->c_cc[VINTR], shown->c_cc[VEOF], shown->c_cc[VERASE],
                                           shown->c_cc[VKILL], shown->c_cc[VLNEXT]};
}

int keychain_terminal_hide(int terminal, int event, struct keychain_terminal_keys *keys) {
    sigset_t mask;
    lock(&mask);
    int error = 0;
    if (state.is_hidden && state.process == getpid()) {
        error = EBUSY;
    } else if (tcgetattr(terminal, &state.shown) != 0) {
        error = errno;
    } else {
        *keys = hide(&state.shown, &state.hidden);
        state.terminal = terminal;
        state.event = event;
        state.process = getpid();
        state.is_hidden = 1;
        install_all();
        if (tcsetattr(terminal, TCSANOW, &state.hidden) != 0) {
            error = errno;
            state.is_hidden = 0;
            uninstall();
        }
    }
    unlock(&mask);
    return error;
}

void keychain_terminal_show(void) {
    sigset_t mask;
    lock(&mask);
    if (state.is_hidden && state.process == getpid()) {
        // After a stop, the terminal may belong to another process; then its settings have been restored before.
        if (keychain_terminal_is_ours(state.terminal)) tcsetattr(state.terminal, TCSANOW, &state.shown);
        state.is_hidden = 0;
        uninstall();
    }
    unlock(&mask);
}

// The thread that prompted, or that held the lock, does not exist in a forked child; the handlers do, and are not its
// own.
void keychain_terminal_in_child(void) {
    if (state.is_hidden) {
        state.is_hidden = 0;
        uninstall();
    }
    atomic_flag_clear_explicit(&state.lock, memory_order_release);
}

// For a program that exits by itself while another of its threads prompts.
__attribute__((destructor)) static void show_at_exit(void) { keychain_terminal_show(); }

struct keychain_terminal_settings {
    struct termios shown, hidden;
};

int keychain_terminal_borrow(int terminal, struct keychain_terminal_keys *keys,
                             struct keychain_terminal_settings **settings) {
    struct keychain_terminal_settings *made = malloc(sizeof *made);
    if (made == NULL) return ENOMEM;
    int error = tcgetattr(terminal, &made->shown) == 0 ? 0 : errno;
    if (error == 0) {
        *keys = hide(&made->shown, &made->hidden);
        // The keys that stop and quit are typed for the question, not for the program whose terminal it is.
        made->hidden.c_lflag &= ~(tcflag_t)ISIG;
        error = tcsetattr(terminal, TCSANOW, &made->hidden) == 0 ? 0 : errno;
    }
    if (error != 0) {
        free(made);
        return error;
    }
    *settings = made;
    return 0;
}

void keychain_terminal_give_back(int terminal, struct keychain_terminal_settings *settings) {
    const struct termios *hidden = &settings->hidden;
    struct termios now;
    if (tcgetattr(terminal, &now) == 0 && now.c_lflag == hidden->c_lflag && now.c_iflag == hidden->c_iflag &&
        memcmp(now.c_cc, hidden->c_cc, sizeof now.c_cc) == 0)
        tcsetattr(terminal, TCSANOW, &settings->shown);
    free(settings);
}

void keychain_terminal_ignore_stops(sigset_t *before) {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTTIN);
    sigaddset(&stops, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stops, before);
}

void keychain_terminal_respect_stops(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

int keychain_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
