// SPDX-License-Identifier: Apache-2.0
// A terminal without its echo, which no signal may leave behind, and a child process to talk to.
#ifndef CKEYCHAIN_TERMINAL_H
#define CKEYCHAIN_TERMINAL_H

#include <signal.h>
#include <sys/types.h>

// What was typed that is not part of a secret, by the terminal's own settings; 0 for none.
struct keychain_terminal_keys {
    unsigned char interrupt, end_of_file, erase, erase_line, literal_next;
};

// Turns a terminal's echo and its line editing off, for one terminal of the process at a time.
//
// Until keychain_terminal_show, the signals that end or stop a process first give the terminal its settings back, then do
// what they did before. After a stop, or after a handler of the program that returned, the echo is off again, and 1 is
// added to the eventfd, so that the question can be repeated. Returns an error number: EBUSY when another is hidden.
int keychain_terminal_hide(int terminal, int event, struct keychain_terminal_keys *keys);

// Gives the terminal its settings back, and the signals their effects.
void keychain_terminal_show(void);

// Whether the process may use a terminal: it is in its foreground, or the terminal is not the one that controls it.
int keychain_terminal_is_ours(int terminal);

// Has the calling thread get errors instead of being stopped when its process is not in the foreground, and undoes it.
void keychain_terminal_ignore_stops(sigset_t *before);
void keychain_terminal_respect_stops(const sigset_t *before);

// Starts a program with one end of a socket as its standard input and output, nothing else open but /dev/null for its
// errors, and every signal as it is by default. Returns an error number; the other end and the child are stored.
int keychain_spawn(const char *path, char *const arguments[], char *const environment[], int *socket, pid_t *child);

// An eventfd(2), closed on exec and non-blocking; -1 when there is none to have.
int keychain_event(void);

#endif
