// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainContainers
import KeychainCore
import KeychainMacFrontEnd

/// Reads certificates and keys from a file: PEM, base64 alone or DER; PKCS #1, PKCS #8, SEC 1, `SubjectPublicKeyInfo`;
/// PKCS #7; PKCS #12.
///
/// - Parameters:
///   - importedData: the file.
///   - fileNameOrExtension: an extension that implies a format, such as `.p12`, takes precedence over the expected
///     format.
///   - inputFormat: the expected format, a hint if neither the extension nor the PEM markers determine it; on return
///     the detected one, `.formatPEMSequence` for several documents.
///   - itemType: the expected kind, likewise; on return the detected one, `.itemTypeAggregate` for several items.
///   - flags: ignored.
///   - keyParams: the passphrase for encrypted input, and the number of private keys that are allowed.
///   - importKeychain: the keychain to which the items are also added; `nil` for none.
///   - outItems: receives an array of the objects; for a PKCS #12 file identities, then the remaining items. With the
///     macOS front end and without a keychain, their certificates and keys, because an identity there needs its key in
///     a keychain.
/// - Returns: `errSecSuccess`; `errSecParam` for no data; `errSecUnknownFormat` for input that is not recognized, not
///   of the format, or not of the expected kind; `errSecUnsupportedFormat`; `errSecPassphraseRequired`;
///   `errSecPkcs12VerifyFailure` for a wrong passphrase of a PKCS #12 file and `errSecAuthFailed` for one of a key;
///   `errSecMultiplePrivKeys`. For adding, the first failure, after which the rest is still added:
///   `errSecDuplicateItem` for existing items. The objects are returned nevertheless.
@discardableResult
public func SecItemImport(
    _ importedData: CFData,
    _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    do throws(KeychainError) {
        let passphrase = try keyParams?.pointee.passphraseText()
        let bytes = (importedData as Data).withUnsafeBytes { SecretBytes(copying: $0) }
        let file = try ImportedFile(bytes, passphrase: passphrase)
        try file.expect(
            inputFormat?.pointee.format ?? .unknown,
            itemType?.pointee.type ?? .unknown,
            fileName: fileNameOrExtension as String?
        )
        if keyParams?.pointee.flags.contains(.importOnlyOne) ?? false, file.privateKeyCount > 1 {
            return errSecMultiplePrivKeys
        }
        var objects = file.items.map(\.object)
        if importKeychain == nil, KeychainContext.withoutKeychain.hasFrontEnd { objects = objects.flatMap(components) }
        inputFormat?.pointee = SecExternalFormat(file.format)
        itemType?.pointee = SecExternalItemType(file.type)
        outItems?.pointee = NSArray(array: objects)
        return importKeychain.map { store(objects, in: $0) } ?? errSecSuccess
    } catch {
        return error.status.rawValue
    }
}

/// Adds every object to a keychain, for an identity both halves to a file; returns the status of the first failure.
private func store(_ objects: [AnyObject], in keychain: SecKeychain) -> OSStatus {
    let statuses = objects.flatMap { object in
        guard keychain.path != nil else {
            return [SecItemAdd([kSecValueRef: object, kSecUseDataProtectionKeychain: true] as NSDictionary, nil)]
        }
        return components(of: object).map { part in
            FileCall.add(PropertyDictionary([kSecValueRef: part, kSecUseKeychain: keychain] as NSDictionary))
        }
    }
    return statuses.first { $0 != errSecSuccess } ?? errSecSuccess
}

/// An object, or both halves of an identity.
private func components(of object: AnyObject) -> [AnyObject] {
    (object as? SecIdentity).map { [$0.certificate, $0.privateKey] } ?? [object]
}
