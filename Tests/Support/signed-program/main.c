// SPDX-License-Identifier: Apache-2.0
// A program for the tests of identities to sign, to trust, and to attack with: `signed-program [memfd] SOCKET`; and to start one
// whose system calls another process may answer: `signed-program filtered PROGRAM ARGUMENT...`.
//
// It connects to the socket, or does nothing for `-`, or goes on with the connection that is the descriptor N for `fd:N`,
// prints "ready", and carries out the commands on its standard input, one a line. It is in C so that it loads nothing but the
// system's libraries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

static int connection = -1;

// The process that went on in the place of this one.
static pid_t deputy;

static int say(const char *text) { return printf("%s\n", text) < 0 || fflush(stdout) != 0; }

// For a child: ends with its parent, also if that was killed before this call. A child that outlived it would hold the
// output of the tests open, whose end their runner waits for.
static void end_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    // Stays open in what is executed later.
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return descriptor;
}

// Runs this program from memory, without a file.
static int run_from_memory(char *const arguments[]) {
    int source = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int copy = memfd_create("peer", MFD_CLOEXEC);
    if (source < 0 || copy < 0) return 1;
    while (sendfile(copy, source, NULL, 1 << 20) > 0) {}
    extern char **environ;
    fexecve(copy, arguments, environ);
    return 1;
}

// Runs a program under a seccomp filter that leaves one system call, which it does not make, to the holder of the
// listener.
static int run_filtered(char *const arguments[]) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 6;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0 || fcntl((int)listener, F_SETFD, 0) != 0) return 6;
    execv(arguments[0], arguments);
    return 6;
}

// A child that traces a thread of this process until it is killed.
static void be_traced(pid_t thread) {
    int ready[2];
    if (pipe(ready) != 0) return;
    prctl(PR_SET_PTRACER, -1L, 0, 0, 0);
    pid_t process = getpid();
    if (fork() == 0) {
        end_with(process);
        long failure = ptrace(PTRACE_SEIZE, thread, 0, 0);
        char answer = failure == 0 ? 'y' : 'n';
        if (write(ready[1], &answer, 1) != 1) _exit(1);
        for (;;) {
            int status;
            if (waitpid(thread, &status, __WALL) < 0) _exit(0);
            if (WIFSTOPPED(status)) ptrace(PTRACE_CONT, thread, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
        }
    }
    char answer = 'n';
    if (read(ready[0], &answer, 1) != 1) answer = 'n';
    say(answer == 'y' ? "traced" : "not traced");
}

static int started[2];

static void *wait_as_thread(void *unused) {
    pid_t thread = gettid();
    if (write(started[1], &thread, sizeof thread) != sizeof thread) return unused;
    for (;;) pause();
}

// The same for a second thread.
static void have_thread_traced(void) {
    pthread_t handle;
    pid_t thread;
    if (pipe(started) == 0 && pthread_create(&handle, NULL, wait_as_thread, NULL) == 0 &&
        read(started[0], &thread, sizeof thread) == sizeof thread) {
        be_traced(thread);
    } else {
        say("not traced");
    }
}

static int wait_as_child(void *parent) {
    end_with((pid_t)(intptr_t)parent);
    for (;;) pause();
}

static int end_later(void *unused) {
    (void)unused;
    struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    syscall(SYS_nanosleep, &moment, NULL);
    syscall(SYS_exit_group, 0);
    return 0;
}


// Its first thread ends with nothing but what the kernel does: its memory is that of its parent.
static int leave_thread(void *parent) {
    static char stack[1 << 14] __attribute__((aligned(16)));
    if (clone(wait_as_child, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, parent) < 0) return 1;
    syscall(SYS_exit, 0);
    return 0;
}

// Another process shares the memory of this one, for as long as it lives ("", or "thread" if a second thread of that process
// goes on alone) or for a moment ("moment").
static int share_memory(const char *how) {
    static char stack[1 << 14] __attribute__((aligned(16)));
    int (*body)(void *) = strcmp(how, "moment") == 0 ? end_later : strcmp(how, "thread") == 0 ? leave_thread : wait_as_child;
    pid_t child = clone(body, stack + sizeof stack, CLONE_VM | SIGCHLD, (void *)(intptr_t)getpid());
    char path[32], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", child);
    while (body == leave_thread && child > 0 && state != 'Z') {
        FILE *file = fopen(path, "r");
        if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1) return say("not shared");
        fclose(file);
    }
    return say(child > 0 ? "shared" : strerror(errno));
}

