// SPDX-License-Identifier: Apache-2.0
// Random bytes of the system's generator (getrandom(2)).
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stddef.h>

#include <CommonCrypto/CommonCryptoError.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes count random bytes. Fails with kCCParamError for NULL, with kCCRNGFailure if the system has none; the bytes
/// must not be used then.
CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
