// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is sealed under the password for an item: its secret, and who may use it.
///
/// Together, so that nobody who does not know the password can change who may use the item.
struct ItemContents: Hashable {
    var access: ItemAccess
    var secret: SecretBytes

    init(access: ItemAccess, secret: SecretBytes) {
        self.access = access
        self.secret = secret
    }

    /// The bytes: how many bytes of JSON follow, in four bytes, the highest first; that JSON; the secret.
    var encoded: SecretBytes {
        let text = Array(json.text.utf8)
        let count = UInt32(text.count)
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        return SecretBytes(length + text + secret.unprotectedCopy)
    }

    /// Reads the bytes.
    ///
    /// - Throws: `errSecDecode`.
    init(_ encoded: SecretBytes) throws(KeychainError) {
        let bytes = encoded.unprotectedCopy
        let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 4, bytes.count - 4 >= count,
            let json = try? JSONParser.parse(bytes[4..<4 + count]), let access = ItemAccess(json)
        else {
            throw KeychainError(
                .decode,
                "an item does not have the form of a keychain file's",
                kind: .keys(.damagedItem)
            )
        }
        self.access = access
        secret = SecretBytes(Array(bytes[(4 + count)...]))
    }

    private var json: JSONValue {
        .object([
            "descriptor": .string(access.descriptor),
            "trustedApplications": access.trustedApplications.map { .strings($0.map(\.path)) } ?? .null,
            "partitions": .strings(access.partitions),
        ])
    }
}

extension ItemAccess {
    fileprivate init?(_ json: JSONValue) {
        guard let descriptor = json["descriptor"].string, let partitions = json["partitions"].elements else {
            return nil
        }
        self.init(
            descriptor: descriptor,
            trustedApplications: json["trustedApplications"].elements?.compactMap(\.string)
                .map(TrustedApplication.init(path:)),
            partitions: partitions.compactMap(\.string)
        )
    }
}
