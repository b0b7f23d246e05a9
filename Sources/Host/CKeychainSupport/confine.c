// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainDaemon.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int keychain_pass_no_capabilities(void) {
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 ? 0 : errno;
}

int keychain_be_ended_first(void) {
    // The file of a process that is closed to others is root's.
    int was_open = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    if (was_open < 0 || (was_open != 1 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)) return errno;
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    int error = file >= 0 && write(file, "1000", 4) == 4 ? 0 : errno;
    if (file >= 0) close(file);
    if (was_open != 1 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    return error;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE
#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define PERMIT(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)

// Memory, the time, random bytes, the open descriptors, and exiting. No calls that create or find files, sockets,
// processes or threads, and no executable memory.
static struct sock_filter filter[] = {
    FIELD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    FIELD(nr),
    PERMIT(SYS_read),
    PERMIT(SYS_write),
    PERMIT(SYS_recvfrom),
    PERMIT(SYS_sendto),
#ifdef SYS_poll
    PERMIT(SYS_poll),
#endif
    PERMIT(SYS_ppoll),
    PERMIT(SYS_munmap),
    PERMIT(SYS_mremap),
    PERMIT(SYS_madvise),
    PERMIT(SYS_mlock),
    PERMIT(SYS_munlock),
    PERMIT(SYS_brk),
    PERMIT(SYS_futex),
    PERMIT(SYS_rt_sigprocmask),
    PERMIT(SYS_rt_sigreturn),
    PERMIT(SYS_restart_syscall),
    PERMIT(SYS_sched_yield),
    PERMIT(SYS_nanosleep),
    PERMIT(SYS_clock_nanosleep),
    PERMIT(SYS_clock_gettime),
    PERMIT(SYS_gettimeofday),
    PERMIT(SYS_getrandom),
    PERMIT(SYS_getpid),
    PERMIT(SYS_gettid),
    PERMIT(SYS_exit),
    PERMIT(SYS_exit_group),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
    REFUSE,
    FIELD(args[2]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
    REFUSE,
    RETURN(SECCOMP_RET_ALLOW),
};
#endif

int keychain_confine(size_t bytes, unsigned seconds) {
#ifdef ARCHITECTURE
    struct rlimit memory = {.rlim_cur = bytes, .rlim_max = bytes};
    struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds};
    if (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CPU, &time) != 0) return errno;
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
#else
    return ENOSYS;
#endif
}