// Another process connects, shares its descriptors with this one, and ends; its number is printed.
static void connect_by_another(const char *path) {
    struct clone_args arguments = {.flags = CLONE_FILES, .exit_signal = SIGCHLD};
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(connect_to(path) < 0);
    int status;
    waitpid(child, &status, 0);
    printf("%d %d\n", status == 0 ? child : 0, status);
    fflush(stdout);
}

// A process with a number of choice, which is executing this program, too.
static void reuse_number(pid_t number) {
    pid_t choice[] = {number}, parent = getpid();
    struct clone_args arguments = {
        .exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)choice, .set_tid_size = 1};
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        end_with(parent);
        for (;;) pause();
    }
    say(child == number ? "reused" : strerror(errno));
}

// Gives up what capabilities this process has, unless it is root's, which has them all.
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    if (geteuid() != 0) syscall(SYS_capset, &header, none);
}

// Another process goes on with the commands, with the descriptors of this one and a number of choice (0 for any), until it
// is told to end; then it is gone, and this process goes on with the connection that it made.
static int go_on_as_another(pid_t number) {
    pid_t choice[] = {number}, parent = getpid();
    struct clone_args arguments = {.flags = CLONE_FILES, .exit_signal = SIGCHLD};
    if (number != 0) {
        arguments.set_tid = (uint64_t)(uintptr_t)choice;
        arguments.set_tid_size = 1;
    }
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child < 0) return say(strerror(errno));
    if (child == 0) {
        end_with(parent);
        drop_capabilities();
        return say("begun");
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    deputy = child;
    if (WIFEXITED(status)) connection = WEXITSTATUS(status);
    return say("ended");
}

// Code that no file is behind.
static int generate(int more) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC | more, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return say(page != MAP_FAILED ? "generated" : strerror(errno));
}

// Writes to code of this program, and leaves it as it was.
static int write_code(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *page = (char *)((uintptr_t)&generate & ~(size - 1));
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return say(strerror(errno));
    *page = *page;
    return say(mprotect((void *)page, size, PROT_READ | PROT_EXEC) == 0 ? "written" : strerror(errno));
}

// A mapping of this program's own file.
struct mapping {
    uintptr_t start, end, offset;
    int is_code;
};

