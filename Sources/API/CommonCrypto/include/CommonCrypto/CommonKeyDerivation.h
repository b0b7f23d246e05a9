// SPDX-License-Identifier: Apache-2.0
// PBKDF2 (RFC 8018, section 5.2) with HMAC.
#ifndef COMMON_KEY_DERIVATION_H
#define COMMON_KEY_DERIVATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCPBKDF2 = 2,
};
typedef uint32_t CCPBKDFAlgorithm;

enum {
    kCCPRFHmacAlgSHA1 = 1,
    kCCPRFHmacAlgSHA224 = 2,
    kCCPRFHmacAlgSHA256 = 3,
    kCCPRFHmacAlgSHA384 = 4,
    kCCPRFHmacAlgSHA512 = 5,
};
typedef uint32_t CCPseudoRandomAlgorithm;

/// Derives derivedKeyLen bytes from a password. kCCParamError for NULL, for no rounds, for an algorithm or a function that is
/// not in the lists, and for a key of no bytes.
int CCKeyDerivationPBKDF(
    CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen,
    CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen);

/// The number of rounds that take about msec milliseconds on this machine, at least 10,000; 0 for arguments that a
/// derivation rejects.
unsigned CCCalibratePBKDF(
    CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen, CCPseudoRandomAlgorithm prf, size_t derivedKeyLen,
    uint32_t msec);

#ifdef __cplusplus
}
#endif
#endif
