// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The frame that a keybag has in a store and in a backup: a mark, the version, what it holds, and HMAC-SHA-256 over
/// all that (Documentation/Format.md, "Keybag" and "Backup keybag").
///
/// What it holds was read, and is not to be believed before the code is found right.
struct AuthenticatedBytes<Contents> {
    let contents: Contents
    private let body: ArraySlice<UInt8>
    private let code: ArraySlice<UInt8>

    /// Reads the shape; every length is checked, whatever wrote the bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - mark: what they have to begin with.
    ///   - unmarked: what is said of bytes that do not.
    ///   - parse: reads what is in the frame.
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)``.
    init(
        _ bytes: [UInt8],
        mark: [UInt8],
        unmarked: String,
        _ parse: (inout ByteReader) throws -> Contents
    ) throws(ProtectionError) {
        do {
            guard bytes.count > mark.count + MessageAuthentication.byteCount else { throw ByteReader.Truncated() }
            body = bytes.dropLast(MessageAuthentication.byteCount)
            code = bytes.suffix(MessageAuthentication.byteCount)
            var reader = ByteReader(body)
            guard try reader.take(mark.count).elementsEqual(mark) else { throw ProtectionError.damagedKeybag(unmarked) }
            try FileFormat.checkVersion(&reader)
            contents = try parse(&reader)
            guard reader.isAtEnd else { throw ProtectionError.damagedKeybag("it has bytes after its end") }
        } catch let error as ProtectionError {
            throw error
        } catch {
            throw .damagedKeybag("it is cut short")
        }
    }

    /// Whether the code over everything before it is right.
    func isAuthentic(under key: SymmetricKey) -> Bool { MessageAuthentication.isRight(code, body, under: key) }

    /// The bytes of such a frame; `append` gives what it holds.
    static func seal(_ mark: [UInt8], under key: SymmetricKey, _ append: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = mark
        bytes.append(littleEndian: FileFormat.keybagVersion)
        append(&bytes)
        return bytes + MessageAuthentication.code(bytes, under: key).withUnsafeBytes { Array($0) }
    }
}
