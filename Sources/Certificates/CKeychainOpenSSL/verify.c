// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.h"

// What the macros sk_X509_… call.
#define OPENSSL_sk_free openssl->OPENSSL_sk_free
#define OPENSSL_sk_num openssl->OPENSSL_sk_num
#define OPENSSL_sk_value openssl->OPENSSL_sk_value

// A list that does not own its certificates.
static STACK_OF(X509) *new_stack(const keychain_openssl *openssl, X509 *const *certificates, size_t count) {
    // Not sk_X509_new_null, because headers of later versions may have it call functions that earlier versions lack.
    STACK_OF(X509) *stack = (STACK_OF(X509) *)openssl->OPENSSL_sk_new_null();
    for (size_t index = 0; stack != NULL && index < count; index++) {
        if (openssl->X509_add_cert(stack, certificates[index], X509_ADD_FLAG_DEFAULT) != 1) {
            sk_X509_free(stack);
            stack = NULL;
        }
    }
    return stack;
}

static X509_STORE *new_store(const keychain_openssl *openssl, X509 *const *anchors, size_t count) {
    X509_STORE *store = openssl->X509_STORE_new();
    for (size_t index = 0; store != NULL && index < count; index++) {
        // The store counts its own references; a certificate that is there already is passed over.
        if (openssl->X509_STORE_add_cert(store, anchors[index]) != 1) {
            openssl->X509_STORE_free(store);
            store = NULL;
        }
    }
    return store;
}

static void set_param(const keychain_openssl *openssl, X509_VERIFY_PARAM *param, int64_t time) {
    openssl->X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK);
    // Any certificate policy is acceptable.
    openssl->X509_VERIFY_PARAM_add0_policy(param, openssl->OBJ_nid2obj(NID_any_policy));
    openssl->X509_VERIFY_PARAM_set_time(param, (time_t)time);
}

struct verification {
    const keychain_openssl *openssl;
    void (*note)(void *context, int error, int depth);
    void *context;
};

// The one that this thread is in; X509_verify_cert calls back on the thread that called it. Data of the context would take
// a function of the library to get at.
static _Thread_local const struct verification *current;

static int verify_callback(int ok, X509_STORE_CTX *ctx) {
    const keychain_openssl *openssl = current->openssl;
    if (!ok) {
        int error = openssl->X509_STORE_CTX_get_error(ctx);
        current->note(current->context, error, openssl->X509_STORE_CTX_get_error_depth(ctx));
    }
    // Goes on, so that every error is known.
    return 1;
}

int keychain_x509_verify(const keychain_openssl *openssl, X509 *leaf, X509 *const *untrusted, size_t untrusted_count,
                         X509 *const *anchors, size_t anchor_count, int64_t time, int security_level,
                         void (*note)(void *context, int error, int depth),
                         void (*add)(void *context, const X509 *certificate, int is_authority), void *context) {
    int result = -1;
    X509_STORE *store = new_store(openssl, anchors, anchor_count);
    STACK_OF(X509) *stack = new_stack(openssl, untrusted, untrusted_count);
    X509_STORE_CTX *ctx = openssl->X509_STORE_CTX_new_ex(openssl->context, NULL);
    if (store != NULL && stack != NULL && ctx != NULL && openssl->X509_STORE_CTX_init(ctx, store, leaf, stack) == 1) {
        X509_VERIFY_PARAM *param = openssl->X509_STORE_CTX_get0_param(ctx);
        set_param(openssl, param, time);
        openssl->X509_VERIFY_PARAM_set_auth_level(param, security_level);
        openssl->X509_STORE_CTX_set_verify_cb(ctx, verify_callback);
        const struct verification verification = {openssl, note, context};
        current = &verification;
        // The callback ends nothing: what does, such as short memory, leaves checks undone.
        result = openssl->X509_verify_cert(ctx) == 1;
        current = NULL;
        const STACK_OF(X509) *chain = openssl->X509_STORE_CTX_get0_chain(ctx);
        for (int index = 0; chain != NULL && index < sk_X509_num(chain); index++) {
            X509 *certificate = sk_X509_value(chain, index);
            add(context, certificate, openssl->X509_check_ca(certificate) == 1);
        }
    }
    openssl->X509_STORE_CTX_free(ctx);
    sk_X509_free(stack);
    openssl->X509_STORE_free(store);
    openssl->ERR_clear_error();
    return result;
}

int keychain_ocsp_status(const keychain_openssl *openssl, const uint8_t *der, size_t count, X509 *certificate,
                         X509 *issuer, int64_t time) {
    int result = -1;
    const unsigned char *end = der;
    // Functions of OCSP take no context, but that of the thread.
    OSSL_LIB_CTX *before = openssl->OSSL_LIB_CTX_set0_default(openssl->context);
    OCSP_RESPONSE *response = openssl->d2i_OCSP_RESPONSE(NULL, &end, (long)count);
    OCSP_BASICRESP *basic = response != NULL ? openssl->OCSP_response_get1_basic(response) : NULL;
    OCSP_CERTID *id = openssl->OCSP_cert_to_id(NULL, certificate, issuer);
    STACK_OF(X509) *stack = new_stack(openssl, &issuer, 1);
    X509_STORE *store = new_store(openssl, &issuer, 1);
    if (basic != NULL && id != NULL && stack != NULL && store != NULL) {
        set_param(openssl, openssl->X509_STORE_get0_param(store), time);
        int status, reason;
        ASN1_GENERALIZEDTIME *revoked_at, *this_update, *next_update;
        time_t at = (time_t)time;
        // Certificates of the list that have signed the response need no chain.
        if (openssl->OCSP_basic_verify(basic, stack, store, OCSP_TRUSTOTHER) == 1 &&
            openssl->OCSP_resp_find_status(basic, id, &status, &reason, &revoked_at, &this_update, &next_update) == 1 &&
            openssl->X509_cmp_time(this_update, &at) < 0 &&
            (next_update == NULL || openssl->X509_cmp_time(next_update, &at) > 0) &&
            (status == V_OCSP_CERTSTATUS_GOOD || status == V_OCSP_CERTSTATUS_REVOKED)) {
            result = status;
        }
    }
    openssl->X509_STORE_free(store);
    sk_X509_free(stack);
    openssl->OCSP_CERTID_free(id);
    openssl->OCSP_BASICRESP_free(basic);
    openssl->OCSP_RESPONSE_free(response);
    openssl->OSSL_LIB_CTX_set0_default(before);
    openssl->ERR_clear_error();
    return result;
}
