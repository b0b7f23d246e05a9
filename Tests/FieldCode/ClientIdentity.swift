// swift-format-ignore-file: NeverForceUnwrap
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// The certificate with which a program names itself to a server, from a file that an administrator sent.
struct ClientIdentity {
    enum Failure: Error, Equatable {
        case status(OSStatus)
        case empty
    }

    let identity: SecIdentity

    /// Reads a PKCS #12 file.
    init(file: Data, password: String) throws {
        var items: CFArray?
        let options = [kSecImportExportPassphrase as String: password]
        let status = SecPKCS12Import(file as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess else { throw Failure.status(status) }
        guard let first = (items as? [[String: Any]])?.first, let identity = first[kSecImportItemIdentity as String]
        else { throw Failure.empty }
        self.identity = identity as! SecIdentity
    }

    /// Finds what ``store(label:)`` stored.
    init?(label: String) {
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity,
            kSecAttrLabel: label,
            kSecReturnRef: true,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let item else { return nil }
        identity = item as! SecIdentity
    }

    func store(label: String) -> OSStatus {
        SecItemAdd([kSecValueRef: identity, kSecAttrLabel: label] as CFDictionary, nil)
    }

    func remove() -> OSStatus { SecItemDelete([kSecValueRef: identity] as CFDictionary) }

    var summary: String? {
        var certificate: SecCertificate?
        guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate else { return nil }
        return SecCertificateCopySubjectSummary(certificate) as String?
    }

    /// Whether the private key signs what the certificate's key verifies.
    func isWhole() -> Bool {
        var certificate: SecCertificate?
        var key: SecKey?
        SecIdentityCopyCertificate(identity, &certificate)
        SecIdentityCopyPrivateKey(identity, &key)
        let challenge = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        guard let certificate, let key, let publicKey = SecCertificateCopyKey(certificate),
            let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, challenge as CFData, nil)
        else { return false }
        return SecKeyVerifySignature(
            publicKey,
            .ecdsaSignatureMessageX962SHA256,
            challenge as CFData,
            signature,
            nil
        )
    }
}
