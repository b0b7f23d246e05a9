// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore

/// Brings objects into a format of files.
struct ItemEncoder {
    let format: SecExternalFormat
    let passphrase: String?

    /// The documents of objects, in their order; of an identity two.
    ///
    /// - Throws: `errSecParam` for no object or one of another class; else as ``SecItemExport``.
    func documents(_ objects: [AnyObject]) throws(ImportFailure) -> [PEMDocument] {
        guard !objects.isEmpty else { throw ImportFailure(errSecParam) }
        var documents: [PEMDocument] = []
        for object in objects {
            switch object {
            case let certificate as SecCertificate:
                documents.append(try document(certificate))
            case let key as SecKey:
                documents.append(try document(key))
            case let identity as SecIdentity:
                documents.append(try document(identity.certificate))
                documents.append(try document(identity.privateKey))
            default:
                throw ImportFailure(errSecParam)
            }
        }
        return documents
    }

    private func document(_ certificate: SecCertificate) throws(ImportFailure) -> PEMDocument {
        switch format {
        case .formatUnknown, .formatX509Cert, .formatPEMSequence:
            return PEMDocument("CERTIFICATE", SecretBytes(certificate.certificate.der))
        default:
            throw ImportFailure(errSecUnsupportedFormat)
        }
    }

    private func document(_ key: SecKey) throws(ImportFailure) -> PEMDocument {
        switch (format, try encoding(key)) {
        case (.formatUnknown, .privateKey(_, let traditional)), (.formatOpenSSL, .privateKey(_, let traditional)),
            (.formatPEMSequence, .privateKey(_, let traditional)):
            return traditional
        case (.formatWrappedPKCS8, .privateKey(let privateKeyInfo, _)):
            return PEMDocument("ENCRYPTED PRIVATE KEY", try encrypted(privateKeyInfo))
        case (.formatUnknown, .publicKey(let info)), (.formatOpenSSL, .publicKey(let info)),
            (.formatPEMSequence, .publicKey(let info)):
            return PEMDocument("PUBLIC KEY", info)
        default:
            throw ImportFailure(errSecUnsupportedFormat)
        }
    }

    private func encoding(_ key: SecKey) throws(ImportFailure) -> KeyEncoding {
        guard let encoding = KeyImport.encoding(of: key) else { throw ImportFailure(errSecKeyIsSensitive) }
        return encoding
    }

    private func encrypted(_ privateKeyInfo: SecretBytes) throws(ImportFailure) -> SecretBytes {
        guard let passphrase else { throw ImportFailure(errSecPassphraseRequired) }
        guard let encrypted = try? EncryptedPrivateKey.encrypt(privateKeyInfo, password: passphrase) else {
            throw ImportFailure(errSecInternalComponent)
        }
        return SecretBytes(encrypted)
    }
}
