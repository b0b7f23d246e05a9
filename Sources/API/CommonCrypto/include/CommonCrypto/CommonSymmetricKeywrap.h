// SPDX-License-Identifier: Apache-2.0
// AES key wrap (RFC 3394), with the initial value of its section 2.2.3.1 only.
#ifndef COMMON_SYMMETRIC_KEY_WRAP_H
#define COMMON_SYMMETRIC_KEY_WRAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCWRAPAES = 1,
};
typedef uint32_t CCWrappingAlgorithm;

/// The initial value of RFC 3394, of 8 bytes.
extern const uint8_t *const CCrfc3394_iv;
extern const size_t CCrfc3394_ivLen;

/// Wraps a key of a multiple of 8 bytes, at least 16. Fails with kCCParamError, kCCKeySizeError for the key that wraps, kCCUnimplemented
/// for another initial value, kCCBufferTooSmall with the size needed in wrappedKeyLen, which has the size of wrappedKey before.
int CCSymmetricKeyWrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey, size_t *wrappedKeyLen);

/// Unwraps a key. Fails as CCSymmetricKeyWrap does, and with kCCDecodeError when another key wrapped it.
int CCSymmetricKeyUnwrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *wrappedKey, size_t wrappedKeyLen, uint8_t *rawKey, size_t *rawKeyLen);

/// The length of a wrapped key, in bytes.
size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen);

/// The length of a key that was wrapped, in bytes.
size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen);

#ifdef __cplusplus
}
#endif
#endif
