// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainFrontEnd

/// Reads certificates and keys from a file: PEM or DER; PKCS #1, PKCS #8, SEC 1, `SubjectPublicKeyInfo`; PKCS #12.
///
/// - Parameters:
///   - importedData: the file.
///   - fileNameOrExtension: has no effect: the contents tell the format.
///   - inputFormat: the format that is expected; then the one that was found, `.formatPEMSequence` for several
///     documents.
///   - itemType: the kind that is expected; then the one that was found, `.itemTypeAggregate` for several items.
///   - flags: have no effect.
///   - keyParams: the passphrase of what is encrypted, and how many private keys are allowed.
///   - importKeychain: where the items are also added; `nil` for nowhere.
///   - outItems: where an array of the objects goes; of a PKCS #12 file identities, then what is left.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` for what is not recognized, not of the format, or not of the kind
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
    do throws(ImportFailure) {
        let passphrase = try keyParams?.pointee.passphraseText()
        let contents = try ExternalContents(importedData as Data, passphrase: passphrase)
        try contents.expect(inputFormat?.pointee ?? .formatUnknown, itemType?.pointee ?? .itemTypeUnknown)
        if keyParams?.pointee.flags.contains(.importOnlyOne) ?? false, contents.privateKeys > 1 {
            return errSecMultiplePrivKeys
        }
        inputFormat?.pointee = contents.format
        itemType?.pointee = contents.type
        outItems?.pointee = NSArray(array: contents.objects)
        return importKeychain.map(contents.store) ?? errSecSuccess
    } catch {
        return error.status
    }
}

extension ExternalContents {
    fileprivate func expect(_ format: SecExternalFormat, _ type: SecExternalItemType) throws(ImportFailure) {
        // One document is a sequence, too.
        let formats: [SecExternalFormat] = [.formatUnknown, .formatPEMSequence, self.format]
        let types: [SecExternalItemType] = [.itemTypeUnknown, .itemTypeAggregate, self.type]
        guard formats.contains(format), types.contains(type) else { throw ImportFailure(errSecUnknownFormat) }
    }

    /// Adds the objects to a keychain, of an identity to a file both halves.
    fileprivate func store(in keychain: SecKeychain) -> OSStatus {
        let statuses = objects.flatMap { object in
            guard keychain.path != nil else {
                return [SecItemAdd([kSecValueRef: object, kSecUseDataProtectionKeychain: true] as NSDictionary, nil)]
            }
            let parts = (object as? SecIdentity).map { [$0.certificate, $0.privateKey] } ?? [object]
            return parts.map { part in
                let item = PropertyDictionary([kSecValueRef: part, kSecUseKeychain: keychain] as NSDictionary)
                return FileCall.status { (files) throws(KeychainError) in _ = try files.item(.add(item)) }
            }
        }
        return statuses.first { $0 != errSecSuccess } ?? errSecSuccess
    }
}
