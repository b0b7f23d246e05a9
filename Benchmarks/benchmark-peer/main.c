// SPDX-License-Identifier: Apache-2.0
// What the benchmark of the daemon needs other processes for:
//   benchmark-peer echo REQUEST REPLY            answers requests of a length on descriptor 0 with replies of another
//   benchmark-peer idle SOCKET COUNT GREETING    COUNT processes that connect, send the greeting (hexadecimal digits), and
//                                                wait; says so by a byte on descriptor 1, until descriptor 0 ends
//   benchmark-peer activate PROGRAM ARGUMENT...  executes a program that is passed the socket 3, as sd_listen_fds(3) says
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_all(int descriptor, char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t got = read(descriptor, bytes + done, count - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        done += (size_t)got;
    }
    return 0;
}

static int write_all(int descriptor, const char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t sent = write(descriptor, bytes + done, count - done);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        done += (size_t)sent;
    }
    return 0;
}

static int echo(size_t request, size_t reply) {
    char *bytes = calloc(1, request + reply);
    if (bytes == NULL) return 1;
    while (read_all(0, bytes, request) == 0)
        if (write_all(0, bytes + request, reply) != 0) return 1;
    return 0;
}

static int connect_and_greet(const char *path, const char *greeting, size_t count) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int connected = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connected < 0 || connect(connected, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    char answer[64];
    if (write_all(connected, greeting, count) != 0) return -1;
    // The answer to a greeting is as long as that.
    return read_all(connected, answer, count);
}

static void wait_connected(pid_t parent, int ready, const char *path, const char *greeting, size_t count) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    if (connect_and_greet(path, greeting, count) != 0 || write_all(ready, "r", 1) != 0) _exit(1);
    close(ready);
    for (;;) pause();
}

static int idle(const char *path, int count, const char *digits) {
    char greeting[64];
    size_t length = strlen(digits) / 2;
    if (length > sizeof greeting) return 2;
    for (size_t index = 0; index < length; index++) {
        unsigned int byte;
        if (sscanf(digits + 2 * index, "%2x", &byte) != 1) return 2;
        greeting[index] = (char)byte;
    }
    int ready[2];
    pid_t *children = calloc((size_t)count, sizeof *children);
    if (children == NULL || pipe(ready) != 0) return 1;
    pid_t parent = getpid();
    for (int index = 0; index < count; index++) {
        children[index] = fork();
        if (children[index] < 0) return 1;
        if (children[index] == 0) {
            close(ready[0]);
            wait_connected(parent, ready[1], path, greeting, length);
        }
    }
    close(ready[1]);
    char byte;
    int connected = 0;
    while (read(ready[0], &byte, 1) == 1) connected++;
    int status = connected == count ? 0 : 1;
    if (status == 0 && write_all(1, "r", 1) == 0)
        while (read(0, &byte, 1) > 0) continue;
    for (int index = 0; index < count; index++) kill(children[index], SIGKILL);
    for (int index = 0; index < count; index++) waitpid(children[index], NULL, 0);
    return status;
}

static int activate(char **words) {
    char process[16];
    snprintf(process, sizeof process, "%d", getpid());
    setenv("LISTEN_PID", process, 1);
    setenv("LISTEN_FDS", "1", 1);
    execv(words[0], words);
    perror(words[0]);
    return 127;
}

int main(int count, char **words) {
    signal(SIGPIPE, SIG_IGN);
    if (count == 4 && strcmp(words[1], "echo") == 0)
        return echo(strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10));
    if (count == 5 && strcmp(words[1], "idle") == 0) return idle(words[2], atoi(words[3]), words[4]);
    if (count >= 3 && strcmp(words[1], "activate") == 0) return activate(words + 2);
    fputs("benchmark-peer: see main.c\n", stderr);
    return 2;
}
