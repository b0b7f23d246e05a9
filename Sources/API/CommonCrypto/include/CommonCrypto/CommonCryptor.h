// SPDX-License-Identifier: Apache-2.0
// AES (FIPS 197) in the modes ECB, CBC and CTR (SP 800-38A), with the padding of PKCS #7 (RFC 5652, section 6.3) or none.
//
// The other algorithms have their names, so that code compiles, and return kCCUnimplemented: they are not for new
// files.
// None of this detects changes to the ciphertext; a CCHmac over it does.
#ifndef COMMON_CRYPTOR_H
#define COMMON_CRYPTOR_H

#include <stddef.h>
#include <stdint.h>

#include <CommonCrypto/CommonCryptoError.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A key, a mode, and a message so far; CCCryptorRelease wipes and frees it.
typedef struct _CCCryptor *CCCryptorRef;

enum {
    kCCEncrypt = 0,
    kCCDecrypt,
};
typedef uint32_t CCOperation;

enum {
    kCCAlgorithmAES128 = 0,
    kCCAlgorithmAES = 0,
    kCCAlgorithmDES,
    kCCAlgorithm3DES,
    kCCAlgorithmCAST,
    kCCAlgorithmRC4,
    kCCAlgorithmRC2,
    kCCAlgorithmBlowfish,
};
typedef uint32_t CCAlgorithm;

enum {
    /// Pads the last block, and removes the padding; without it the input must be whole blocks.
    kCCOptionPKCS7Padding = 0x0001,
    /// Encrypts each block separately, which reveals equal blocks. The default is CBC.
    kCCOptionECBMode = 0x0002,
};
typedef uint32_t CCOptions;

enum {
    kCCKeySizeAES128 = 16,
    kCCKeySizeAES192 = 24,
    kCCKeySizeAES256 = 32,
    kCCKeySizeDES = 8,
    kCCKeySize3DES = 24,
    kCCKeySizeMinCAST = 5,
    kCCKeySizeMaxCAST = 16,
    kCCKeySizeMinRC4 = 1,
    kCCKeySizeMaxRC4 = 512,
    kCCKeySizeMinRC2 = 1,
    kCCKeySizeMaxRC2 = 128,
    kCCKeySizeMinBlowfish = 8,
    kCCKeySizeMaxBlowfish = 56,
};

enum {
    kCCBlockSizeAES128 = 16,
    kCCBlockSizeDES = 8,
    kCCBlockSize3DES = 8,
    kCCBlockSizeCAST = 8,
    kCCBlockSizeRC2 = 8,
    kCCBlockSizeBlowfish = 8,
};

enum {
    kCCModeECB = 1,
    kCCModeCBC = 2,
    kCCModeCFB = 3,
    kCCModeCTR = 4,
    kCCModeOFB = 7,
    kCCModeRC4 = 9,
    kCCModeCFB8 = 10,
};
typedef uint32_t CCMode;

enum {
    ccNoPadding = 0,
    ccPKCS7Padding = 1,
};
typedef uint32_t CCPadding;

enum {
    kCCModeOptionCTR_LE = 0x0001,
    kCCModeOptionCTR_BE = 0x0002,
};
typedef uint32_t CCModeOptions;

/// Creates a cryptor for CBC, or ECB with kCCOptionECBMode. The key has keyLength bytes, the initialization vector one
/// block; NULL means zeros. Fails with kCCParamError, kCCKeySizeError, kCCUnimplemented.
CCCryptorStatus CCCryptorCreate(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    CCCryptorRef *cryptorRef);

/// Creates a cryptor for kCCModeECB, kCCModeCBC or kCCModeCTR; the other modes are kCCUnimplemented. In CTR, iv is the
/// first counter block, incremented from its last byte. The tweak and the number of rounds are ignored.
CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key, size_t keyLength,
    const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef);

/// Wipes and frees a cryptor.
CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef);

/// Processes a part of the message, and writes the blocks that are ready. Input and output may be the same memory. If
/// dataOutAvailable is too small, nothing happens: kCCBufferTooSmall, with the required size in dataOutMoved.
CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
    size_t *dataOutMoved);

/// Ends the message, with the last block if there is padding. After kCCBufferTooSmall it can be called again; otherwise
/// the cryptor accepts nothing more until CCCryptorReset.
CCCryptorStatus CCCryptorFinal(
    CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/// The maximum output of the next CCCryptorUpdate for that many bytes; if final is true, together with CCCryptorFinal.
size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, _Bool final);

/// Discards the message so far, and starts one with the same key and another initialization vector; NULL means zeros.
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv);

/// Encrypts or decrypts a whole message: CCCryptorCreate, CCCryptorUpdate and CCCryptorFinal in one.
CCCryptorStatus CCCrypt(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

#ifdef __cplusplus
}
#endif
#endif
