// SPDX-License-Identifier: Apache-2.0
// What each digest function does with one block.
#ifndef COMMON_CRYPTO_COMPRESSION_H
#define COMMON_CRYPTO_COMPRESSION_H

#include <stdint.h>

void common_crypto_compress_md5(uint32_t hash[8], const uint8_t block[64]);
void common_crypto_compress_sha1(uint32_t hash[8], const uint8_t block[64]);
void common_crypto_compress_sha256(uint32_t hash[8], const uint8_t block[64]);
void common_crypto_compress_sha512(uint64_t hash[8], const uint8_t block[128]);

#endif
