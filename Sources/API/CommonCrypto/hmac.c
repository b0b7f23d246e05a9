// SPDX-License-Identifier: Apache-2.0
// The contexts of CommonHMAC.h (RFC 2104): the digest of the inner message so far, and that of the outer one after the key.
#define _DEFAULT_SOURCE
#include <CommonCrypto/CommonHMAC.h>

#include <string.h>

#include "digest.h"

// The contents of a CCHmacContext, which has a smaller alignment. The outer message has one block so far, so its hash
// is its whole state.
typedef struct {
    digest_state inner;
    uint64_t outer[8];
    uint32_t algorithm;
    // 0 in a context that is not initialized, or at its end.
    uint32_t ready;
} hmac_state;

_Static_assert(sizeof(hmac_state) <= sizeof(CCHmacContext), "a context has room for the state");
_Static_assert(sizeof(((digest_state *)0)->small.hash) <= sizeof(((hmac_state *)0)->outer), "and for either hash");

static const digest_function *function_of(CCHmacAlgorithm algorithm) {
    switch (algorithm) {
    case kCCHmacAlgSHA1: return &common_crypto_sha1;
    case kCCHmacAlgMD5: return &common_crypto_md5;
    case kCCHmacAlgSHA256: return &common_crypto_sha256;
    case kCCHmacAlgSHA384: return &common_crypto_sha384;
    case kCCHmacAlgSHA512: return &common_crypto_sha512;
    case kCCHmacAlgSHA224: return &common_crypto_sha224;
    default: return NULL;
    }
}

static void begin(const digest_function *function, digest_state *state, const uint8_t *key, uint8_t mask) {
    uint8_t block[128];
    for (size_t index = 0; index < function->block_length; index++) block[index] = key[index] ^ mask;
    function->init(state);
    function->update(state, block, function->block_length);
    explicit_bzero(block, sizeof(block));
}

static void load(hmac_state *state, const CCHmacContext *ctx) { memcpy(state, ctx->ctx, sizeof(*state)); }

static void store(hmac_state *state, CCHmacContext *ctx) {
    memcpy(ctx->ctx, state, sizeof(*state));
    explicit_bzero(state, sizeof(*state));
}

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength) {
    const digest_function *function = function_of(algorithm);
    explicit_bzero(ctx, sizeof(*ctx));
    if (function == NULL) return;

    uint8_t padded[128] = {0};
    digest_state outer;
    if (keyLength > function->block_length) {
        function->init(&outer);
        function->update(&outer, key, keyLength);
        function->final(&outer, padded);
    } else if (keyLength > 0) {
        memcpy(padded, key, keyLength);
    }
    hmac_state state = {.algorithm = algorithm, .ready = 1};
    begin(function, &state.inner, padded, 0x36);
    begin(function, &outer, padded, 0x5c);
    if (function->block_length == 64) {
        memcpy(state.outer, outer.small.hash, sizeof(outer.small.hash));
    } else {
        memcpy(state.outer, outer.large.hash, sizeof(outer.large.hash));
    }
    explicit_bzero(padded, sizeof(padded));
    explicit_bzero(&outer, sizeof(outer));
    store(&state, ctx);
}

void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength) {
    hmac_state state;
    load(&state, ctx);
    if (state.ready) function_of(state.algorithm)->update(&state.inner, data, dataLength);
    store(&state, ctx);
}

void CCHmacFinal(CCHmacContext *ctx, void *macOut) {
    hmac_state state;
    load(&state, ctx);
    if (state.ready) {
        const digest_function *function = function_of(state.algorithm);
        uint8_t digest[64];
        digest_state outer;
        function->final(&state.inner, digest);
        function->init(&outer);
        if (function->block_length == 64) {
            memcpy(outer.small.hash, state.outer, sizeof(outer.small.hash));
            outer.small.count = function->block_length;
        } else {
            memcpy(outer.large.hash, state.outer, sizeof(outer.large.hash));
            outer.large.count = function->block_length;
        }
        function->update(&outer, digest, function->digest_length);
        function->final(&outer, macOut);
        explicit_bzero(digest, sizeof(digest));
    }
    explicit_bzero(&state, sizeof(state));
    explicit_bzero(ctx, sizeof(*ctx));
}
