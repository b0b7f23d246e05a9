// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// What the options of `SecPKCS12Import` say (Semantics, "Importing PKCS 12 files").
struct PKCS12Options {
    /// The password; empty when there is none.
    let password: String

    /// Whether what is read is also added to the keychain.
    let isStored: Bool

    /// The attributes for what is added: every entry whose key has the form of one, and the authentication context.
    let attributes: [String: Any]

    /// Reads the options.
    ///
    /// - Throws: `errSecParam` for a password that is no string.
    init(_ options: CFDictionary) throws(KeychainError) {
        switch options.object(forKey: kSecImportExportPassphrase) {
        case nil: password = ""
        case let text as String: password = text
        default: throw .parameter("the password is no string")
        }
        isStored = Self.flag(options, kSecUseDataProtectionKeychain) && !Self.flag(options, kSecImportToMemoryOnly)
        var attributes: [String: Any] = [:]
        for (key, value) in options {
            guard let name = key as? String else { continue }
            let isAttribute = name.utf8.count == 4 && name != PropertyKey.useDataProtectionKeychain
            if isAttribute || name == PropertyKey.useAuthenticationContext { attributes[name] = value }
        }
        self.attributes = attributes
    }

    private static func flag(_ options: CFDictionary, _ key: CFString) -> Bool {
        (options.object(forKey: key) as? NSNumber)?.boolValue ?? false
    }

    /// Adds an object to the keychain; that it is there already is a success.
    func add(_ object: AnyObject) -> OSStatus {
        var entries = attributes
        entries[PropertyKey.valueReference] = object
        entries[PropertyKey.useDataProtectionKeychain] = true
        let status = SecItemAdd(entries as NSDictionary, nil)
        return status == errSecDuplicateItem ? errSecSuccess : status
    }
}
