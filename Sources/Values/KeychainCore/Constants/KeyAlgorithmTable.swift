// SPDX-License-Identifier: Apache-2.0
//
// A table: long on purpose. Names and values are interoperability facts: the public list of Apple's SecKey.h, with the
// strings of Semantics, "Key algorithms". The salt length of PSS with SHA-224 is 24 in Apple's string, not 28.

/// The table of the public key algorithms.
package enum KeyAlgorithmTable {
    /// One algorithm.
    package struct Row: Hashable, Sendable {
        /// The name of the static member of `SecKeyAlgorithm`.
        package var swiftName: String

        /// The string behind the name, for example `algid:sign:ECDSA:message-X962:SHA256`.
        package var value: String

        fileprivate init(_ swiftName: String, _ value: String) {
            self.swiftName = swiftName
            self.value = value
        }
    }

    /// Every row; names and values are unique.
    package static let rows: [Row] = rsaSignature + ecdsaSignature + rsaEncryption + eciesEncryption + ecdhKeyExchange

    /// RSA signatures.
    private static let rsaSignature: [Row] = [
        Row("rsaSignatureRaw", "algid:sign:RSA:raw"),
        Row("rsaSignatureDigestPKCS1v15Raw", "algid:sign:RSA:digest-PKCS1v15"),
        Row("rsaSignatureDigestPKCS1v15SHA1", "algid:sign:RSA:digest-PKCS1v15:SHA1"),
        Row("rsaSignatureDigestPKCS1v15SHA224", "algid:sign:RSA:digest-PKCS1v15:SHA224"),
        Row("rsaSignatureDigestPKCS1v15SHA256", "algid:sign:RSA:digest-PKCS1v15:SHA256"),
        Row("rsaSignatureDigestPKCS1v15SHA384", "algid:sign:RSA:digest-PKCS1v15:SHA384"),
        Row("rsaSignatureDigestPKCS1v15SHA512", "algid:sign:RSA:digest-PKCS1v15:SHA512"),
        Row("rsaSignatureMessagePKCS1v15SHA1", "algid:sign:RSA:message-PKCS1v15:SHA1"),
        Row("rsaSignatureMessagePKCS1v15SHA224", "algid:sign:RSA:message-PKCS1v15:SHA224"),
        Row("rsaSignatureMessagePKCS1v15SHA256", "algid:sign:RSA:message-PKCS1v15:SHA256"),
        Row("rsaSignatureMessagePKCS1v15SHA384", "algid:sign:RSA:message-PKCS1v15:SHA384"),
        Row("rsaSignatureMessagePKCS1v15SHA512", "algid:sign:RSA:message-PKCS1v15:SHA512"),
        Row("rsaSignatureDigestPSSSHA1", "algid:sign:RSA:digest-PSS:SHA1:SHA1:20"),
        Row("rsaSignatureDigestPSSSHA224", "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"),
        Row("rsaSignatureDigestPSSSHA256", "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"),
        Row("rsaSignatureDigestPSSSHA384", "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"),
        Row("rsaSignatureDigestPSSSHA512", "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"),
        Row("rsaSignatureMessagePSSSHA1", "algid:sign:RSA:message-PSS:SHA1:SHA1:20"),
        Row("rsaSignatureMessagePSSSHA224", "algid:sign:RSA:message-PSS:SHA224:SHA224:24"),
        Row("rsaSignatureMessagePSSSHA256", "algid:sign:RSA:message-PSS:SHA256:SHA256:32"),
        Row("rsaSignatureMessagePSSSHA384", "algid:sign:RSA:message-PSS:SHA384:SHA384:48"),
        Row("rsaSignatureMessagePSSSHA512", "algid:sign:RSA:message-PSS:SHA512:SHA512:64"),
    ]

    /// Signatures with elliptic curves.
    private static let ecdsaSignature: [Row] = [
        Row("ecdsaSignatureRFC4754", "algid:sign:ECDSA:RFC4754"),
        Row("ecdsaSignatureDigestX962", "algid:sign:ECDSA:digest-X962"),
        Row("ecdsaSignatureDigestX962SHA1", "algid:sign:ECDSA:digest-X962:SHA1"),
        Row("ecdsaSignatureDigestX962SHA224", "algid:sign:ECDSA:digest-X962:SHA224"),
        Row("ecdsaSignatureDigestX962SHA256", "algid:sign:ECDSA:digest-X962:SHA256"),
        Row("ecdsaSignatureDigestX962SHA384", "algid:sign:ECDSA:digest-X962:SHA384"),
        Row("ecdsaSignatureDigestX962SHA512", "algid:sign:ECDSA:digest-X962:SHA512"),
        Row("ecdsaSignatureMessageX962SHA1", "algid:sign:ECDSA:message-X962:SHA1"),
        Row("ecdsaSignatureMessageX962SHA224", "algid:sign:ECDSA:message-X962:SHA224"),
        Row("ecdsaSignatureMessageX962SHA256", "algid:sign:ECDSA:message-X962:SHA256"),
        Row("ecdsaSignatureMessageX962SHA384", "algid:sign:ECDSA:message-X962:SHA384"),
        Row("ecdsaSignatureMessageX962SHA512", "algid:sign:ECDSA:message-X962:SHA512"),
        Row("ecdsaSignatureDigestRFC4754", "algid:sign:ECDSA:digest-RFC4754"),
        Row("ecdsaSignatureDigestRFC4754SHA1", "algid:sign:ECDSA:digest-RFC4754:SHA1"),
        Row("ecdsaSignatureDigestRFC4754SHA224", "algid:sign:ECDSA:digest-RFC4754:SHA224"),
        Row("ecdsaSignatureDigestRFC4754SHA256", "algid:sign:ECDSA:digest-RFC4754:SHA256"),
        Row("ecdsaSignatureDigestRFC4754SHA384", "algid:sign:ECDSA:digest-RFC4754:SHA384"),
        Row("ecdsaSignatureDigestRFC4754SHA512", "algid:sign:ECDSA:digest-RFC4754:SHA512"),
        Row("ecdsaSignatureMessageRFC4754SHA1", "algid:sign:ECDSA:message-RFC4754:SHA1"),
        Row("ecdsaSignatureMessageRFC4754SHA224", "algid:sign:ECDSA:message-RFC4754:SHA224"),
        Row("ecdsaSignatureMessageRFC4754SHA256", "algid:sign:ECDSA:message-RFC4754:SHA256"),
        Row("ecdsaSignatureMessageRFC4754SHA384", "algid:sign:ECDSA:message-RFC4754:SHA384"),
        Row("ecdsaSignatureMessageRFC4754SHA512", "algid:sign:ECDSA:message-RFC4754:SHA512"),
    ]

    /// RSA encryption.
    private static let rsaEncryption: [Row] = [
        Row("rsaEncryptionRaw", "algid:encrypt:RSA:raw"),
        Row("rsaEncryptionPKCS1", "algid:encrypt:RSA:PKCS1"),
        Row("rsaEncryptionOAEPSHA1", "algid:encrypt:RSA:OAEP:SHA1"),
        Row("rsaEncryptionOAEPSHA224", "algid:encrypt:RSA:OAEP:SHA224"),
        Row("rsaEncryptionOAEPSHA256", "algid:encrypt:RSA:OAEP:SHA256"),
        Row("rsaEncryptionOAEPSHA384", "algid:encrypt:RSA:OAEP:SHA384"),
        Row("rsaEncryptionOAEPSHA512", "algid:encrypt:RSA:OAEP:SHA512"),
        Row("rsaEncryptionOAEPSHA1AESGCM", "algid:encrypt:RSA:OAEP:SHA1:AESGCM"),
        Row("rsaEncryptionOAEPSHA224AESGCM", "algid:encrypt:RSA:OAEP:SHA224:AESGCM"),
        Row("rsaEncryptionOAEPSHA256AESGCM", "algid:encrypt:RSA:OAEP:SHA256:AESGCM"),
        Row("rsaEncryptionOAEPSHA384AESGCM", "algid:encrypt:RSA:OAEP:SHA384:AESGCM"),
        Row("rsaEncryptionOAEPSHA512AESGCM", "algid:encrypt:RSA:OAEP:SHA512:AESGCM"),
    ]

    /// Encryption with elliptic curves.
    private static let eciesEncryption: [Row] = [
        Row("eciesEncryptionStandardX963SHA1AESGCM", "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"),
        Row("eciesEncryptionStandardX963SHA224AESGCM", "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"),
        Row("eciesEncryptionStandardX963SHA256AESGCM", "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"),
        Row("eciesEncryptionStandardX963SHA384AESGCM", "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"),
        Row("eciesEncryptionStandardX963SHA512AESGCM", "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"),
        Row("eciesEncryptionCofactorX963SHA1AESGCM", "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"),
        Row("eciesEncryptionCofactorX963SHA224AESGCM", "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"),
        Row("eciesEncryptionCofactorX963SHA256AESGCM", "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"),
        Row("eciesEncryptionCofactorX963SHA384AESGCM", "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"),
        Row("eciesEncryptionCofactorX963SHA512AESGCM", "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"),
        Row(
            "eciesEncryptionStandardVariableIVX963SHA224AESGCM",
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionStandardVariableIVX963SHA256AESGCM",
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionStandardVariableIVX963SHA384AESGCM",
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionStandardVariableIVX963SHA512AESGCM",
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionCofactorVariableIVX963SHA224AESGCM",
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionCofactorVariableIVX963SHA256AESGCM",
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionCofactorVariableIVX963SHA384AESGCM",
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"
        ),
        Row(
            "eciesEncryptionCofactorVariableIVX963SHA512AESGCM",
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"
        ),
    ]

    /// Key exchange.
    private static let ecdhKeyExchange: [Row] = [
        Row("ecdhKeyExchangeStandard", "algid:keyexchange:ECDH"),
        Row("ecdhKeyExchangeStandardX963SHA1", "algid:keyexchange:ECDH:KDFX963:SHA1"),
        Row("ecdhKeyExchangeStandardX963SHA224", "algid:keyexchange:ECDH:KDFX963:SHA224"),
        Row("ecdhKeyExchangeStandardX963SHA256", "algid:keyexchange:ECDH:KDFX963:SHA256"),
        Row("ecdhKeyExchangeStandardX963SHA384", "algid:keyexchange:ECDH:KDFX963:SHA384"),
        Row("ecdhKeyExchangeStandardX963SHA512", "algid:keyexchange:ECDH:KDFX963:SHA512"),
        Row("ecdhKeyExchangeCofactor", "algid:keyexchange:ECDHC"),
        Row("ecdhKeyExchangeCofactorX963SHA1", "algid:keyexchange:ECDHC:KDFX963:SHA1"),
        Row("ecdhKeyExchangeCofactorX963SHA224", "algid:keyexchange:ECDHC:KDFX963:SHA224"),
        Row("ecdhKeyExchangeCofactorX963SHA256", "algid:keyexchange:ECDHC:KDFX963:SHA256"),
        Row("ecdhKeyExchangeCofactorX963SHA384", "algid:keyexchange:ECDHC:KDFX963:SHA384"),
        Row("ecdhKeyExchangeCofactorX963SHA512", "algid:keyexchange:ECDHC:KDFX963:SHA512"),
    ]
}
