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
///   - fileNameOrExtension: one that tells a format, such as `.p12`, counts for more than what is expected.
///   - inputFormat: the format that is expected, a hint where neither the extension nor the marks of PEM tell it; then
///     the one that was found, `.formatPEMSequence` for several documents.
///   - itemType: the kind that is expected, likewise; then the one that was found, `.itemTypeAggregate` for several
///     items.
///   - flags: have no effect.
///   - keyParams: the passphrase of what is encrypted, and how many private keys are allowed.
///   - importKeychain: where the items are also added; `nil` for nowhere.
///   - outItems: where an array of the objects goes; of a PKCS #12 file identities, then what is left. With the front
///     end of macOS and without a keychain their certificates and keys, since an identity needs its key in a keychain
///     there.
/// - Returns: `errSecSuccess`; `errSecParam` for no data; `errSecUnknownFormat` for what is not recognized, not of the
///   format, or not of the kind
///   that is expected; `errSecUnsupportedFormat`; `errSecPassphraseRequired`; `errSecPkcs12VerifyFailure` for a wrong
///   passphrase of a PKCS #12 file and `errSecAuthFailed` of a key; `errSecMultiplePrivKeys`. Of adding, the first
///   failure, after which the rest is still tried: `errSecDuplicateItem` for what the keychain has already. The objects
///   are returned all the same.
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
        if importKeychain == nil, KeychainContext.withoutKeychain.hasFrontEnd { objects = objects.flatMap(halves) }
        inputFormat?.pointee = SecExternalFormat(file.format)
        itemType?.pointee = SecExternalItemType(file.type)
        outItems?.pointee = NSArray(array: objects)
        return importKeychain.map { store(objects, in: $0) } ?? errSecSuccess
    } catch {
        return error.status.rawValue
    }
}

/// Adds every object to a keychain, of an identity to a file both halves; the status is that of the first failure.
private func store(_ objects: [AnyObject], in keychain: SecKeychain) -> OSStatus {
    let statuses = objects.flatMap { object in
        guard keychain.path != nil else {
            return [SecItemAdd([kSecValueRef: object, kSecUseDataProtectionKeychain: true] as NSDictionary, nil)]
        }
        return halves(object).map { part in
            FileCall.add(PropertyDictionary([kSecValueRef: part, kSecUseKeychain: keychain] as NSDictionary))
        }
    }
    return statuses.first { $0 != errSecSuccess } ?? errSecSuccess
}

/// An object, or both halves of an identity.
private func halves(_ object: AnyObject) -> [AnyObject] {
    (object as? SecIdentity).map { [$0.certificate, $0.privateKey] } ?? [object]
}
