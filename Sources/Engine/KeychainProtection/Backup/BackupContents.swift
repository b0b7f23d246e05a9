// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The parsed contents of a backup keybag (Documentation/Format.md, "Backup keybag").
struct BackupContents {
    private static let mark = Array("SKBK".utf8)

    /// The parameters for deriving the key from the secret.
    var header: PasswordHeader
    /// Which backup it is.
    var identifier: Bytes16
    /// The number of items by accessibility that are not in the backup because they must not leave the device.
    var leftOut: [Accessibility: Int]
    /// How many items are not in the backup because they do not open.
    var damaged: Int
    /// The code over all rows.
    var rowCode: [UInt8]
    /// The keys, each wrapped.
    var entries: [Keybag.Entry.Purpose: [UInt8]] = [:]

    func sealed(_ authenticationKey: SymmetricKey) -> [UInt8] {
        AuthenticatedBytes<BackupContents>.seal(Self.mark, under: authenticationKey, append)
    }

    private func append(to bytes: inout [UInt8]) {
        bytes += header.encoded
        bytes += identifier.bytes
        bytes.append(UInt8(leftOut.count))
        for (level, count) in leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            bytes.append(UInt8(level.rawValue.utf8.count))
            bytes += level.rawValue.utf8
            bytes.append(littleEndian: UInt64(count))
        }
        bytes.append(littleEndian: UInt64(damaged))
        bytes += rowCode
        bytes.append(UInt8(entries.count))
        for purpose in BackupKeys.purposes {
            bytes += purpose.encoded
            bytes += entries[purpose] ?? []
        }
    }

    /// Parses the bytes; every length is checked, regardless of their origin.
    static func parse(_ bytes: [UInt8]) throws(ProtectionError) -> AuthenticatedBytes<BackupContents> {
        try AuthenticatedBytes(bytes, mark: mark, unmarked: "it is not that of a backup") { try BackupContents(&$0) }
    }

    private init(_ reader: inout ByteReader) throws {
        guard let header = try PasswordHeader(&reader) else {
            throw ProtectionError.damagedKeybag("its secret asks for work that is not allowed")
        }
        self.header = header
        guard let identifier = Bytes16(try reader.readBytes(Bytes16.count)) else { throw ByteReader.Truncated() }
        self.identifier = identifier
        leftOut = [:]
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let name = String(decoding: try reader.readBytes(Int(try reader.integer(UInt8.self))), as: UTF8.self)
            guard let level = Accessibility(rawValue: name), leftOut[level] == nil else {
                throw ProtectionError.damagedKeybag("it counts an unknown level, or one twice")
            }
            leftOut[level] = try Self.count(&reader)
        }
        damaged = try Self.count(&reader)
        rowCode = Array(try reader.readBytes(MessageAuthentication.byteCount))
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let purpose = try Keybag.Entry.Purpose(&reader)
            let wrapped = Array(try reader.readBytes(KeyWrap.wrappedByteCount))
            guard entries.updateValue(wrapped, forKey: purpose) == nil else {
                throw ProtectionError.damagedKeybag("it has a key twice")
            }
        }
        guard Set(entries.keys) == Set(BackupKeys.purposes) else {
            throw ProtectionError.damagedKeybag("it has other keys than it must have")
        }
    }

    private static func count(_ reader: inout ByteReader) throws -> Int {
        guard let count = Int(exactly: try reader.integer(UInt64.self)) else {
            throw ProtectionError.damagedKeybag("it has a count out of bounds")
        }
        return count
    }
}

extension BackupContents {
    init(
        header: PasswordHeader,
        identifier: Bytes16,
        leftOut: [Accessibility: Int],
        damaged: Int,
        rowCode: [UInt8]
    ) {
        self.header = header
        self.identifier = identifier
        self.leftOut = leftOut
        self.damaged = damaged
        self.rowCode = rowCode
    }
}
