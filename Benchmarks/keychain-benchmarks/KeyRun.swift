// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Security

/// What a key's operation costs through Apple's functions, beside the library that carries it out.
struct KeyRun {
    let rounds: Int

    private static let operationsInATurn = 200
    private static let message = Data("a message of the length that tokens have: header, claims and a dot between".utf8)

    func run(_ report: inout Report) throws {
        print(Report.keyHeading(rounds: rounds))
        let library = P256.Signing.PrivateKey()
        let secKey = try key(library)
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        try compare("sign, P-256", atMost: 1.2, into: &report) {
            _ = try library.signature(for: Self.message).derRepresentation
        } secKey: {
            guard SecKeyCreateSignature(secKey, algorithm, Self.message as CFData, nil) != nil else {
                throw Failure("SecKeyCreateSignature gave nothing")
            }
        }
        guard let publicKey = SecKeyCopyPublicKey(secKey) else { throw Failure("there is no public key") }
        let signature = try library.signature(for: Self.message).derRepresentation
        try compare("verify, P-256", atMost: nil, into: &report) {
            let parsed = try P256.Signing.ECDSASignature(derRepresentation: signature)
            guard library.publicKey.isValidSignature(parsed, for: Self.message) else {
                throw Failure("it is not valid")
            }
        } secKey: {
            guard SecKeyVerifySignature(publicKey, algorithm, Self.message as CFData, signature as CFData, nil) else {
                throw Failure("SecKeyVerifySignature refused its signature")
            }
        }
    }

    private func key(_ library: P256.Signing.PrivateKey) throws -> SecKey {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        let data = library.x963Representation as CFData
        guard let key = SecKeyCreateWithData(data, attributes as CFDictionary, nil) else {
            throw Failure("SecKeyCreateWithData gave nothing")
        }
        return key
    }

    private func compare(
        _ name: String,
        atMost limit: Double?,
        into report: inout Report,
        library: () throws -> Void,
        secKey: () throws -> Void
    ) throws {
        var samples = Samples(participants: 2)
        for round in -1..<rounds {
            for turn in 0..<2 {
                let participant = (turn + round + 1) % 2
                let time = try self.time(participant == 0 ? library : secKey)
                if round >= 0 { samples.append([.processor: time], participant) }
            }
        }
        print(
            report.key(
                name,
                library: samples.median(.processor, 0),
                secKey: samples.median(.processor, 1),
                ratio: samples.ratio(.processor, 1, to: 0),
                limit: limit
            )
        )
    }

    private func time(_ body: () throws -> Void) throws -> Double {
        let start = Clock.processor.now
        for _ in 0..<Self.operationsInATurn { try body() }
        return (Clock.processor.now - start) / Double(Self.operationsInATurn)
    }
}
