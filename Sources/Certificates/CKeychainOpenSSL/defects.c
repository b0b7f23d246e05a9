// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.h"

const char *keychain_x509_defect(int error) {
    switch (error) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        case X509_V_ERR_CERT_UNTRUSTED:
        case X509_V_ERR_CERT_REJECTED:
            return "untrusted";
        case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
        case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
        case X509_V_ERR_NO_ISSUER_PUBLIC_KEY:
        case X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY:
        case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
        case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
        case X509_V_ERR_INVALID_EXTENSION:
        case X509_V_ERR_INVALID_POLICY_EXTENSION:
            return "malformed";
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
            return "signature";
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return "notYetValid";
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "expired";
        case X509_V_ERR_OUT_OF_MEM:
            return "outOfMemory";
        case X509_V_ERR_CERT_CHAIN_TOO_LONG:
            return "chainTooLong";
        case X509_V_ERR_CERT_REVOKED:
            return "revoked";
        case X509_V_ERR_INVALID_NON_CA:
        case X509_V_ERR_INVALID_CA:
            return "notAuthority";
        case X509_V_ERR_PATH_LENGTH_EXCEEDED:
        case X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA:
            return "pathLength";
        case X509_V_ERR_INVALID_PURPOSE:
            return "purpose";
        case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            return "keyUsage";
        case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION:
        case X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED:
            return "unknownCriticalExtension";
        case X509_V_ERR_NO_EXPLICIT_POLICY:
            return "policyNotAllowed";
        case X509_V_ERR_PERMITTED_VIOLATION:
        case X509_V_ERR_EXCLUDED_VIOLATION:
        case X509_V_ERR_SUBTREE_MINMAX:
        case X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE:
        case X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX:
        case X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
            return "nameNotAllowed";
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "hostName";
        case X509_V_ERR_EMAIL_MISMATCH:
            return "emailAddress";
        case X509_V_ERR_EE_KEY_TOO_SMALL:
        case X509_V_ERR_CA_KEY_TOO_SMALL:
        case X509_V_ERR_EC_KEY_EXPLICIT_PARAMS:
            return "weakKey";
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return "weakDigest";
        case X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM:
            return "unsupportedKey";
        default:
            return "invalidChain";
    }
}
