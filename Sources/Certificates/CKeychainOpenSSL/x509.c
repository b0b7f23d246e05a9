// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.h"

#include <limits.h>

X509 *keychain_x509_parse(const keychain_openssl *openssl, const uint8_t *der, size_t count) {
    X509 *certificate = openssl->X509_new_ex(openssl->context, NULL);
    if (certificate == NULL) return NULL;
    const unsigned char *end = der;
    // Where it fails, it frees the certificate, and sets it to NULL.
    if (openssl->d2i_X509(&certificate, &end, (long)count) != NULL && end != der + count) {
        openssl->X509_free(certificate);
        certificate = NULL;
    }
    openssl->ERR_clear_error();
    return certificate;
}

void keychain_x509_free(const keychain_openssl *openssl, X509 *certificate) { openssl->X509_free(certificate); }

// Without this, OpenSSL would ask for the password of an encrypted document on the terminal (pem_password_cb(3)).
static int no_password(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

void keychain_x509_each_pem(const keychain_openssl *openssl, const uint8_t *pem, size_t count,
                            void (*take)(void *context, X509 *certificate), void *context) {
    BIO *bio = openssl->BIO_new_mem_buf(pem, count < INT_MAX ? (int)count : INT_MAX);
    while (bio != NULL) {
        X509 *certificate = openssl->X509_new_ex(openssl->context, NULL);
        if (certificate == NULL || openssl->PEM_read_bio_X509(bio, &certificate, no_password, NULL) == NULL) {
            openssl->X509_free(certificate);
            break;
        }
        take(context, certificate);
    }
    openssl->BIO_free(bio);
    openssl->ERR_clear_error();
}

size_t keychain_x509_der(const keychain_openssl *openssl, const X509 *certificate, uint8_t *der, size_t capacity) {
    int count = openssl->i2d_X509(certificate, NULL);
    if (count > 0 && (size_t)count <= capacity) count = openssl->i2d_X509(certificate, &der);
    return count > 0 ? (size_t)count : 0;
}

int keychain_x509_has_email(const keychain_openssl *openssl, X509 *certificate, const char *address, size_t length) {
    int result = openssl->X509_check_email(certificate, address, length, 0);
    openssl->ERR_clear_error();
    return result == 1;
}
