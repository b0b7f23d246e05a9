// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

struct ScryptTests {
    struct KnownAnswer: CustomTestStringConvertible {
        let input: String
        let salt: String
        let parameters: ScryptParameters
        let key: String

        var testDescription: String { "\(input), N = 2^\(parameters.log2Cost)" }
    }

    static let knownAnswers = [
        KnownAnswer(
            input: "",
            salt: "",
            parameters: ScryptParameters(log2Cost: 4, blockSize: 1, parallelization: 1),
            key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        KnownAnswer(
            input: "password",
            salt: "NaCl",
            parameters: ScryptParameters(log2Cost: 10, blockSize: 8, parallelization: 16),
            key: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        KnownAnswer(
            input: "pleaseletmein",
            salt: "SodiumChloride",
            parameters: ScryptParameters(log2Cost: 14, blockSize: 8, parallelization: 1),
            key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ]

    @Test("scrypt gives the answers of RFC 7914, section 12", arguments: knownAnswers)
    func givesKnownAnswer(_ row: KnownAnswer) throws {
        let key = try Scrypt.derive(Array(row.input.utf8), salt: Array(row.salt.utf8), row.parameters, byteCount: 64)
        #expect(key.withUnsafeBytes { Array($0) }.hexadecimal == row.key)
    }

    @Test("the standard is what the specification asks for")
    func standard() {
        #expect(ScryptParameters.standard == ScryptParameters(log2Cost: 17, blockSize: 8, parallelization: 1))
        #expect(ScryptParameters.standard.areAcceptable && ScryptParameters.testing.areAcceptable)
    }

    /// The binary logarithm of the cost, the block size and the parallelization.
    typealias Numbers = (log2Cost: UInt8, blockSize: UInt32, parallelization: UInt32)

    static let accepted: [Numbers] = [
        (1, 8, 1), (18, 8, 1), (4, 16, 1), (15, 1, 1), (1, 1, 1 << 20),
    ]

    static let refused: [Numbers] = [
        (0, 8, 1), (19, 8, 1), (18, 8, 2), (64, 8, 1), (255, 8, 1), (4, 0, 1), (4, 8, 0), (4, 17, 1), (16, 1, 1),
        (1, 1, 1 << 21), (4, .max, .max),
    ]

    static let limits =
        accepted.map { (ScryptParameters($0), true) } + refused.map { (ScryptParameters($0), false) }

    @Test("a file may ask for 256 MiB and no more", arguments: limits)
    func isBounded(_ parameters: ScryptParameters, _ isAcceptable: Bool) {
        #expect(parameters.areAcceptable == isAcceptable)
        guard !isAcceptable else { return }
        #expect(throws: ProtectionError.self) { try Scrypt.derive([1], salt: [2], parameters, byteCount: 32) }
    }

    static let smallest = (1...4 as ClosedRange<UInt8>).flatMap { log2Cost in
        ([1, 2, 15, 16] as [UInt32]).flatMap { blockSize in
            (1...5 as ClosedRange<UInt32>).map {
                ScryptParameters(log2Cost: log2Cost, blockSize: blockSize, parallelization: $0)
            }
        }
    }

    @Test("whatever is acceptable is carried out", arguments: smallest)
    func carriesOut(_ parameters: ScryptParameters) throws {
        #expect(try Scrypt.derive([1], salt: [2], parameters, byteCount: 32).bitCount == 256)
    }

    @Test("passcodes are derived from with their length in front, and entangled with the root key")
    func entangles() throws {
        let derived = try Scrypt.key(from: "secret", salt: Array(100..<132), .testing)
        #expect(derived.hexadecimal == "0ca11a96e6cc89816f11500013dd6e7e0b6be05a1aa0885c349b6fb8a3f9ff87")
        let rootKey = try Array(UInt8(0)..<32).withUnsafeBytes { try SoftwareRootKey($0) }
        let entangled = try rootKey.entangle(
            SecretBytes(derived.withUnsafeBytes { Array($0) }),
            for: .counting(from: 32)
        )
        #expect(entangled.hexadecimal == "e3ade34aba728f9f3868ac5aa1b20889e3a7436ad75a2cb3803559999fc3c3fe")
    }

    static let floors: [(ScryptParameters, Bool)] = [
        (ScryptParameters(log2Cost: 14, blockSize: 8, parallelization: 1), true),
        (ScryptParameters(log2Cost: 13, blockSize: 8, parallelization: 1), false),
        (ScryptParameters(log2Cost: 14, blockSize: 7, parallelization: 1), false),
        (ScryptParameters(log2Cost: 13, blockSize: 16, parallelization: 4), false),
        (ScryptParameters(log2Cost: 18, blockSize: 7, parallelization: 1), false),
        (.standard, true), (.testing, false), (.minimum, false),
    ]

    @Test("a file may not ask for less than N = 2^14, r = 8", arguments: floors)
    func hasFloor(_ parameters: ScryptParameters, _ isAcceptable: Bool) {
        #expect(parameters.isAcceptable(.standard) == isAcceptable)
        // No device refuses what it makes itself, and none has a floor above the standard.
        #expect(parameters.isAcceptable(ScryptFloor(of: parameters)))
        #expect(ScryptFloor(of: .standard) == .standard)
    }

    @Test("the length tells passcodes apart that HMAC does not")
    func tellsZeroPaddedApart() throws {
        let salt = [UInt8](repeating: 1, count: 32)
        let keys = try [[], [0], [0, 0], [97], [97, 0], [97, 0, 0]].map {
            try Scrypt.key(from: SecretBytes($0), salt: salt, .testing).hexadecimal
        }
        #expect(Set(keys).count == keys.count)
    }
}

extension SymmetricKey {
    var hexadecimal: String { withUnsafeBytes { Array($0) }.hexadecimal }
}

extension ScryptParameters {
    fileprivate init(_ numbers: ScryptTests.Numbers) {
        self.init(
            log2Cost: numbers.log2Cost,
            blockSize: numbers.blockSize,
            parallelization: numbers.parallelization
        )
    }
}
