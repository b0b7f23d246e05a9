// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore

/// Writes certificates and keys to a file.
///
/// A single certificate is written in DER, a single private key as PKCS #1 or SEC 1 (`.formatOpenSSL`, the usual one)
/// or as encrypted PKCS #8 (`.formatWrappedPKCS8`, which takes a passphrase), a single public key as
/// `SubjectPublicKeyInfo`; each as text with `.pemArmour`. Several items, an identity, and `.formatPEMSequence` give
/// one text document after the other. `.formatPKCS7` takes certificates only. `.formatPKCS12` takes certificates,
/// private keys and identities, and a passphrase; it is encrypted as OpenSSL 3 does (PBES2 with AES-256, a code with
/// HMAC-SHA-256).
///
/// - Parameters:
///   - secItemOrArray: a certificate, key or identity, or an array of them.
///   - outputFormat: the format; `.formatUnknown` for the usual one.
///   - flags: whether a single item is written as text.
///   - keyParams: the passphrase for encrypted keys.
///   - exportedData: receives the file.
/// - Returns: `errSecSuccess`; `errSecParam` for other objects; `errSecUnsupportedFormat`; `errSecPassphraseRequired`;
///   `errSecKeyIsSensitive` for a key that cannot be exported.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef,
    _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    do throws(KeychainError) {
        let objects = (secItemOrArray as? NSArray).map { $0.map { $0 as AnyObject } } ?? [secItemOrArray]
        var items: [ExternalItem] = []
        for object in objects {
            guard let parts = try ExternalItem.items(of: object) else {
                throw .parameter("an object is no certificate, key or identity")
            }
            items += parts
        }
        var encoder = ItemEncoder(outputFormat.format, passphrase: try keyParams?.pointee.passphraseText())
        encoder.isArmored = flags.contains(.pemArmour)
        exportedData.pointee = try encoder.file(items).withUnsafeBytes { NSData(data: Data($0)) }
        return errSecSuccess
    } catch {
        return error.status.rawValue
    }
}
