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
/// one text document after the other.
///
/// - Parameters:
///   - secItemOrArray: a certificate, key or identity, or an array of them.
///   - outputFormat: the format; `.formatUnknown` for the usual one.
///   - flags: whether a single item is written as text.
///   - keyParams: the passphrase of keys that are encrypted.
///   - exportedData: where the file goes.
/// - Returns: `errSecSuccess`; `errSecParam` for other objects; `errSecUnsupportedFormat`; `errSecPassphraseRequired`;
///   `errSecKeyIsSensitive` for a key that does not leave its place.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef,
    _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    do throws(ImportFailure) {
        let items = (secItemOrArray as? NSArray).map { $0.map { $0 as AnyObject } } ?? [secItemOrArray]
        let passphrase = try keyParams?.pointee.passphraseText()
        let documents = try ItemEncoder(format: outputFormat, passphrase: passphrase).documents(items)
        let isText = flags.contains(.pemArmour) || outputFormat == .formatPEMSequence || documents.count > 1
        exportedData.pointee = isText ? documents.text : documents.bytes
        return errSecSuccess
    } catch {
        return error.status
    }
}

extension [PEMDocument] {
    fileprivate var text: CFData { NSData(data: Data(map(\.text).joined().utf8)) }

    fileprivate var bytes: CFData { NSData(data: first?.bytes.withUnsafeBytes { Data($0) } ?? Data()) }
}
