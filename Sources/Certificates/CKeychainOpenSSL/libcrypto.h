// SPDX-License-Identifier: Apache-2.0
// The functions of libcrypto that are called, as OpenSSL's headers declare them: the compiler checks every call.
#ifndef KEYCHAIN_LIBCRYPTO_H
#define KEYCHAIN_LIBCRYPTO_H

#if !__has_include(<openssl/opensslv.h>)
#error "The headers of OpenSSL 3 are missing: install libssl-dev (Debian, Ubuntu) or openssl-devel (Fedora)."
#endif

#include <openssl/opensslv.h>
#if OPENSSL_VERSION_MAJOR != 3
#error "These are not the headers of OpenSSL 3, whose libcrypto.so.3 is loaded."
#endif

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/stack.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "CKeychainOpenSSL.h"

#define LIBCRYPTO_FUNCTIONS(FUNCTION)           \
    FUNCTION(BIO_free)                          \
    FUNCTION(BIO_new_mem_buf)                   \
    FUNCTION(BN_CTX_free)                       \
    FUNCTION(BN_CTX_secure_new_ex)              \
    FUNCTION(BN_bin2bn)                         \
    FUNCTION(BN_bn2binpad)                      \
    FUNCTION(BN_clear_free)                     \
    FUNCTION(BN_mod_exp_mont_consttime)         \
    FUNCTION(BN_secure_new)                     \
    FUNCTION(BN_set_flags)                      \
    FUNCTION(ERR_clear_error)                   \
    FUNCTION(OBJ_nid2obj)                       \
    FUNCTION(OCSP_BASICRESP_free)               \
    FUNCTION(OCSP_CERTID_free)                  \
    FUNCTION(OCSP_RESPONSE_free)                \
    FUNCTION(OCSP_basic_verify)                 \
    FUNCTION(OCSP_cert_to_id)                   \
    FUNCTION(OCSP_resp_find_status)             \
    FUNCTION(OCSP_response_get1_basic)          \
    FUNCTION(OPENSSL_sk_free)                   \
    FUNCTION(OPENSSL_sk_new_null)               \
    FUNCTION(OPENSSL_sk_num)                    \
    FUNCTION(OPENSSL_sk_value)                  \
    FUNCTION(OSSL_LIB_CTX_new)                  \
    FUNCTION(OSSL_LIB_CTX_set0_default)         \
    FUNCTION(PEM_read_bio_X509)                 \
    FUNCTION(X509_STORE_CTX_free)               \
    FUNCTION(X509_STORE_CTX_get0_chain)         \
    FUNCTION(X509_STORE_CTX_get0_param)         \
    FUNCTION(X509_STORE_CTX_get_error)          \
    FUNCTION(X509_STORE_CTX_get_error_depth)    \
    FUNCTION(X509_STORE_CTX_init)               \
    FUNCTION(X509_STORE_CTX_new_ex)             \
    FUNCTION(X509_STORE_CTX_set_verify_cb)      \
    FUNCTION(X509_STORE_add_cert)               \
    FUNCTION(X509_STORE_free)                   \
    FUNCTION(X509_STORE_get0_param)             \
    FUNCTION(X509_STORE_new)                    \
    FUNCTION(X509_VERIFY_PARAM_add0_policy)     \
    FUNCTION(X509_VERIFY_PARAM_set_auth_level)  \
    FUNCTION(X509_VERIFY_PARAM_set_flags)       \
    FUNCTION(X509_VERIFY_PARAM_set_time)        \
    FUNCTION(X509_add_cert)                     \
    FUNCTION(X509_check_ca)                     \
    FUNCTION(X509_check_email)                  \
    FUNCTION(X509_cmp_time)                     \
    FUNCTION(X509_free)                         \
    FUNCTION(X509_new_ex)                       \
    FUNCTION(X509_verify_cert)                  \
    FUNCTION(d2i_OCSP_RESPONSE)                 \
    FUNCTION(d2i_X509)                          \
    FUNCTION(i2d_X509)

struct keychain_openssl {
    OSSL_LIB_CTX *context;
#define DECLARE(name) __typeof__(name) *name;
    LIBCRYPTO_FUNCTIONS(DECLARE)
#undef DECLARE
};

#endif
