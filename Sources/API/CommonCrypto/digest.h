// SPDX-License-Identifier: Apache-2.0
// The digests in one form, for the contexts of digests and of HMAC.
#ifndef COMMON_CRYPTO_DIGEST_H
#define COMMON_CRYPTO_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <CommonCrypto/CommonDigest.h>

/// Either kind of context.
typedef union {
    struct CC_small_block_state small;
    struct CC_large_block_state large;
} digest_state;

/// A digest function.
typedef struct {
    size_t digest_length, block_length;
    void (*init)(void *state);
    void (*update)(void *state, const uint8_t *data, size_t length);
    /// Writes the digest, and wipes the state.
    void (*final)(void *state, uint8_t *digest);
} digest_function;

extern const digest_function common_crypto_md5, common_crypto_sha1, common_crypto_sha224, common_crypto_sha256,
    common_crypto_sha384, common_crypto_sha512;

#endif
