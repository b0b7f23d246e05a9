// SPDX-License-Identifier: Apache-2.0
// A terminal without its echo, which no signal may leave behind, and a child process to talk to.
#ifndef CKEYCHAIN_TERMINAL_H
#define CKEYCHAIN_TERMINAL_H

#include <signal.h>
#include <sys/types.h>

// A typed control character that is not part of a secret, by the terminal's own settings; 0 for none.
struct keychain_terminal_keys {
    unsigned char interrupt, end_of_file, erase, erase_line, literal_next;
};

// Turns off a terminal's echo and its line editing, for one terminal of the process at a time.
//
// Until keychain_terminal_show, the signals that end or stop a process first restore the terminal's settings, and then
// have their previous effect. After a stop, or after a handler of the program that returned, the echo is turned off
// again, and 1 is added to the eventfd, so that the prompt can be repeated. Returns an error number: EBUSY if another
// terminal is hidden.
int keychain_terminal_hide(int terminal, int event, struct keychain_terminal_keys *keys);

// Gives the terminal its settings back, and the signals their effects.
void keychain_terminal_show(void);

// Turns off the echo and the line editing of another program's terminal, for any number of them at the same time;
// signals are not dealt with. Returns an error number; otherwise its settings are stored until they are given back.
struct keychain_terminal_settings;
int keychain_terminal_borrow(int terminal, struct keychain_terminal_keys *keys,
                             struct keychain_terminal_settings **settings);

// Gives such a terminal its settings back, unless somebody has changed them meanwhile, as a shell does whose command
// has ended.
void keychain_terminal_give_back(int terminal, struct keychain_terminal_settings *settings);

// Whether the process may use a terminal: it is in its foreground, or the terminal is not its controlling terminal.
int keychain_terminal_is_ours(int terminal);

// Makes the calling thread get errors instead of being stopped while its process is not in the foreground, and undoes
// it.
void keychain_terminal_ignore_stops(sigset_t *before);
void keychain_terminal_respect_stops(const sigset_t *before);

// Starts a program with one end of a socket as its standard input and output, nothing else open except /dev/null for
// its errors, and the default action for every signal. Returns an error number; the other end and the child are stored.
int keychain_spawn(const char *path, char *const *arguments, char *const *environment, int *socket, pid_t *child);

// The ends of a pipe, closed on exec from the beginning (pipe2(2)). Returns 0 or an error number.
int keychain_pipe(int *ends);

// An eventfd(2), closed on exec and non-blocking; -1 if it cannot be created.
int keychain_event(void);

#endif
