// SPDX-License-Identifier: Apache-2.0
// What the functions that can fail return.
#ifndef COMMON_CRYPTO_ERROR_H
#define COMMON_CRYPTO_ERROR_H

#include <stdint.h>

typedef int32_t CCStatus;
typedef int32_t CCCryptorStatus;
typedef CCCryptorStatus CCRNGStatus;

enum {
    /// Done.
    kCCSuccess = 0,
    /// An argument that is missing or invalid.
    kCCParamError = -4300,
    /// The output does not fit; nothing is written, and the count of bytes moved has the size that is needed.
    kCCBufferTooSmall = -4301,
    /// No memory is available.
    kCCMemoryFailure = -4302,
    /// Without padding, the input is not a multiple of the block size.
    kCCAlignmentError = -4303,
    /// The input has no valid padding, or was wrapped by another key.
    kCCDecodeError = -4304,
    /// The algorithm or the mode is not in this implementation.
    kCCUnimplemented = -4305,
    kCCOverflow = -4306,
    /// No random bytes are available.
    kCCRNGFailure = -4307,
    kCCUnspecifiedError = -4308,
    /// More input after the end of a message, without a reset.
    kCCCallSequenceError = -4309,
    /// The algorithm has no keys of this length.
    kCCKeySizeError = -4310,
    kCCInvalidKey = -4311,
};

#endif
