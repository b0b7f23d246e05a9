// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The frame of a keybag in a store and in a backup.
///
/// It consists of a mark, the version, the contents, and HMAC-SHA-256 over all of these (Documentation/Format.md,
/// "Keybag" and "Backup keybag").
///
/// The parsed contents, which must not be trusted before the code is verified.
struct AuthenticatedBytes<Contents> {
    let contents: Contents
    private let body: ArraySlice<UInt8>
    private let code: ArraySlice<UInt8>

    /// Parses the bytes; every length is checked, regardless of their origin.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - mark: the required prefix.
    ///   - unmarked: the error for bytes without it.
    ///   - parse: parses the contents of the frame.
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
            guard try reader.readBytes(mark.count).elementsEqual(mark) else {
                throw ProtectionError.damagedKeybag(unmarked)
            }
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

    /// The bytes of such a frame; `append` adds the contents.
    static func seal(_ mark: [UInt8], under key: SymmetricKey, _ append: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = mark
        bytes.append(littleEndian: FileFormat.keybagVersion)
        append(&bytes)
        return bytes + MessageAuthentication.code(bytes, under: key).withUnsafeBytes { Array($0) }
    }
}
