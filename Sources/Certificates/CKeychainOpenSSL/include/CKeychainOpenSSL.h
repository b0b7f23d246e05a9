// SPDX-License-Identifier: Apache-2.0
// What is asked of OpenSSL 3: to read certificates, to verify them, and to agree on keys. libcrypto is not linked but
// loaded, so that who needs none of that needs no libcrypto. Certificates are X509 of OpenSSL; all else but the library
// is freed before a function returns. All functions are thread-safe, and leave no errors in OpenSSL's queue of the
// thread.
#ifndef CKEYCHAIN_OPENSSL_H
#define CKEYCHAIN_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

struct x509_st;

// The functions of a libcrypto, and a library context of our own (OSSL_LIB_CTX(3)), so that neither openssl.cnf nor
// what the program does with libcrypto changes what is accepted. Both stay for as long as the process.
typedef struct keychain_openssl keychain_openssl;

// Whether this program is linked statically: libcrypto would bring a second C library with it, and give wrong verdicts.
int keychain_program_is_static(void);

// Loads the libcrypto of a file name (dlopen(3)); NULL with a reason that names the file or function that is missing.
keychain_openssl *keychain_openssl_load(const char *file, char *reason, size_t capacity);

// Reads a certificate in DER, of exactly these bytes; NULL for bytes that are none.
struct x509_st *keychain_x509_parse(const keychain_openssl *openssl, const uint8_t *der, size_t count);
void keychain_x509_free(const keychain_openssl *openssl, struct x509_st *certificate);

// Hands over the certificates of PEM documents (RFC 7468), up to the first that cannot be read. The callback owns them.
void keychain_x509_each_pem(const keychain_openssl *openssl, const uint8_t *pem, size_t count,
                            void (*take)(void *context, struct x509_st *certificate), void *context);

// The number of bytes of a certificate in DER, which are written if there is room for them; 0 where memory is short.
size_t keychain_x509_der(const keychain_openssl *openssl, const struct x509_st *certificate, uint8_t *der,
                         size_t capacity);

// Whether an e-mail address is one of a certificate's (X509_check_email(3)).
int keychain_x509_has_email(const keychain_openssl *openssl, struct x509_st *certificate, const char *address,
                            size_t length);

// Builds a chain from a certificate to one of the anchors, and verifies it (X509_verify_cert(3)) at a time in seconds
// since 1970. Every anchor ends a chain, also one that another has issued; the policies that a chain asks for itself
// hold (RFC 5280, section 6.1); the security level is that of X509_VERIFY_PARAM_set_auth_level(3).
// Reports every error and its depth (X509_STORE_CTX_get_error(3)); then every certificate of the chain, which is valid
// for the call alone, and whether its basic constraints say that it is an authority (1 of X509_check_ca(3)).
// Returns 1; 0 where checks were left undone, -1 where memory is short.
int keychain_x509_verify(const keychain_openssl *openssl, struct x509_st *leaf, struct x509_st *const *untrusted,
                         size_t untrusted_count, struct x509_st *const *anchors, size_t anchor_count, int64_t time,
                         int security_level, void (*note)(void *context, int error, int depth),
                         void (*add)(void *context, const struct x509_st *certificate, int is_authority),
                         void *context);

// The name of the TrustDefect that an error of keychain_x509_verify is.
const char *keychain_x509_defect(int error);

// Checks an OCSP response in DER (RFC 6960) at a time in seconds since 1970. Returns 0 if the certificate is good, 1 if
// it is revoked (OCSP_resp_find_status(3)), -1 if the response says neither, is out of date, or is signed neither by
// the issuer nor by a responder that the issuer has certified for it (OCSP_basic_verify(3)).
int keychain_ocsp_status(const keychain_openssl *openssl, const uint8_t *der, size_t count,
                         struct x509_st *certificate, struct x509_st *issuer, int64_t time);

// Raises a number to a power modulo an odd number (BN_mod_exp_mont_consttime(3)): the time depends on the lengths
// alone. Numbers are without sign, the highest byte first; the base is less than the modulus, and the result gets as
// many bytes as that. Returns 1; 0 if it fails, as where memory is short.
int keychain_modular_power(const keychain_openssl *openssl, const uint8_t *base, size_t base_count,
                           const uint8_t *exponent, size_t exponent_count, const uint8_t *modulus,
                           size_t modulus_count, uint8_t *result);

#endif
