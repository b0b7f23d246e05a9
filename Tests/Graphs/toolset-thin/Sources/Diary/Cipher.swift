// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Foundation

/// Pages that a password opens, as code for Apple's platforms seals them.
public struct Cipher {
    private let key: Data

    /// The cipher of a password.
    public init?(password: String, salt: Data, rounds: UInt32 = 1000) {
        var key = Data(repeating: 0, count: kCCKeySizeAES256)
        let count = key.count
        let status = key.withUnsafeMutableBytes { key in
            salt.withUnsafeBytes { salt in
                CCKeyDerivationPBKDF(
                    CCPBKDFAlgorithm(kCCPBKDF2),
                    password,
                    password.utf8.count,
                    salt.bindMemory(to: UInt8.self).baseAddress,
                    salt.count,
                    CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256),
                    rounds,
                    key.bindMemory(to: UInt8.self).baseAddress,
                    count
                )
            }
        }
        guard status == kCCSuccess else { return nil }
        self.key = key
    }

    /// Seals a page, behind a random initialization vector.
    public func seal(_ page: String) -> Data? {
        var vector = Data(repeating: 0, count: kCCBlockSizeAES128)
        let status = vector.withUnsafeMutableBytes { CCRandomGenerateBytes($0.baseAddress, $0.count) }
        guard status == kCCSuccess else { return nil }
        return crypt(CCOperation(kCCEncrypt), Data(page.utf8), vector: vector).map { vector + $0 }
    }

    /// Opens a page.
    public func open(_ page: Data) -> String? {
        let (vector, sealed) = (page.prefix(kCCBlockSizeAES128), page.dropFirst(kCCBlockSizeAES128))
        return crypt(CCOperation(kCCDecrypt), Data(sealed), vector: Data(vector)).flatMap {
            String(data: $0, encoding: .utf8)
        }
    }

    private func crypt(_ operation: CCOperation, _ input: Data, vector: Data) -> Data? {
        var output = Data(repeating: 0, count: input.count + kCCBlockSizeAES128)
        let room = output.count
        var moved = 0
        let status = output.withUnsafeMutableBytes { output in
            input.withUnsafeBytes { input in
                key.withUnsafeBytes { key in
                    vector.withUnsafeBytes { vector in
                        CCCrypt(
                            operation,
                            CCAlgorithm(kCCAlgorithmAES),
                            CCOptions(kCCOptionPKCS7Padding),
                            key.baseAddress,
                            key.count,
                            vector.baseAddress,
                            input.baseAddress,
                            input.count,
                            output.baseAddress,
                            room,
                            &moved
                        )
                    }
                }
            }
        }
        return status == kCCSuccess ? output.prefix(moved) : nil
    }
}

extension Data {
    /// The digest, in hexadecimal digits.
    public var sha256: String {
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        _ = withUnsafeBytes { CC_SHA256($0.baseAddress, CC_LONG($0.count), &digest) }
        return digest.map { String(format: "%02x", $0) }.joined()
    }
}
