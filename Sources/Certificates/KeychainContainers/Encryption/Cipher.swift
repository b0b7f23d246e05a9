// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials

/// A block cipher in CBC mode with the padding of PKCS #7 (RFC 5652, section 6.3).
enum Cipher {
    case aes(keyByteCount: Int)
    /// For old files, and for programs that can read no others.
    case tripleDES(keyByteCount: Int)
    /// For old files only, and for reading only.
    case rc2(keyByteCount: Int)

    var keyByteCount: Int {
        switch self {
        case .aes(let count), .tripleDES(let count), .rc2(let count): count
        }
    }

    var blockByteCount: Int {
        switch self {
        case .aes: 16
        case .tripleDES, .rc2: 8
        }
    }

    /// Adds the padding, and encrypts.
    ///
    /// - Throws: `.unsupported` for a cipher that is used for reading only.
    func encrypt(
        _ bytes: UnsafeRawBufferPointer,
        key: [UInt8],
        initializationVector: [UInt8]
    ) throws(ContainerError) -> [UInt8] {
        let padding = blockByteCount - bytes.count % blockByteCount
        var plain = Array(bytes) + [UInt8](repeating: UInt8(padding), count: padding)
        defer { plain.wipe() }
        switch self {
        case .aes:
            do {
                let start = try AES._CBC.IV(ivBytes: initializationVector)
                return Array(try AES._CBC.encrypt(plain, using: SymmetricKey(data: key), iv: start, noPadding: true))
            } catch {
                throw .unsupported("a cipher has a key or a start of a wrong length")
            }
        case .tripleDES:
            let cipher = TripleDES(key: key)
            return ChainedBlocks.encrypt(plain, initializationVector: initializationVector) { cipher.encrypt($0) }
        case .rc2:
            throw .unsupported("nothing is encrypted with RC2")
        }
    }

    /// Decrypts, and removes the padding.
    ///
    /// - Throws: `.wrongPassword` for bytes that are not whole blocks, or have no valid padding.
    func decrypt(
        _ bytes: ArraySlice<UInt8>,
        key: [UInt8],
        initializationVector: [UInt8]
    ) throws(ContainerError) -> [UInt8] {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: blockByteCount) else {
            throw .malformed("what is encrypted is not whole blocks")
        }
        var plain: [UInt8]
        switch self {
        case .aes:
            plain = try aes(bytes, key: key, initializationVector: initializationVector)
        case .tripleDES:
            let cipher = TripleDES(key: key)
            plain = ChainedBlocks.decrypt(bytes, initializationVector: initializationVector) { cipher.decrypt($0) }
        case .rc2:
            let cipher = RC2(key: key, effectiveBits: key.count * 8)
            plain = ChainedBlocks.decrypt(bytes, initializationVector: initializationVector) { cipher.decrypt($0) }
        }
        defer { plain.wipe() }
        guard let padding = plain.last, padding > 0, padding <= blockByteCount,
            plain.suffix(Int(padding)).reduce(0, { $0 | ($1 ^ padding) }) == 0
        else { throw .wrongPassword }
        return Array(plain.dropLast(Int(padding)))
    }

    private func aes(
        _ bytes: ArraySlice<UInt8>,
        key: [UInt8],
        initializationVector: [UInt8]
    ) throws(ContainerError) -> [UInt8] {
        do {
            let start = try AES._CBC.IV(ivBytes: initializationVector)
            var plain = try AES._CBC.decrypt(bytes, using: SymmetricKey(data: key), iv: start, noPadding: true)
            return plain.takeBytes()
        } catch {
            throw .malformed("a cipher has a key or a start of a wrong length")
        }
    }
}
