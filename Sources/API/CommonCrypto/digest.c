// SPDX-License-Identifier: Apache-2.0
// The contexts of CommonDigest.h: initial values, blocks, and the padding at the end of a message.
#define _DEFAULT_SOURCE
#include "digest.h"

#include <string.h>

#include "compression.h"

typedef struct CC_small_block_state small_state;
typedef struct CC_large_block_state large_state;
typedef void (*compression)(void *hash, const uint8_t *block);

static void init_small(small_state *state, const uint32_t initial[8]) {
    memset(state, 0, sizeof(*state));
    memcpy(state->hash, initial, sizeof(state->hash));
}

static void init_large(large_state *state, const uint64_t initial[8]) {
    memset(state, 0, sizeof(*state));
    memcpy(state->hash, initial, sizeof(state->hash));
}

// Processes the whole blocks of the buffered bytes and `data`, and keeps the remaining bytes in the buffer.
static void take_blocks(
    compression compress, void *hash, uint8_t *buffer, size_t block_length, size_t filled, const uint8_t *data,
    size_t length) {
    while (length > 0) {
        if (filled == 0 && length >= block_length) {
            compress(hash, data);
            data += block_length;
            length -= block_length;
            continue;
        }
        size_t part = block_length - filled;
        if (part > length) part = length;
        memcpy(buffer + filled, data, part);
        data += part;
        length -= part;
        filled += part;
        if (filled == block_length) {
            compress(hash, buffer);
            filled = 0;
        }
    }
}

static void update_small(small_state *state, compression compress, const uint8_t *data, size_t length) {
    size_t filled = state->count % sizeof(state->buffer);
    state->count += length;
    take_blocks(compress, state->hash, state->buffer, sizeof(state->buffer), filled, data, length);
}

static void update_large(large_state *state, const uint8_t *data, size_t length) {
    size_t filled = state->count % sizeof(state->buffer);
    state->count += length;
    take_blocks(common_crypto_compress_sha512, state->hash, state->buffer, sizeof(state->buffer), filled, data, length);
}

static void write_word(uint8_t *bytes, uint64_t word, size_t length, int little_endian) {
    for (size_t index = 0; index < length; index++) {
        size_t place = little_endian ? index : length - 1 - index;
        bytes[place] = (uint8_t)(word >> (8 * index));
    }
}

// One bit, then zeros, then the length of the message in bits at the end of a block.
static void final_small(
    small_state *state, compression compress, uint8_t *digest, size_t digest_length, int little_endian) {
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = state->count << 3;
    uint8_t length[8];
    write_word(length, bits, sizeof(length), little_endian);
    update_small(state, compress, padding, 1 + (119 - state->count % 64) % 64);
    update_small(state, compress, length, sizeof(length));
    for (size_t index = 0; index < digest_length / 4; index++) {
        write_word(digest + 4 * index, state->hash[index], 4, little_endian);
    }
    explicit_bzero(state, sizeof(*state));
}

static void final_large(large_state *state, uint8_t *digest, size_t digest_length) {
    static const uint8_t padding[128] = {0x80};
    uint8_t length[16] = {0};
    write_word(length, state->count >> 61, 8, 0);
    write_word(length + 8, state->count << 3, 8, 0);
    update_large(state, padding, 1 + (239 - state->count % 128) % 128);
    update_large(state, length, sizeof(length));
    for (size_t index = 0; index < digest_length / 8; index++) write_word(digest + 8 * index, state->hash[index], 8, 0);
    explicit_bzero(state, sizeof(*state));
}

static const uint32_t initial_md5[8] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
static const uint32_t initial_sha1[8] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
static const uint32_t initial_sha224[8] = {
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};
static const uint32_t initial_sha256[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint64_t initial_sha384[8] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
static const uint64_t initial_sha512[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

// The functions of one digest: those of the table, and those of CommonDigest.h.
#define DIGEST(NAME, name, CONTEXT, DIGEST_LENGTH, BLOCK_LENGTH, INIT, UPDATE, FINAL)                                    \
    static void init_##name(void *state) { INIT(state, initial_##name); }                                               \
    static void update_##name(void *state, const uint8_t *data, size_t length) { UPDATE; }                              \
    static void final_##name(void *state, uint8_t *digest) { FINAL; }                                                   \
    const digest_function common_crypto_##name = {                                                                      \
        DIGEST_LENGTH, BLOCK_LENGTH, init_##name, update_##name, final_##name,                                          \
    };                                                                                                                  \
    int CC_##NAME##_Init(CONTEXT *c) {                                                                                  \
        init_##name(c);                                                                                                 \
        return 1;                                                                                                       \
    }                                                                                                                   \
    int CC_##NAME##_Update(CONTEXT *c, const void *data, CC_LONG len) {                                                 \
        update_##name(c, data, len);                                                                                    \
        return 1;                                                                                                       \
    }                                                                                                                   \
    int CC_##NAME##_Final(unsigned char *md, CONTEXT *c) {                                                              \
        final_##name(c, md);                                                                                            \
        return 1;                                                                                                       \
    }

#define SMALL_DIGEST(NAME, name, CONTEXT, LENGTH, compress, little_endian)                                            \
    DIGEST(NAME, name, CONTEXT, LENGTH, 64, init_small, update_small(state, compress, data, length),                 \
           final_small(state, compress, digest, LENGTH, little_endian))

#define LARGE_DIGEST(NAME, name, LENGTH)                                                                                 \
    DIGEST(NAME, name, CC_SHA512_CTX, LENGTH, 128, init_large, update_large(state, data, length),                       \
           final_large(state, digest, LENGTH))

SMALL_DIGEST(MD5, md5, CC_MD5_CTX, CC_MD5_DIGEST_LENGTH, common_crypto_compress_md5, 1)
SMALL_DIGEST(SHA1, sha1, CC_SHA1_CTX, CC_SHA1_DIGEST_LENGTH, common_crypto_compress_sha1, 0)
SMALL_DIGEST(SHA224, sha224, CC_SHA256_CTX, CC_SHA224_DIGEST_LENGTH, common_crypto_compress_sha256, 0)
SMALL_DIGEST(SHA256, sha256, CC_SHA256_CTX, CC_SHA256_DIGEST_LENGTH, common_crypto_compress_sha256, 0)
LARGE_DIGEST(SHA384, sha384, CC_SHA384_DIGEST_LENGTH)
LARGE_DIGEST(SHA512, sha512, CC_SHA512_DIGEST_LENGTH)

// swift-crypto has no SHA-224, so this one is not with the others in CommonCryptoFunctions.
unsigned char *CC_SHA224(const void *data, CC_LONG len, unsigned char *md) {
    CC_SHA256_CTX context;
    if (md == NULL) return NULL;
    CC_SHA224_Init(&context);
    CC_SHA224_Update(&context, data, len);
    CC_SHA224_Final(md, &context);
    return md;
}
