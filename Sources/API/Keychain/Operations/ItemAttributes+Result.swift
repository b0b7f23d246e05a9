// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

extension ItemAttributes {
    /// Creates attributes from a result of the keychain.
    init(_ itemClass: ItemKey.Class, _ entries: [String: Any]) {
        let key = ItemKey(
            itemClass,
            entries.compactMapValues { ItemKey.Value($0) },
            accessGroup: entries[kSecAttrAccessGroup as String] as? String,
            isSynchronizable: (entries[kSecAttrSynchronizable as String] as? NSNumber)?.boolValue ?? false
        )
        let level = (entries[kSecAttrAccessible as String] as? String).flatMap(Protection.Accessibility.init(constant:))
        self.init(
            key: key,
            creationDate: entries[kSecAttrCreationDate as String] as? Date,
            modificationDate: entries[kSecAttrModificationDate as String] as? Date,
            accessibility: level,
            protection: Protection(attributes: entries),
            details: ItemDetails(
                label: entries[kSecAttrLabel as String] as? String,
                kind: entries[kSecAttrDescription as String] as? String,
                comment: entries[kSecAttrComment as String] as? String,
                generic: entries[kSecAttrGeneric as String] as? Data
            )
        )
    }
}

extension ItemContents {
    /// A key object from a result; `nil` for any other object.
    init?(key object: AnyObject) {
        #if canImport(Darwin)
        guard CFGetTypeID(object) == SecKeyGetTypeID() else { return nil }
        self = .key(unsafeDowncast(object, to: SecKey.self))
        #else
        guard let key = object as? SecKey else { return nil }
        self = .key(key)
        #endif
    }

    /// A certificate object from a result; `nil` for any other object.
    init?(certificate object: AnyObject) {
        #if canImport(Darwin)
        guard CFGetTypeID(object) == SecCertificateGetTypeID() else { return nil }
        self = .certificate(unsafeDowncast(object, to: SecCertificate.self))
        #else
        guard let certificate = object as? SecCertificate else { return nil }
        self = .certificate(certificate)
        #endif
    }
}
