// SPDX-License-Identifier: Apache-2.0
// What each digest function does with one block.
#ifndef COMMON_CRYPTO_COMPRESSION_H
#define COMMON_CRYPTO_COMPRESSION_H

#include <stdint.h>

// The hash is of eight words: of 32 bits for blocks of 64 bytes, of 64 bits for those of 128.
void common_crypto_compress_md5(void *hash, const uint8_t *block);
void common_crypto_compress_sha1(void *hash, const uint8_t *block);
void common_crypto_compress_sha256(void *hash, const uint8_t *block);
void common_crypto_compress_sha512(void *hash, const uint8_t *block);

#endif
