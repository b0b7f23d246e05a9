// SPDX-License-Identifier: Apache-2.0
#include <CommonCrypto/CommonRandom.h>

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
    if (count == 0) return kCCSuccess;
    if (bytes == NULL) return kCCParamError;
    uint8_t *rest = bytes;
    while (count > 0) {
        // At most 2^25 - 1 bytes come at once; a signal may interrupt a long call.
        ssize_t written = getrandom(rest, count, 0);
        if (written < 0) {
            if (errno == EINTR) continue;
            return kCCRNGFailure;
        }
        rest += written;
        count -= (size_t)written;
    }
    return kCCSuccess;
}