// Has the code of this program come from another file, which has the same, and its data from none, so that nothing of
// this program's file is mapped any more.
static int replace_file(const char *code) {
    char text[1 << 15], own[4096];
    struct mapping mappings[32];
    int count = 0, file = open(code, O_RDONLY | O_CLOEXEC), list = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t size = 0, got, length = readlink("/proc/self/exe", own, sizeof own - 1);
    while (list >= 0 && (got = read(list, text + size, sizeof text - 1 - (size_t)size)) > 0) size += got;
    close(list);
    if (file < 0 || length <= 0 || size <= 0) return -1;
    text[size] = own[length] = 0;
    for (char *line = strtok(text, "\n"); line != NULL && count < 32; line = strtok(NULL, "\n")) {
        struct mapping next;
        char rights[5], *path = strchr(line, '/');
        if (path == NULL || strcmp(path, own) != 0) continue;
        if (sscanf(line, "%lx-%lx %4s %lx", &next.start, &next.end, rights, &next.offset) != 4) return -1;
        next.is_code = rights[2] == 'x';
        mappings[count++] = next;
    }
    // The addresses of functions of libraries are among the data.
    void *(*volatile map)(void *, size_t, int, int, int, off_t) = mmap;
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    for (int index = 0; index < count; index++) {
        struct mapping *one = &mappings[index];
        size_t bytes = one->end - one->start;
        if (one->is_code) {
            map((void *)one->start, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, (off_t)one->offset);
            continue;
        }
        void *saved = map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        copy(saved, (void *)one->start, bytes);
        map((void *)one->start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
        copy((void *)one->start, saved, bytes);
    }
    close(file);
    return 0;
}

// Has the kernel say that another program is the executable of this process, and of those that share its memory.
static int set_executable(const char *path) {
    char text[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC), list = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t size = list < 0 ? -1 : read(list, text, sizeof text - 1);
    close(list);
    if (file < 0 || size <= 0) return -1;
    text[size] = 0;
    // The fields after the name of the program, the third first (proc_pid_stat(5)).
    unsigned long fields[64] = {0};
    int count = 3;
    char *end = strrchr(text, ')');
    for (char *word = end == NULL ? NULL : strtok(end + 1, " "); word != NULL && count < 64; word = strtok(NULL, " "))
        fields[count++] = strtoul(word, NULL, 10);
    struct prctl_mm_map map = {
        .start_code = fields[26],
        .end_code = fields[27],
        .start_data = fields[45],
        .end_data = fields[46],
        .start_brk = fields[47],
        .brk = (uintptr_t)sbrk(0),
        .start_stack = fields[28],
        .arg_start = fields[48],
        .arg_end = fields[49],
        .env_start = fields[50],
        .env_end = fields[51],
        .exe_fd = (uint32_t)file,
    };
    int result = prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
    close(file);
    return result;
}

static int set_executable_as_child(void *path) { return set_executable(path) == 0 ? 0 : errno; }

// Appears as another program. The argument is its path, and that of the file to take the code from.
// A child that shares the memory of this process, in a user namespace of its own, has the right that this one lacks.
static int become(char *path, int by_child) {
    char *code = strchr(path, ' ');
    if (code == NULL) return say("no code");
    *code++ = 0;
    if (replace_file(code) != 0) return say("not replaced");
    if (!by_child) return say(set_executable(path) == 0 ? "become" : strerror(errno));
    static char stack[1 << 16] __attribute__((aligned(16)));
    pid_t child = clone(set_executable_as_child, stack + sizeof stack, CLONE_VM | CLONE_NEWUSER | SIGCHLD, path);
    int status = 0;
    if (child < 0) return say(strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return say(status == 0 ? "become" : strerror(WEXITSTATUS(status)));
}

// A child keeps the connection, and this process ends.
static int leave(void) {
    struct pollfd parent = {.fd = (int)syscall(SYS_pidfd_open, getpid(), 0), .events = POLLIN};
    if (parent.fd < 0) return say("not left");
    if (fork() != 0) _exit(0);
    while (poll(&parent, 1, -1) < 0 && errno == EINTR) {}
    return say("left");
}

// The last byte of a file, mapped to be written to.
static volatile char *last_byte;

// Maps it and writes what is there, so that the page is dirty and later writes do not change the times of the file.
static int map(const char *path) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    if (end < 1) return say("not mapped");
    off_t start = (end - 1) & ~(off_t)(size - 1);
    char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, start);
    close(file);
    if (page == MAP_FAILED) return say("not mapped");
    last_byte = page + (end - 1 - start);
    *last_byte = *last_byte;
    return say("mapped");
}

