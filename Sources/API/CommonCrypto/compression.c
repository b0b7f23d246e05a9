// SPDX-License-Identifier: Apache-2.0
// MD5 (RFC 1321, section 3.4), SHA-1, SHA-256 and SHA-512 (FIPS 180-4, section 6). They are here for the contexts, which callers
// copy and give up as they like, and so can hold no reference to an object of swift-crypto. Plain code without tables that are
// looked up by data;
// what a block leaves on the stack is wiped, because HMAC puts keys into blocks.
#define _DEFAULT_SOURCE
#include "compression.h"

#include <string.h>

static inline uint32_t left(uint32_t word, unsigned bits) { return word << bits | word >> (32 - bits); }
static inline uint32_t right(uint32_t word, unsigned bits) { return word >> bits | word << (32 - bits); }
static inline uint64_t right64(uint64_t word, unsigned bits) { return word >> bits | word << (64 - bits); }

static inline uint32_t little_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

// The integer parts of 2^32 times the sine of 1 to 64 (RFC 1321, section 3.4).
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

void common_crypto_compress_md5(void *state, const uint8_t *block) {
    uint32_t *hash = state;
    static const unsigned shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
    for (unsigned step = 0; step < 64; step++) {
        uint32_t function;
        unsigned word;
        switch (step / 16) {
        case 0: function = (b & c) | (~b & d); word = step; break;
        case 1: function = (b & d) | (c & ~d); word = (5 * step + 1) % 16; break;
        case 2: function = b ^ c ^ d; word = (3 * step + 5) % 16; break;
        default: function = c ^ (b | ~d); word = 7 * step % 16; break;
        }
        uint32_t sum = a + function + little_endian(block + 4 * word) + sines[step];
        a = d;
        d = c;
        c = b;
        b += left(sum, shifts[step / 16][step % 4]);
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
}

void common_crypto_compress_sha1(void *state, const uint8_t *block) {
    uint32_t *hash = state;
    uint32_t schedule[80];
    for (unsigned step = 0; step < 16; step++) schedule[step] = big_endian(block + 4 * step);
    for (unsigned step = 16; step < 80; step++) {
        schedule[step] = left(schedule[step - 3] ^ schedule[step - 8] ^ schedule[step - 14] ^ schedule[step - 16], 1);
    }
    uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4];
    for (unsigned step = 0; step < 80; step++) {
        uint32_t function, constant;
        switch (step / 20) {
        case 0: function = (b & c) ^ (~b & d); constant = 0x5a827999; break;
        case 1: function = b ^ c ^ d; constant = 0x6ed9eba1; break;
        case 2: function = (b & c) ^ (b & d) ^ (c & d); constant = 0x8f1bbcdc; break;
        default: function = b ^ c ^ d; constant = 0xca62c1d6; break;
        }
        uint32_t next = left(a, 5) + function + e + constant + schedule[step];
        e = d;
        d = c;
        c = left(b, 30);
        b = a;
        a = next;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    explicit_bzero(schedule, sizeof(schedule));
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
static const uint32_t constants256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

void common_crypto_compress_sha256(void *state, const uint8_t *block) {
    uint32_t *hash = state;
    uint32_t schedule[64], words[8];
    for (unsigned step = 0; step < 16; step++) schedule[step] = big_endian(block + 4 * step);
    for (unsigned step = 16; step < 64; step++) {
        uint32_t early = schedule[step - 15], late = schedule[step - 2];
        schedule[step] = (right(late, 17) ^ right(late, 19) ^ late >> 10) + schedule[step - 7]
            + (right(early, 7) ^ right(early, 18) ^ early >> 3) + schedule[step - 16];
    }
    for (unsigned index = 0; index < 8; index++) words[index] = hash[index];
    for (unsigned step = 0; step < 64; step++) {
        uint32_t a = words[0], b = words[1], c = words[2], e = words[4], f = words[5], g = words[6];
        uint32_t first = words[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g))
            + constants256[step] + schedule[step];
        uint32_t second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        for (unsigned index = 7; index > 0; index--) words[index] = words[index - 1];
        words[4] += first;
        words[0] = first + second;
    }
    for (unsigned index = 0; index < 8; index++) hash[index] += words[index];
    explicit_bzero(schedule, sizeof(schedule));
}

// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (FIPS 180-4, section 4.2.3).
static const uint64_t constants512[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

void common_crypto_compress_sha512(void *state, const uint8_t *block) {
    uint64_t *hash = state;
    uint64_t schedule[80], words[8];
    for (unsigned step = 0; step < 16; step++) {
        schedule[step] = (uint64_t)big_endian(block + 8 * step) << 32 | big_endian(block + 8 * step + 4);
    }
    for (unsigned step = 16; step < 80; step++) {
        uint64_t early = schedule[step - 15], late = schedule[step - 2];
        schedule[step] = (right64(late, 19) ^ right64(late, 61) ^ late >> 6) + schedule[step - 7]
            + (right64(early, 1) ^ right64(early, 8) ^ early >> 7) + schedule[step - 16];
    }
    for (unsigned index = 0; index < 8; index++) words[index] = hash[index];
    for (unsigned step = 0; step < 80; step++) {
        uint64_t a = words[0], b = words[1], c = words[2], e = words[4], f = words[5], g = words[6];
        uint64_t first = words[7] + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) + ((e & f) ^ (~e & g))
            + constants512[step] + schedule[step];
        uint64_t second = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
        for (unsigned index = 7; index > 0; index--) words[index] = words[index - 1];
        words[4] += first;
        words[0] = first + second;
    }
    for (unsigned index = 0; index < 8; index++) hash[index] += words[index];
    explicit_bzero(schedule, sizeof(schedule));
}
