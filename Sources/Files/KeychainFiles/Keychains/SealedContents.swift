// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The data sealed under the password for an item: its secret, its access list, and a digest of its attributes.
///
/// They are sealed together, so that without the password the access list cannot be changed, and the secret cannot be
/// passed off as that of another item: the attributes themselves can be read, and so written, without the password. A
/// certificate is public, and its contents are not sealed.
struct SealedContents: Hashable {
    var access: ItemAccess
    var secret: SecretBytes

    /// SHA-256 of the attributes (``AttributeDigest``).
    var attributes: [UInt8]

    init(access: ItemAccess, secret: SecretBytes, attributes: [UInt8]) {
        self.access = access
        self.secret = secret
        self.attributes = attributes
    }

    /// Refuses a secret that is larger than that of any item.
    ///
    /// - Throws: `errSecDataTooLarge`.
    static func check(_ secret: SecretBytes) throws(KeychainError) {
        guard secret.count <= ItemLimits.secretByteCount else { throw .secretTooLarge }
    }

    /// The bytes: how many bytes of JSON follow, in four bytes, the highest first; that JSON; the secret.
    var encoded: SecretBytes {
        let text = Array(json.text.utf8)
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: UInt32(text.count) >> $0) }
        return SecretBytes(count: length.count + text.count + secret.count) { buffer in
            buffer.copyBytes(from: length + text)
            secret.withUnsafeBytes { secret in
                UnsafeMutableRawBufferPointer(rebasing: buffer[(length.count + text.count)...]).copyMemory(from: secret)
            }
        }
    }

    /// Reads the bytes.
    ///
    /// - Throws: `errSecDecode`.
    init(_ encoded: SecretBytes) throws(KeychainError) {
        let read = encoded.withUnsafeBytes { bytes -> SealedContents? in
            guard bytes.count >= 4 else { return nil }
            let end = 4 + bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count >= end,
                // Stored contents are read regardless of the text in them.
                let json = try? JSONParser.parse(bytes[4..<end], limitsMarks: false), let access = ItemAccess(json),
                let attributes = json["attributes"].string.flatMap([UInt8].init(hexadecimal:)),
                attributes.count == AttributeDigest.byteCount
            else { return nil }
            let secret = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[end...]))
            return SealedContents(access: access, secret: secret, attributes: attributes)
        }
        guard let read else {
            throw KeychainError(
                .decode,
                "an item does not have the form of a keychain file's",
                kind: .keys(.damagedItem)
            )
        }
        self = read
    }

    /// The members for versions that know only the access of `SecAccessCreate`, and the entries of any other.
    private var json: JSONValue {
        var members: [String: JSONValue] = [
            "descriptor": .string(access.descriptor),
            "trustedApplications": TrustedApplication.json(access.trustedApplications),
            "partitions": .strings(access.partitions),
            "attributes": .string(attributes.hexadecimal),
        ]
        if !access.isPlain { members["entries"] = .array(access.entries.map(\.json)) }
        return .object(members)
    }
}

extension ItemAccess {
    /// The access list without separate entries, for programs that do not support them.
    private init(plain access: ItemAccess) {
        self.init(
            descriptor: access.descriptor,
            trustedApplications: access.trustedApplications,
            partitions: access.partitions
        )
    }

    /// Whether it is one of `SecAccessCreate`.
    fileprivate var isPlain: Bool { self == ItemAccess(plain: self) }

    // An entry that is not understood does not mean every program.
    fileprivate init?(_ json: JSONValue) {
        guard let descriptor = json["descriptor"].string, let partitions = json["partitions"].elements,
            let programs = TrustedApplication.programs(json["trustedApplications"])
        else { return nil }
        switch json["entries"] {
        case .null:
            self.init(
                descriptor: descriptor,
                trustedApplications: programs,
                partitions: partitions.compactMap(\.string)
            )
        case .array(let members):
            let entries = members.compactMap(AccessEntry.init(_:))
            guard entries.count == members.count else { return nil }
            self.init(entries: entries)
        default: return nil
        }
    }
}

extension AccessEntry {
    fileprivate var json: JSONValue {
        .object([
            "authorizations": .strings(authorizations.map(\.rawValue)),
            "applications": TrustedApplication.json(applications),
            "description": .string(description),
            "prompt": .integer(Int(prompt)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let names = json["authorizations"].elements, let description = json["description"].string,
            let prompt = json["prompt"].integer.flatMap({ UInt16(exactly: $0) }),
            let programs = TrustedApplication.programs(json["applications"])
        else { return nil }
        let authorizations = names.compactMap(\.string).compactMap(AccessAuthorization.init(rawValue:))
        guard authorizations.count == names.count else { return nil }
        self.init(authorizations, for: programs, description, prompt: prompt)
    }
}

extension TrustedApplication {
    fileprivate static func json(_ programs: [TrustedApplication]?) -> JSONValue {
        programs.map { .strings($0.map(\.path)) } ?? .null
    }

    /// The programs of a member, among them `nil` for every program; `nil` for what is neither.
    fileprivate static func programs(_ json: JSONValue) -> [TrustedApplication]?? {
        switch json {
        case .null: .some(nil)
        case .array(let paths): paths.compactMap(\.string).map(TrustedApplication.init(path:))
        default: nil
        }
    }
}
