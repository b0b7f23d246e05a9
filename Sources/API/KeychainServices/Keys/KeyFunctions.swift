// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainKeys

/// The external representation of a key, which ``SecKeyCreateWithData(_:_:_:)`` takes.
///
/// - Returns: The bytes; `nil` with `errSecUnimplemented` for a key that cannot leave its token.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.passingError(to: error) { () throws(KeychainError) in
        switch key.half {
        case .public(let key): return NSData(key.externalRepresentation)
        case .private(let key):
            do throws(KeyError) {
                guard let bytes = try key.loaded().externalRepresentation else { throw .notExportable }
                return NSData(bytes)
            } catch {
                throw KeychainError(error)
            }
        }
    }
}

/// The public key of a pair.
///
/// - Returns: The public half of a private key; a public key itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    switch key.half {
    case .public: key
    case .private(let privateKey): SecKey(privateKey.publicKey)
    }
}

/// The attributes of a key (Semantics, "Attributes of a key").
///
/// - Returns: Class and type as strings, sizes as numbers, `kSecAttrApplicationLabel` as data, uses as truth values;
///   the external representation under `kSecValueData` unless the key cannot be exported.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let reference = key.reference
    var attributes = reference.attributes
    if case .private(let key) = key.half, key.externalRepresentation == nil {
        attributes[PropertyKey.valueData] = nil
    } else {
        attributes[PropertyKey.valueData] = reference.data.map { .data($0) }
    }
    return KeychainAnswer.single(.dictionary(attributes)).object as? NSDictionary
}

/// The block size of a key.
///
/// - Returns: Of an RSA key the length of its modulus, of a curve's key that of a coordinate, in bytes.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.publicKey.blockSize }
