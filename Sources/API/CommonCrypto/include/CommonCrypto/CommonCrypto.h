// SPDX-License-Identifier: Apache-2.0
// The functions of Apple's CommonCrypto that code outside of Apple's systems uses. Names, types and values are Apple's, so
// that Swift sees the same declarations; the layout of the contexts is not, and nothing may look inside.
#ifndef COMMON_CRYPTO_H
#define COMMON_CRYPTO_H

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonHMAC.h>
#include <CommonCrypto/CommonKeyDerivation.h>
#include <CommonCrypto/CommonRandom.h>
#include <CommonCrypto/CommonSymmetricKeywrap.h>

#endif
