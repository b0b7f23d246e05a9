// SPDX-License-Identifier: Apache-2.0
// HMAC (RFC 2104, FIPS 198-1).
//
// CCHmac writes as many bytes to macOut as the digest has. A context takes a message in parts; it is a plain value, and
// the end of the message wipes it. Do not discard a context that holds a key: end it, or overwrite it. For an algorithm
// that is not listed, nothing is written.
#ifndef COMMON_HMAC_H
#define COMMON_HMAC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCHmacAlgSHA1,
    kCCHmacAlgMD5,
    kCCHmacAlgSHA256,
    kCCHmacAlgSHA384,
    kCCHmacAlgSHA512,
    kCCHmacAlgSHA224,
};
typedef uint32_t CCHmacAlgorithm;

#define CC_HMAC_CONTEXT_SIZE 96

/// A message so far, with what is left of the key.
typedef struct {
    uint32_t ctx[CC_HMAC_CONTEXT_SIZE];
} CCHmacContext;

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);
void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);
void CCHmacFinal(CCHmacContext *ctx, void *macOut);
void CCHmac(
    CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength, void *macOut);

#ifdef __cplusplus
}
#endif
#endif
