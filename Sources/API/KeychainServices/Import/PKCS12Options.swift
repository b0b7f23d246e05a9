// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// The options of `SecPKCS12Import` (Semantics, "Importing PKCS 12 files").
struct PKCS12Options {
    /// The password; empty if there is none.
    let password: String

    /// The keychain to which the items are also added; `nil` for none.
    let destination: Destination?

    /// A place for what is read.
    enum Destination {
        /// The data protection keychain.
        case dataProtection
        /// A keychain file, the default one without a keychain, with an access.
        case file(SecKeychain?, SecAccess?)
    }

    /// The attributes for what is added: every entry whose key has the form of one, and the authentication context.
    let attributes: [String: Any]

    /// Parses the options.
    ///
    /// The macOS front end stores in a keychain file, unless that is declined; otherwise one has to be named.
    ///
    /// - Throws: `errSecParam` for a password that is not a string, or a keychain or an access of another type.
    init(_ options: CFDictionary, hasFrontEnd: Bool) throws(KeychainError) {
        switch options.object(forKey: kSecImportExportPassphrase) {
        case nil: password = ""
        case let text as String: password = text
        default: throw .parameter("the password is no string")
        }
        let keychain: SecKeychain? = try Self.object(options, kSecImportExportKeychain)
        let access: SecAccess? = try Self.object(options, kSecImportExportAccess)
        let isForDataProtection = Self.flag(options, kSecUseDataProtectionKeychain)
        if Self.flag(options, kSecImportToMemoryOnly) {
            destination = nil
        } else if isForDataProtection {
            destination = .dataProtection
        } else {
            destination = hasFrontEnd || keychain != nil ? .file(keychain, access) : nil
        }
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

    /// - Throws: `errSecParam` for an object of another class.
    private static func object<Object: AnyObject>(
        _ options: CFDictionary,
        _ key: CFString
    ) throws(KeychainError) -> Object? {
        guard let value = options.object(forKey: key) else { return nil }
        guard let object = value as? Object else { throw .parameter("an option has a value of a wrong type") }
        return object
    }

    /// Adds an object to the data protection keychain; an existing one counts as success.
    func add(_ object: AnyObject) -> OSStatus {
        var entries = attributes
        entries[PropertyKey.valueReference] = object
        entries[PropertyKey.useDataProtectionKeychain] = true
        let status = SecItemAdd(entries as NSDictionary, nil)
        return status == errSecDuplicateItem ? errSecSuccess : status
    }
}
