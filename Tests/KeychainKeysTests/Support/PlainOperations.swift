// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

// The operations between arrays.

extension PrivateKey {
    func sign(_ data: [UInt8], _ name: String) throws -> [UInt8] {
        let algorithm = try #require(KeyAlgorithm(name))
        return try data.withBytes { (data) throws(KeyError) in try signature(data, algorithm) }
    }

    func decrypt(_ ciphertext: [UInt8], _ name: String) throws -> [UInt8] {
        let algorithm = try #require(KeyAlgorithm(name))
        return try ciphertext.withBytes { (ciphertext) throws(KeyError) in
            try decrypt(ciphertext, algorithm).unprotectedCopy
        }
    }

    func agree(_ other: PublicKey, _ name: String, size: Int? = nil, info: [UInt8] = []) throws -> [UInt8] {
        let algorithm = try #require(KeyAlgorithm(name))
        return try keyExchange(with: other, algorithm, requestedSize: size, sharedInfo: info).unprotectedCopy
    }
}

extension PublicKey {
    func verify(_ signature: [UInt8], of data: [UInt8], algorithm name: String) throws {
        let algorithm = try #require(KeyAlgorithm(name))
        try signature.withBytes { (signature) throws(KeyError) in
            try data.withBytes { (data) throws(KeyError) in try verify(signature, of: data, algorithm) }
        }
    }

    func encrypt(_ plaintext: [UInt8], _ name: String) throws -> [UInt8] {
        let algorithm = try #require(KeyAlgorithm(name))
        return try plaintext.withBytes { (plaintext) throws(KeyError) in try encrypt(plaintext, algorithm) }
    }
}
