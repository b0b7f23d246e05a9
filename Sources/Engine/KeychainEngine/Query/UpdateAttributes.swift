// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The new values of an update (Semantics, "New attributes of an update").
struct UpdateAttributes: Sendable {
    /// The attributes to set; what is computed or ignored is left out.
    var attributes: Attributes = [:]

    /// The new secret; `nil` to keep the old one.
    var data: SecretBytes?

    /// The size limit of the new secret.
    var largestSecret = ItemLimits.secretByteCount

    private static let ignored = [PropertyKey.useDataProtectionKeychain, "persistref"]

    /// Columns of Apple's tables that are not attributes.
    private static let closed = [PropertyKey.columnOfItem, "rowid"]

    /// Adds one entry of the dictionary.
    ///
    /// - Throws: `errSecNoSuchAttr` for a key that is not a column of the class, `errSecParam` for a wrong value and
    ///   for a key that is never an attribute, `errSecDataTooLarge`.
    mutating func addEntry(_ key: String, _ value: PropertyValue, by schema: ItemSchema) throws(RequestFault) {
        func fault(_ check: RequestCheck, _ error: KeychainError) -> RequestFault {
            RequestFault(check: check, part: .attributes, key: key, error: error)
        }
        if key == PropertyKey.valueData {
            do throws(KeychainError) { data = try value.secret(atMost: largestSecret) } catch {
                throw fault(.secretType, error)
            }
            guard data != nil else { throw fault(.secretSize, .secretTooLarge) }
            return
        }
        if Self.ignored.contains(key) { return }
        guard !Self.closed.contains(key) else {
            throw fault(.keyKind, .parameter("'\(key)' is not a key that the keychain knows"))
        }
        guard let column = AttributeName(key).flatMap({ schema[$0] }) else {
            throw fault(
                .attributeName,
                KeychainError(.noSuchAttribute, "'\(key)' is not an attribute of the class")
            )
        }
        if column.name == .user { return }
        if column.name == .sharingGroup {
            throw fault(.sharingGroupChange, .parameter("an update cannot set a sharing group"))
        }
        if column.name == .synchronizable, value == .string(PropertyKey.synchronizableAny) { return }
        do throws(KeychainError) {
            guard let converted = try column.coerce(value), column.access != .computed else { return }
            attributes[column.name] = converted
        } catch {
            throw fault(.attributeValue, error)
        }
    }
}

extension UpdateAttributes {
    /// The attributes that identify the key and its device.
    private static let boundToEnclaveKey: [AttributeName] = [
        .tokenID, .keyClass, .applicationLabel, "type", "bsiz", "esiz", .synchronizable,
    ]

    /// Refuses changes that a key of the Secure Enclave does not support: its access control is a part of its sealed
    /// form, which only the enclave creates (Semantics, "Changing the protection of an item").
    func check(for attributes: Attributes) throws(KeychainError) {
        let changesProtection = self.attributes.protection != nil
        if attributes.areOfEnclaveKey {
            guard !changesProtection, data == nil, Self.boundToEnclaveKey.allSatisfy({ self.attributes[$0] == nil })
            else {
                throw .parameter("the key and the access control of a key in the Secure Enclave cannot be changed")
            }
        } else if attributes.merging(self.attributes, uniquingKeysWith: { $1 }).areOfEnclaveKey {
            throw .parameter("a key cannot be moved into the Secure Enclave")
        }
    }
}
