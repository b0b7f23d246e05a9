// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

/// Reads the identities of a PKCS #12 file (Semantics, "Importing PKCS 12 files").
///
/// Keys that are not themselves encrypted are skipped, as in Apple's function.
///
/// The options are `kSecImportExportPassphrase`, a string, empty by default; `kSecUseDataProtectionKeychain`, which
/// also adds the identities and the certificates of their chains to the keychain, unless `kSecImportToMemoryOnly` is
/// true; and attributes such as `kSecAttrAccessGroup`. Existing items are skipped. An item that cannot be added does
/// not prevent others from being added.
///
/// The macOS front end adds them to a keychain file unless one of these two is true: to that of
/// `kSecImportExportKeychain`, or the default one, with the access list of `kSecImportExportAccess`. A named keychain
/// is also used without the front end.
///
/// - Parameters:
///   - data: the file.
///   - options: see above.
///   - items: receives an array of dictionaries, with `kSecImportItemIdentity`, `kSecImportItemTrust`,
///     `kSecImportItemCertChain` (the identity's certificate first), and `kSecImportItemLabel` and
///     `kSecImportItemKeyID` if the file has them. For items added to a keychain file these are the summary of the
///     certificate's subject and the hash of the public key. A client of the macOS front end gets certificates without
///     a key in a dictionary that has only a chain.
/// - Returns: `errSecSuccess`; `errSecParam` for an option of the wrong type; `errSecAuthFailed` for a wrong password
///   or an altered file, which cannot be distinguished; `errSecDecode` for a file that is invalid or uses unimplemented
///   features; the status of the last failed add, in which case the items are returned nevertheless.
@discardableResult
public func SecPKCS12Import(
    _ data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    do throws(KeychainError) {
        let context = KeychainContext.withoutKeychain
        let options = try PKCS12Options(options, hasFrontEnd: context.hasFrontEnd)
        let found = try PKCS12Items(PKCS12.file(Array(data as Data), password: options.password))
        guard found.unknownKeys == 0 else {
            throw KeychainError(.decode, "a key of the file is of a kind that is not implemented")
        }
        items.pointee = NSArray(array: found.dictionaries(context.client.profile, options.destination))
        switch options.destination {
        case nil: return errSecSuccess
        case .file(let keychain, let access) where keychain?.path != nil || keychain == nil:
            return found.add(to: keychain, access)
        case .file, .dataProtection: return found.add(options)
        }
    } catch {
        return error.status.rawValue
    }
}

extension PKCS12 {
    fileprivate static func file(_ bytes: [UInt8], password: String) throws(KeychainError) -> PKCS12 {
        do throws(ContainerError) {
            var file = try PKCS12(bytes, password: password)
            file.privateKeys.removeAll { !$0.isShrouded }
            return file
        } catch {
            throw KeychainError(error.status, error.reason)
        }
    }
}

extension PKCS12Items {
    /// Adds every identity and the certificates of its chain; the status is that of the last failure.
    fileprivate func add(_ options: PKCS12Options) -> OSStatus {
        let objects = entries.flatMap { entry in
            [entry.identity] + entry.chain.dropFirst().map(SecCertificate.init(_:)) as [AnyObject]
        }
        return objects.map(options.add).last { $0 != errSecSuccess } ?? errSecSuccess
    }

    /// Adds the same to a keychain file, the default one without a keychain, of each identity both halves.
    fileprivate func add(to keychain: SecKeychain?, _ access: SecAccess?) -> OSStatus {
        let statuses = entries.flatMap { entry in
            let certificates = entry.chain.map { [PropertyKey.valueReference: SecCertificate($0)] as [String: Any] }
            var key: [String: Any] = [PropertyKey.valueReference: SecKey(.private(entry.key))]
            key[AttributeName.label.description] = entry.chain[0].subjectSummary
            key[PropertyKey.access] = access
            return (certificates + [key]).map { item in
                var item = item
                item[PropertyKey.useKeychain] = keychain
                let status = FileCall.add(PropertyDictionary(item as NSDictionary))
                return status == errSecDuplicateItem ? errSecSuccess : status
            }
        }
        return statuses.last { $0 != errSecSuccess } ?? errSecSuccess
    }

    fileprivate func dictionaries(_ profile: Profile, _ destination: PKCS12Options.Destination?) -> [NSDictionary] {
        let chains = entries.map { entry in
            let dictionary = NSMutableDictionary()
            dictionary.setObject(entry.identity, forKey: kSecImportItemIdentity)
            let chain = entry.chain.map(SecCertificate.init(_:))
            dictionary.setObject(SecTrust(chain), forKey: kSecImportItemTrust)
            dictionary.setObject(NSArray(array: chain), forKey: kSecImportItemCertChain)
            let (label, identifier) = entry.names(destination)
            if let label {
                dictionary.setObject(NSString(string: label), forKey: kSecImportItemLabel)
            }
            if let identifier {
                dictionary.setObject(NSData(data: Data(identifier)), forKey: kSecImportItemKeyID)
            }
            return dictionary
        }
        guard profile == .macOS, !otherCertificates.isEmpty else { return chains }
        let others = NSMutableDictionary()
        others.setObject(
            NSArray(array: otherCertificates.map(SecCertificate.init(_:))),
            forKey: kSecImportItemCertChain
        )
        return chains + [others]
    }
}

extension PKCS12Items.Entry {
    /// The label and the identifier of the key: from the file, or for a keychain file from the certificate.
    fileprivate func names(_ destination: PKCS12Options.Destination?) -> (label: String?, identifier: [UInt8]?) {
        guard case .file? = destination else { return (names.friendlyName, names.localKeyID) }
        guard case .data(let hash)? = chain[0].attributes[AttributeName.publicKeyHash.description] else {
            return (chain[0].subjectSummary, nil)
        }
        return (chain[0].subjectSummary, hash.unprotectedCopy)
    }

    /// The key with its certificate.
    fileprivate var identity: AnyObject {
        ExternalItem(.identity(chain[0], key)).object
    }
}