// Has the code of another file in memory, where it can be executed.
static int map_code(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    void *code = end < 1 ? MAP_FAILED : mmap(NULL, (size_t)end, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    close(file);
    return say(code != MAP_FAILED ? "mapped" : strerror(errno));
}

// Changes the last byte of the file that was mapped to be written to.
static int flip(void) {
    if (last_byte == NULL) return say("not mapped");
    *last_byte ^= 1;
    return say("flipped");
}

static int hexadecimal(char digit) {
    const char digits[] = "0123456789abcdef", *found = digit == 0 ? NULL : strchr(digits, digit);
    return found == NULL ? -1 : (int)(found - digits);
}

// Sends bytes with a descriptor.
static ssize_t send_passing(int socket, int descriptor, const void *bytes, size_t count) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Sends bytes with a descriptor, as programs send their first command; without one where the other side takes none.
static ssize_t send_with_descriptor(int socket, const void *bytes, size_t count) {
    ssize_t sent = send_passing(socket, STDERR_FILENO, bytes, count);
    return sent < 0 && errno == EPERM ? send(socket, bytes, count, MSG_NOSIGNAL) : sent;
}

// A TCP socket with data that nobody takes: whoever closes it last sleeps for ten minutes (socket(7), SO_LINGER).
static int lingering_socket(void) {
    static int listening = -1;
    static struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int room = 4096, more = 1 << 16;
    if (listening < 0) {
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
        if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(listening, 512) != 0 ||
            getsockname(listening, (struct sockaddr *)&address, &size) != 0)
            return -1;
    }
    int full = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct linger linger = {.l_onoff = 1, .l_linger = 600};
    setsockopt(full, SOL_SOCKET, SO_SNDBUF, &more, sizeof more);
    if (connect(full, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    char bytes[4096] = {0};
    while (send(full, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {}
    setsockopt(full, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    return full;
}

// The bytes that digits stand for, two each; their number, or -1 if they are none.
static ssize_t parse(const char *digits, unsigned char *bytes, size_t most) {
    size_t count = 0;
    for (; count < most && digits[0] != 0; count++, digits += 2) {
        int high = hexadecimal(digits[0]), low = high < 0 ? -1 : hexadecimal(digits[1]);
        if (low < 0) return -1;
        bytes[count] = (unsigned char)(high << 4 | low);
    }
    return (ssize_t)count;
}

// Sends bytes, each of which is two digits; only as bytes, as a program does that copies its input to its output.
static int transmit(const char *digits, int copies) {
    unsigned char bytes[2048];
    ssize_t count = parse(digits, bytes, sizeof bytes);
    if (count < 0) return say("no digits");
    ssize_t sent = copies ? write(connection, bytes, (size_t)count) : send_with_descriptor(connection, bytes, (size_t)count);
    return say(sent == count ? "sent" : "not sent");
}

// Receives so many bytes, or fewer if the connection ends, and prints them.
static int receive(int count) {
    unsigned char byte;
    while (count-- > 0 && read(connection, &byte, 1) == 1) printf("%02x", byte);
    return say("");
}

// Connections besides the one.
static int flood[512];
static int flood_count;

// Says for how many of them something is so.
static int say_count(int count) { return printf("%d\n", count) < 0 || fflush(stdout) != 0; }

// Makes so many, or as many as it gets.
static int begin_flood(char *argument) {
    char *path;
    long wanted = strtol(argument, &path, 10);
    while (*path == ' ') path++;
    while (flood_count < wanted && flood_count < (int)(sizeof flood / sizeof flood[0])) {
        int descriptor = connect_to(path);
        if (descriptor < 0) break;
        flood[flood_count++] = descriptor;
    }
    return say_count(flood_count);
}

// Sends the same bytes on each of them.
static int transmit_to_all(const char *digits) {
    unsigned char bytes[2048];
    ssize_t count = parse(digits, bytes, sizeof bytes);
    if (count < 0) return say("no digits");
    int reached = 0;
    for (int index = 0; index < flood_count; index++)
        reached += send_with_descriptor(flood[index], bytes, (size_t)count) == count;
    return say_count(reached);
}

static void *close_later(void *descriptor) {
    close((int)(intptr_t)descriptor);
    return NULL;
}

// The same with such a socket of its own for each, of which nobody else has a descriptor.
static int transmit_lingering(const char *digits) {
    unsigned char bytes[2048];
    ssize_t count = parse(digits, bytes, sizeof bytes);
    if (count < 0) return say("no digits");
    int reached = 0;
    for (int index = 0; index < flood_count; index++) {
        int descriptor = lingering_socket();
        pthread_t thread;
        if (send_passing(flood[index], descriptor, bytes, (size_t)count) == count) {
            reached++;
        } else {
            struct linger none = {0};
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        }
        // Where the other side has closed it first, this sleeps.
        if (pthread_create(&thread, NULL, close_later, (void *)(intptr_t)descriptor) == 0) pthread_detach(thread);
    }
    return say_count(reached);
}

// Receives so many bytes from each of them, or fewer if it ends.
static int receive_from_all(int count) {
    int reached = 0;
    for (int index = 0; index < flood_count; index++) {
        unsigned char byte;
        int left = count;
        while (left > 0 && read(flood[index], &byte, 1) == 1) left--;
        reached += left == 0;
    }
    return say_count(reached);
}

// On how many of them as many bytes have arrived, and were not received.
static int count_unread(int wanted) {
    int reached = 0;
    for (int index = 0; index < flood_count; index++) {
        int count = 0;
        reached += ioctl(flood[index], FIONREAD, &count) == 0 && count >= wanted;
    }
    return say_count(reached);
}

// How many of them the other side has not ended.
static int count_held(void) {
    int held = 0;
    for (int index = 0; index < flood_count; index++) {
        struct pollfd state = {.fd = flood[index], .events = POLLRDHUP};
        held += poll(&state, 1, 0) == 0;
    }
    return say_count(held);
}

static int perform(char *command, char *argument) {
    if (strcmp(command, "send") == 0) return say(write(connection, argument, strlen(argument)) > 0 ? "sent" : "not sent");
    if (strcmp(command, "transmit") == 0) return transmit(argument, 0);
    if (strcmp(command, "copy") == 0) return transmit(argument, 1);
    if (strcmp(command, "receive") == 0) return receive(atoi(argument));
    if (strcmp(command, "flood") == 0) return begin_flood(argument);
    if (strcmp(command, "transmit-all") == 0) return transmit_to_all(argument);
    if (strcmp(command, "transmit-lingering") == 0) return transmit_lingering(argument);
    if (strcmp(command, "receive-all") == 0) return receive_from_all(atoi(argument));
    if (strcmp(command, "unread") == 0) return count_unread(atoi(argument));
    if (strcmp(command, "held") == 0) return count_held();
    if (strcmp(command, "connect") == 0) return say((connection = connect_to(argument)) >= 0 ? "connected" : "not connected");
    if (strcmp(command, "exec") == 0) {
        char name[16];
        snprintf(name, sizeof name, connection < 0 ? "-" : "fd:%d", connection);
        execl(argument, argument, name, (char *)NULL);
        return say("not executed");
    }
    // Is closed in what is executed later.
    if (strcmp(command, "open") == 0) return say(open(argument, O_RDONLY | O_CLOEXEC) >= 0 ? "opened" : strerror(errno));
    if (strcmp(command, "load") == 0) return say(dlopen(argument, RTLD_NOW) != NULL ? "loaded" : dlerror());
    if (strcmp(command, "generate") == 0) return generate(strcmp(argument, "writable") == 0 ? PROT_WRITE : 0);
    if (strcmp(command, "write") == 0) return write_code();
    if (strcmp(command, "trace") == 0) return be_traced(getpid()), 0;
    if (strcmp(command, "trace-thread") == 0) return have_thread_traced(), 0;
    if (strcmp(command, "share") == 0) return share_memory(argument);
    if (strcmp(command, "undumpable") == 0) return say(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? "done" : "failed");
    if (strcmp(command, "isolate") == 0) return say(unshare(CLONE_NEWUSER) == 0 ? "isolated" : strerror(errno));
    if (strcmp(command, "become") == 0) return become(argument, 0);
    if (strcmp(command, "become-by-child") == 0) return become(argument, 1);
    if (strcmp(command, "map") == 0) return map(argument);
    if (strcmp(command, "map-code") == 0) return map_code(argument);
    if (strcmp(command, "flip") == 0) return flip();
    if (strcmp(command, "leave") == 0) return leave();
    if (strcmp(command, "another") == 0) return connect_by_another(argument), 0;
    if (strcmp(command, "reuse") == 0) return reuse_number(atoi(argument)), 0;
    if (strcmp(command, "begin") == 0) return go_on_as_another(0);
    if (strcmp(command, "again") == 0) return go_on_as_another(deputy);
    if (strcmp(command, "end") == 0) _exit(connection);
    return say("unknown");
}

int main(int count, char *arguments[]) {
    if (count >= 3 && strcmp(arguments[1], "memfd") == 0) {
        char *rest[] = {arguments[0], arguments[2], NULL};
        return run_from_memory(rest);
    }
    if (count >= 3 && strcmp(arguments[1], "filtered") == 0) return run_filtered(arguments + 2);
    if (count < 2) return 2;
    if (strncmp(arguments[1], "fd:", 3) == 0) {
        connection = atoi(arguments[1] + 3);
    } else if (strcmp(arguments[1], "-") != 0 && (connection = connect_to(arguments[1])) < 0) {
        return 3;
    }
    if (say("ready") != 0) return 4;
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        char *argument = strchr(line, ' ');
        if (argument != NULL) *argument++ = 0;
        if (perform(line, argument == NULL ? "" : argument) != 0) return 5;
    }
    return 0;
}
