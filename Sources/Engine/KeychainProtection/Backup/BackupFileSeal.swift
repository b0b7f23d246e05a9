// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens the keychain files of a backup (Documentation/Format.md, "Keychain files in a backup").
extension BackupKeys {
    /// Seals a file.
    ///
    /// Its key is derived from a key of this backup for its number alone, so each key seals one message.
    ///
    /// - Parameters:
    ///   - file: the file, with its name and mode.
    ///   - number: its number in the backup, from 1.
    /// - Returns: The sealed bytes.
    /// - Throws: ``ProtectionError/cryptography(_:)``, which does not occur with valid keys.
    func seal(_ file: BackedUpFile, number: Int64) throws(ProtectionError) -> [UInt8] {
        let name = Array(file.name.utf8)
        let plain = SecretBytes(count: Self.headerByteCount + name.count + file.contents.count) { bytes in
            var header: [UInt8] = []
            header.append(littleEndian: file.mode)
            header.append(littleEndian: UInt32(name.count))
            bytes.copyBytes(from: header + name)
            file.contents.withUnsafeBytes { contents in
                UnsafeMutableRawBufferPointer(rebasing: bytes[(header.count + name.count)...])
                    .copyMemory(from: contents)
            }
        }
        return try SecretPadding.pad(plain).withUnsafeBytes { (padded) throws(ProtectionError) in
            try GCM.seal(padded, under: fileKey(number), associatedData: associatedData(ofFile: number))
        }
    }

    /// Opens a file.
    ///
    /// - Throws: ``ProtectionError/alteredBackup`` for bytes that are not those of the file of this number.
    func open(_ sealed: [UInt8], number: Int64) throws(ProtectionError) -> BackedUpFile {
        let file = try GCM.open(
            sealed[...],
            under: fileKey(number),
            associatedData: associatedData(ofFile: number)
        ) { (padded) throws(ProtectionError) in
            SecretPadding.content(of: padded).flatMap(Self.file)
        }
        guard let file, let file else { throw .alteredBackup }
        return file
    }

    private static let headerByteCount = 6

    /// The file in opened bytes; `nil` for any others.
    static func file(_ plain: UnsafeRawBufferPointer) -> BackedUpFile? {
        guard plain.count >= headerByteCount else { return nil }
        let mode = UInt16(littleEndian: plain.loadUnaligned(as: UInt16.self))
        let count = UInt32(littleEndian: plain.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
        let rest = plain[headerByteCount...]
        guard count <= rest.count, mode & ~0o777 == 0 else { return nil }
        let (name, contents) = (rest.prefix(Int(count)), rest.dropFirst(Int(count)))
        guard let text = String(validating: name, as: UTF8.self) else { return nil }
        return BackedUpFile(
            name: text,
            mode: mode,
            contents: SecretBytes(copying: UnsafeRawBufferPointer(rebasing: contents))
        )
    }

    private func fileKey(_ number: Int64) throws(ProtectionError) -> SymmetricKey {
        KeyDerivation.derive("backup file", from: try key(.classKey(.whenUnlocked))) { context in
            context += storeIdentifier.bytes
            context.append(littleEndian: number)
        }
    }

    private func associatedData(ofFile number: Int64) -> [UInt8] {
        BackupFileCode.beginning(of: storeIdentifier, number)
    }
}

/// The code over the keychain files of a backup and its rows: HMAC-SHA-256 (Documentation/Format.md, "Code of the
/// files").
struct BackupFileCode {
    private let identifier: Bytes16
    private var code: KeyedHash
    private var count: UInt64 = 0

    init(_ key: SymmetricKey, of identifier: Bytes16) {
        self.identifier = identifier
        code = KeyedHash(key)
    }

    /// Takes in the next file.
    mutating func add(_ sealed: [UInt8], number: Int64) {
        var bytes = Self.beginning(of: identifier, number)
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: sealed.count))
        code.update(bytes)
        code.update(sealed)
        count += 1
    }

    /// The code of a backup; that of the rows alone if there are no files, as in a backup that cannot have any.
    func finish(rows: [UInt8]) -> [UInt8] {
        guard count > 0 else { return rows }
        var code = code
        var bytes: [UInt8] = []
        bytes.append(littleEndian: count)
        code.update(bytes + rows)
        return Array(code.finalize())
    }

    /// What a file is bound to: the letter F, the format, the backup, the number.
    fileprivate static func beginning(of identifier: Bytes16, _ number: Int64) -> [UInt8] {
        var bytes: [UInt8] = [0x46, FileFormat.number]
        bytes += identifier.bytes
        bytes.append(littleEndian: number)
        return bytes
    }
}
