// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainImportExport

/// Reads the identities of a PKCS #12 file (Semantics, "Importing PKCS 12 files").
///
/// Keys that are not encrypted themselves are passed over, as Apple's function does.
///
/// Of the options count `kSecImportExportPassphrase`, a string, empty without it; `kSecUseDataProtectionKeychain`,
/// which also adds the identities and the certificates of their chains to the keychain, unless `kSecImportToMemoryOnly`
/// is true; and then attributes such as `kSecAttrAccessGroup`. What the keychain has already is passed over. What
/// cannot be added keeps nothing else from being added.
///
/// - Parameters:
///   - data: the file.
///   - options: see above.
///   - items: where an array of dictionaries goes, with `kSecImportItemIdentity`, `kSecImportItemTrust`,
///     `kSecImportItemCertChain` (the identity's certificate first), and `kSecImportItemLabel` and
///     `kSecImportItemKeyID` where the file has them. A client of the macOS front end gets certificates without a key
///     in a dictionary that has a chain only.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a wrong password or an altered file, which cannot be
///   distinguished; `errSecDecode` for what is no such file or uses what is not implemented; the status of the last add
///   that failed, and then there are items all the same.
@discardableResult
public func SecPKCS12Import(
    _ data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    do throws(KeychainError) {
        let options = try PKCS12Options(options)
        let found = try PKCS12Items(PKCS12.file(Array(data as Data), password: options.password))
        guard found.unknownKeys == 0 else {
            throw KeychainError(.decode, "a key of the file is of a kind that is not implemented")
        }
        items.pointee = NSArray(array: found.dictionaries(KeychainContext.inEffect.client.profile))
        return options.isStored ? found.add(options) : errSecSuccess
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

    fileprivate func dictionaries(_ profile: Profile) -> [NSDictionary] {
        let chains = entries.map { entry in
            let dictionary = NSMutableDictionary()
            dictionary.setObject(entry.identity, forKey: kSecImportItemIdentity)
            let chain = entry.chain.map(SecCertificate.init(_:))
            dictionary.setObject(SecTrust(chain), forKey: kSecImportItemTrust)
            dictionary.setObject(NSArray(array: chain), forKey: kSecImportItemCertChain)
            if let label = entry.names.friendlyName {
                dictionary.setObject(NSString(string: label), forKey: kSecImportItemLabel)
            }
            if let identifier = entry.names.localKeyID {
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
    /// The key with its certificate.
    fileprivate var identity: AnyObject {
        ExternalItem(.identity(chain[0], key)).object
    }
}
