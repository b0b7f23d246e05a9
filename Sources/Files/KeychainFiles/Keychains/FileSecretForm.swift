// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection

/// The secrets of passwords as a keychain file seals them.
struct FileSecretForm: SecretForm {
    func secret(of item: Item) throws(KeychainError) -> SecretBytes {
        let contents = try SealedContents(item.secret ?? SecretBytes())
        guard try contents.attributes == Self.digest(of: item) else { throw .alteredAttributes }
        return contents.secret
    }

    /// Every program of the user may use what the Secret Service stores, which it cannot tell apart by their paths.
    func form(ofNew item: Item) throws(KeychainError) -> SecretBytes {
        let secret = item.secret ?? SecretBytes()
        try SealedContents.check(secret)
        return SealedContents(
            access: ItemAccess(descriptor: item.attributes.labelText, trustedApplications: nil),
            secret: secret,
            attributes: try Self.digest(of: item)
        ).encoded
    }

    func form(of item: Item, with secret: SecretBytes) throws(KeychainError) -> SecretBytes {
        try SealedContents.check(secret)
        var contents = try SealedContents(item.secret ?? SecretBytes())
        contents.secret = secret
        return contents.encoded
    }

    func form(ofChanged item: Item) throws(KeychainError) -> SecretBytes? {
        // The settings of the file are sealed as they are.
        guard item.attributes[.accessGroup] == .string(FileItems.group), let secret = item.secret else {
            return item.secret
        }
        var contents = try SealedContents(secret)
        contents.attributes = try Self.digest(of: item)
        return contents.encoded
    }

    private static func digest(of item: Item) throws(KeychainError) -> [UInt8] {
        var attributes: [String: PropertyValue] = [:]
        for (name, value) in item.attributes where !KeychainFileItem.unknownAttributes.contains(name) {
            attributes[name.description] = value.property
        }
        attributes.setLookup(item.attributes.lookupRecord)
        return try AttributeDigest.of(attributes, item.itemClass)
    }
}
