// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A generic password in a row of format 3, without an access control (Documentation/Format.md, "Rows").
struct FormerItem {
    /// The bytes of an attribute, and their type.
    struct Value {
        var type: UInt8
        var bytes: [UInt8]
    }

    var uuid: [UInt8]
    var protection: String
    var generation: UInt64
    var tombstone: Int64
    var attributes: [String: Value]
    var secret: [UInt8]

    /// A new item that can always be read on this device.
    init(account: String, secret: String, group: String, at date: Double) {
        let time = Value(type: 6, bytes: littleEndian(date.bitPattern, 8))
        let zero = Value(type: 3, bytes: littleEndian(0, 8))
        (uuid, protection, generation, tombstone) = (Self.random(), "dku", 1, 0)
        attributes = [
            "acct": Value(type: 1, bytes: Array(account.utf8)), "svce": Value(type: 1, bytes: []),
            "agrp": Value(type: 1, bytes: Array(group.utf8)), "pdmn": Value(type: 1, bytes: Array("dku".utf8)),
            "sync": zero, "tomb": zero, "cdat": time, "mdat": time,
        ]
        self.secret = Array(secret.utf8)
    }

    /// The item of a row.
    init(_ row: [String: FormerValue], _ keys: FormerKeys) throws {
        guard case .blob(let uuid)? = row["uuid"], case .text(let protection)? = row["protection"],
            case .integer(let tombstone)? = row["tombstone"], case .integer(let generation)? = row["generation"],
            case .blob(let metadata)? = row["metadata"], case .blob(let secret)? = row["secret"]
        else { throw FormerError("a row has a wrong shape") }
        (self.uuid, self.protection, self.tombstone) = (uuid, protection, tombstone)
        self.generation = UInt64(generation)
        let opened = try keys.open(metadata, "metadata", of: row, uuid: uuid, level: protection)
        var reader = FormerReader(opened)
        guard try reader.number(1) == 3 else { throw FormerError("a row has another format") }
        let hasSecret = try reader.number(1) == 1
        attributes = [:]
        for _ in 0..<(try reader.number(2)) {
            let name = String(decoding: try reader.bytes(4), as: UTF8.self)
            let type = UInt8(try reader.number(1))
            attributes[name] = Value(type: type, bytes: try reader.bytes(Int(try reader.number(4))))
        }
        self.secret =
            hasSecret ? try Self.unpadded(keys.open(secret, "secret", of: row, uuid: uuid, level: protection)) : []
    }

    /// The row of the item, sealed anew.
    func row(_ keys: FormerKeys, columns: [String]) throws -> [String: FormerValue] {
        var attributes = attributes
        let tagKey = FormerKeys.derive("search tags", of: try keys.key(3, ""), keys.identifier)
        let beginning = littleEndian(4, 4) + Array("genp".utf8)
        var message = beginning + littleEndian(0, 4)
        for name in FormerLayout.primaryKey {
            guard let form = attributes[name].map({ Self.form(name, $0) }) else {
                message.append(0)
                continue
            }
            message += [1] + littleEndian(UInt64(form.count), 4) + form
        }
        let pk = Array(FormerKeys.mac(tagKey, message).prefix(16))
        let digests = FormerKeys.derive("digests", of: try keys.key(1, protection), keys.identifier)
        attributes["sha1"] = Value(type: 2, bytes: Array(FormerKeys.mac(digests, pk + secret).prefix(20)))
        var row: [String: FormerValue] = [
            "uuid": .blob(uuid), "protection": .text(protection), "tombstone": .integer(tombstone),
            "generation": .integer(Int64(generation)), "version": .blob(Self.random()), "pk": .blob(pk),
        ]
        // A column that this program does not know gets no tag: what is sealed here is bound to none.
        for column in columns where column.hasPrefix("t_") {
            let name = String(column.dropFirst(2))
            guard FormerLayout.tags["genp"]?.contains(name) ?? false, let value = attributes[name] else {
                row[column] = .null
                continue
            }
            let form = Self.form(name, value)
            let tagged = beginning + littleEndian(4, 4) + Array(name.utf8) + littleEndian(UInt64(form.count), 4) + form
            row[column] = .blob(Array(FormerKeys.mac(tagKey, tagged).prefix(16)))
        }
        var metadata: [UInt8] = [3, 1] + littleEndian(UInt64(attributes.count), 2)
        for name in attributes.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard let value = attributes[name] else { continue }
            metadata += Array(name.utf8) + [value.type] + littleEndian(UInt64(value.bytes.count), 4) + value.bytes
        }
        row["metadata"] = .blob(try keys.seal(metadata, "metadata", of: row, uuid: uuid, level: protection))
        row["secret"] = .blob(try keys.seal(Self.padded(secret), "secret", of: row, uuid: uuid, level: protection))
        return row
    }

    /// The form by which values are compared, of the attributes that this program stores.
    private static func form(_ name: String, _ value: Value) -> [UInt8] {
        name == "sync" ? [UInt8(ascii: "i")] + value.bytes : value.bytes
    }

    private static func random() -> [UInt8] { (0..<16).map { _ in .random(in: 0...255) } }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let content = bytes + [0x80]
        let step = content.count < 32 ? 32 : max(32, 1 << (Int.bitWidth - content.count.leadingZeroBitCount - 5))
        return content + [UInt8](repeating: 0, count: (step - content.count % step) % step)
    }

    private static func unpadded(_ bytes: [UInt8]) throws -> [UInt8] {
        guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == 0x80 else {
            throw FormerError("the padding of a secret")
        }
        return Array(bytes[..<end])
    }
}

extension FormerKeys {
    /// Opens a part of a row.
    func open(
        _ sealed: [UInt8],
        _ part: String,
        of row: [String: FormerValue],
        uuid: [UInt8],
        level: String
    ) throws -> [UInt8] {
        let (key, associated) = try material(part, of: row, uuid: uuid, level: level)
        return try Self.open(sealed, key, authenticating: associated)
    }

    /// Seals a part of a row.
    func seal(
        _ bytes: [UInt8],
        _ part: String,
        of row: [String: FormerValue],
        uuid: [UInt8],
        level: String
    ) throws -> [UInt8] {
        let (key, associated) = try material(part, of: row, uuid: uuid, level: level)
        return try Self.seal(bytes, key, authenticating: associated)
    }

    private func material(
        _ part: String,
        of row: [String: FormerValue],
        uuid: [UInt8],
        level: String
    ) throws -> (key: [UInt8], associated: [UInt8]) {
        guard case .blob(let version)? = row["version"], case .blob(let pk)? = row["pk"],
            case .integer(let generation)? = row["generation"]
        else { throw FormerError("a row has a wrong shape") }
        let context = identifier + Array("genp".utf8) + uuid + version
        let isSecret = part == "secret"
        let key = Self.derive("row \(part)", of: try key(isSecret ? 1 : 2, level), context, format: 3)
        // Also of columns that this program does not know.
        let tags = row.keys.filter { $0.hasPrefix("t_") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .compactMap { name -> [UInt8]? in
                guard case .blob(let tag)? = row[name] else { return nil }
                return Array(name.dropFirst(2).utf8) + tag
            }
        var associated = [UInt8(ascii: isSecret ? "S" : "M"), 3] + identifier + Array("genp".utf8) + uuid
        associated += [UInt8(level.utf8.count)] + Array(level.utf8) + littleEndian(UInt64(generation), 4)
        associated += version + pk + littleEndian(UInt64(tags.count), 2) + tags.flatMap { $0 }
        return (key, associated)
    }
}
