// SPDX-License-Identifier: Apache-2.0
// What a daemon does to its own process: goes to the background, and gives up rights.
#ifndef CKEYCHAIN_DAEMON_H
#define CKEYCHAIN_DAEMON_H

#include <sys/types.h>

// Moves the process to the background: in a session of its own without a terminal (daemon(7), "SysV Daemons"), with
// /dev/null for its standard streams and nothing else open but the descriptor passed, if that is not -1. The calling
// process waits until the background process reports with keychain_background_report, writes the message to its
// standard output and exits with the status; it never returns.
//
// For a process with a single thread. Returns 0 in the background, or an error number if there is no such process.
int keychain_go_to_background(int passed);

// Reports once how it went; does nothing in a process that is not in the background.
void keychain_background_report(int status, const char *message);

// Clears the capabilities for programs that this thread, and threads that it starts, execute from now on
// (capabilities(7), "Ambient"); this process keeps its own. Returns 0 or errno.
int keychain_pass_no_capabilities(void);

// Restricts this thread, and threads that it starts, to memory and the open descriptors: nearly all system calls fail
// with EPERM from now on (seccomp(2)). The address space and the CPU time of the process are limited to the given
// numbers of bytes and seconds (setrlimit(2)). Returns 0, or errno if the system does not support that.
int keychain_confine(size_t bytes, unsigned seconds);

// Makes this process the first that the kernel kills if memory is short (proc(5), oom_score_adj). Returns 0 or errno.
int keychain_be_ended_first(void);

// Leaves no core file of this process (RLIMIT_CORE, getrlimit(2)). Returns 0 or errno.
int keychain_disable_core_files(void);

// Lifts the soft limits of this process to the hard ones, where a lower one would end it or fail its calls (getrlimit(2)):
// they are those of the program that happened to start it. The stack gets at least its usual size. To be called before
// there is a second thread.
void keychain_lift_limits(void);

#endif
