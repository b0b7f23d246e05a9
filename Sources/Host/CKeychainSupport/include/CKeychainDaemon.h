// SPDX-License-Identifier: Apache-2.0
// What a daemon does to its own process: goes to the background, and gives up rights.
#ifndef CKEYCHAIN_DAEMON_H
#define CKEYCHAIN_DAEMON_H

#include <sys/types.h>

// Has the process go on in the background: in a session of its own without a terminal (daemon(7), "SysV Daemons"), with
// /dev/null for its standard streams and nothing else open. The process that calls it waits until the other one reports
// by keychain_background_report, writes the message to its standard output and exits with the status; it never returns.
//
// For a process with a single thread. Returns 0 in the background, or an error number where nothing was forked.
int keychain_go_to_background(void);

// Reports once how it went; does nothing in a process that is not in the background.
void keychain_background_report(int status, const char *message);

// Passes no capabilities on to programs that this thread, and threads that it starts, execute from now on (capabilities(7),
// "Ambient"); this process keeps its own. Returns 0 or errno.
int keychain_pass_no_capabilities(void);

// Has this thread, and threads that it starts, use nothing but memory and the descriptors that are open: nearly all calls of
// the system fail with EPERM from now on (seccomp(2)). The process has so many bytes of addresses, and is killed after so
// many seconds of computing (setrlimit(2)). Returns 0, or errno if the system cannot do that.
int keychain_confine(size_t bytes, unsigned seconds);

// Has the kernel end this process before all others where memory is short (proc(5), oom_score_adj). Returns 0 or errno.
int keychain_be_ended_first(void);

// Leaves no core file of this process (RLIMIT_CORE, getrlimit(2)). Returns 0 or errno.
int keychain_disable_core_files(void);

#endif
