// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.h"

#include <limits.h>

// A number in memory that is overwritten when it is freed; NULL where memory is short.
static BIGNUM *number(const keychain_openssl *openssl, const uint8_t *bytes, size_t count) {
    BIGNUM *made = openssl->BN_secure_new();
    if (made == NULL || count > INT_MAX || openssl->BN_bin2bn(bytes, (int)count, made) == NULL) {
        openssl->BN_clear_free(made);
        return NULL;
    }
    openssl->BN_set_flags(made, BN_FLG_CONSTTIME);
    return made;
}

int keychain_modular_power(const keychain_openssl *openssl, const uint8_t *base, size_t base_count,
                           const uint8_t *exponent, size_t exponent_count, const uint8_t *modulus,
                           size_t modulus_count, uint8_t *result) {
    BN_CTX *context = openssl->BN_CTX_secure_new_ex(openssl->context);
    BIGNUM *raised = number(openssl, base, base_count);
    BIGNUM *power = number(openssl, exponent, exponent_count);
    BIGNUM *divisor = number(openssl, modulus, modulus_count);
    BIGNUM *remainder = openssl->BN_secure_new();
    int is_done = context != NULL && raised != NULL && power != NULL && divisor != NULL && remainder != NULL &&
                  openssl->BN_mod_exp_mont_consttime(remainder, raised, power, divisor, context, NULL) == 1 &&
                  openssl->BN_bn2binpad(remainder, result, (int)modulus_count) == (int)modulus_count;
    openssl->BN_clear_free(remainder);
    openssl->BN_clear_free(divisor);
    openssl->BN_clear_free(power);
    openssl->BN_clear_free(raised);
    openssl->BN_CTX_free(context);
    openssl->ERR_clear_error();
    return is_done;
}
