// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// The types of the Secret Service API in messages.
extension BusMessage {
    /// The types of a secret: its session, parameters, value and content type.
    static let secretTypes = "oayays"

    /// Reads a name that is compared with known ones, which are ASCII; `?`, which none is, for any other text.
    ///
    /// Swift would compare a text of many combining marks with them for hours.
    func name() -> String? {
        guard let text = string() else { return nil }
        // A megabyte of it is not looked through either.
        return text.utf8.count <= Self.longestName && text.utf8.allSatisfy { $0 < 0x80 } ? text : "?"
    }

    /// That of a name in D-Bus (its specification, "Valid names").
    private static let longestName = 255

    /// Reads lookup attributes: a map of texts.
    ///
    /// - Throws: ``ServiceError/invalidArguments``, also for more than an item may have.
    func attributes() throws(ServiceError) -> LookupAttributes {
        var pairs: [LookupAttributes.Pair] = []
        guard enter("a", "{ss}") else { throw .invalidArguments }
        while enter("e", "ss") {
            guard pairs.count < LookupAttributes.maximumCount, let name = string(), let value = string(),
                max(name.utf8.count, value.utf8.count) <= LookupAttributes.maximumTextByteCount
            else { throw .invalidArguments }
            pairs.append(LookupAttributes.Pair(name, value))
            leave()
        }
        leave()
        do { return try LookupAttributes(pairs) } catch { throw .invalidArguments }
    }

    /// Reads a secret.
    ///
    /// - Throws: ``ServiceError/limitsExceeded`` for one that is too long, before it is copied.
    func secret() throws(ServiceError) -> ReceivedSecret {
        guard enter("r", Self.secretTypes), let session = objectPath(), let parameters = withBytes(Self.parameters)
        else { throw .invalidArguments }
        let copied = withBytes { bytes -> SecretBytes? in
            bytes.count <= ReceivedSecret.maximumByteCount ? SecretBytes(copying: bytes) : nil
        }
        guard let copied else { throw .invalidArguments }
        guard let value = copied else { throw .limitsExceeded }
        guard let contentType = string(),
            contentType.utf8.count <= LookupRequest.maximumContentTypeByteCount
        else { throw .invalidArguments }
        leave()
        return ReceivedSecret(
            session: session,
            coded: CodedSecret(parameters: parameters, value: value),
            contentType: contentType
        )
    }

    /// More than any algorithm has is no parameter, and is not copied.
    private static func parameters(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { Array(bytes.prefix(64)) }

    /// Reads an array of the paths of objects, without those that are longer than any.
    func objectPaths() throws(ServiceError) -> [String] {
        var paths: [String] = []
        guard enter("a", "o") else { throw .invalidArguments }
        while let path = objectPath() {
            guard paths.count < LookupRequest.maximumItems else { throw .limitsExceeded }
            if path.utf8.count <= ObjectPath.maximumByteCount { paths.append(path) }
        }
        leave()
        return paths
    }

    /// Reads what an item is created with.
    func itemProperties() throws(ServiceError) -> ItemProperties {
        var properties = ItemProperties()
        try eachProperty { name throws(ServiceError) in
            switch name {
            case "\(Interface.item.rawValue).Label": properties.label = try variantText()
            case "\(Interface.item.rawValue).Attributes": properties.attributes = try variantAttributes()
            default: guard skip("v") else { throw .invalidArguments }
            }
        }
        return properties
    }

    /// Reads what a collection is created with: its label, which may be missing.
    func collectionLabel() throws(ServiceError) -> String {
        var label = ""
        try eachProperty { name throws(ServiceError) in
            if name == "\(Interface.collection.rawValue).Label" {
                label = try variantText()
            } else if !skip("v") {
                throw .invalidArguments
            }
        }
        guard label.utf8.count <= FileCollections.maximumLabelByteCount else { throw .invalidArguments }
        return label
    }

    private func eachProperty(_ read: (String) throws(ServiceError) -> Void) throws(ServiceError) {
        guard enter("a", "{sv}") else { throw .invalidArguments }
        while enter("e", "sv") {
            guard let name = name() else { throw .invalidArguments }
            try read(name)
            leave()
        }
        leave()
    }

    /// Reads a variant of a text, such as a label, which is no longer than an item may have.
    func variantText() throws(ServiceError) -> String {
        guard enter("v", "s"), let text = string(), text.utf8.count <= LookupAttributes.maximumTextByteCount else {
            throw .invalidArguments
        }
        leave()
        return text
    }

    /// Reads a variant of lookup attributes.
    func variantAttributes() throws(ServiceError) -> LookupAttributes {
        guard enter("v", "a{ss}") else { throw .invalidArguments }
        defer { leave() }
        return try attributes()
    }

    /// Reads a variant of bytes that are not secret; `nil` for a variant of a text.
    func variantBytesOrText(atMost maximum: Int) throws(ServiceError) -> [UInt8]? {
        switch typesOfVariant() {
        case "s":
            _ = try variantText()
            return nil
        case "ay":
            guard enter("v", "ay"), let bytes = withBytes({ $0.count <= maximum ? Array($0) : nil }) else {
                throw .invalidArguments
            }
            leave()
            guard let bytes else { throw .invalidArguments }
            return bytes
        default: throw .invalidArguments
        }
    }

    /// Appends a secret.
    func append(_ secret: SentSecret) throws(BusError) {
        try append("r", of: Self.secretTypes) { () throws(BusError) in
            try append(secret.session, as: "o")
            try append(bytes: secret.coded.parameters)
            try secret.coded.value.withUnsafeBytes { bytes throws(BusError) in try append(bytes: bytes) }
            try append(secret.contentType)
        }
    }

    /// Appends lookup attributes, without those that cannot be sent.
    func append(_ attributes: LookupAttributes) throws(BusError) {
        try append("a", of: "{ss}") { () throws(BusError) in
            for pair in attributes.pairs where pair.name.isSendable && pair.value.isSendable {
                try append("e", of: "ss") { () throws(BusError) in
                    try append(pair.name)
                    try append(pair.value)
                }
            }
        }
    }
}

/// A secret that a program has sent.
struct ReceivedSecret: Sendable {
    /// The path of the session that it is coded for.
    let session: String
    let coded: CodedSecret
    let contentType: String

    /// The longest secret as it is coded: a block more than an item may have.
    static let maximumByteCount = ItemLimits.secretByteCount + 16

    /// The number of bytes of the secret and its content type.
    var byteCount: Int { coded.value.count + contentType.utf8.count }
}

/// A secret for a program.
struct SentSecret: Sendable {
    /// The path of the session that it is coded for.
    let session: String
    let coded: CodedSecret
    let contentType: String

    /// How many bytes it has in a message, with the path of its item, at most.
    var byteCount: Int { coded.value.count + contentType.utf8.count + 2 * ObjectPath.maximumByteCount + 64 }
}

/// What an item is created with; `nil` for what was not said.
struct ItemProperties: Sendable {
    var label: String?
    var attributes: LookupAttributes?

    /// The number of bytes of all of it.
    var byteCount: Int { (label?.utf8.count ?? 0) + (attributes?.byteCount ?? 0) }
}

extension String {
    /// Whether sd-bus sends it: no text with a scalar that is no character (Unicode, section 23.7).
    var isSendable: Bool {
        // Each of them begins with one of these bytes.
        guard utf8.contains(where: { $0 >= 0xEF }) else { return true }
        return unicodeScalars.allSatisfy { scalar in
            scalar.value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(scalar.value)
        }
    }
}
