// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSecretService

/// The agreement on the key of a session, with numbers that another program has computed (Python's `pow` and `hmac`).
struct KeyPairTests {
    /// The secret exponent 0x0102…28, and two to its power.
    private static let secret = SecretBytes(Array(1...40))
    private static let published = """
        f5c0ffe85fadcbd82e041253138281995bfcfdcbe617da315936094a4b6a6c8f3b3b6019eb12a1ee9db1c53641d5aa0fcfed77fb76ac1633\
        9098a1e757d05778f3b1798268f8692cedfd12d8048432df51e420d5b92374aea3f9945c06686081404249da0e2063b73a5d115147eb7043\
        dca42cd61aba1f5ef726763c96ec5dbb
        """
    private static let prime = """
        ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b\
        302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe6\
        49286651ece65381ffffffffffffffff
        """

    /// What another side has published, and the key that both agree on.
    private static let agreements: [(other: String, key: String)] = [
        (
            """
            b67b74f5a013fec1b84e94ee583fbb7e913f312702ac570e31101324bd5f14834504d5bb758fbbe2071192a20ac850cdf3c7b84385a03b82\
            9805b61be2925eec67fdfc5ff215b857bff87c731c8faeae98fb3f911fbc48c0c4d0d8bcc3123131ddd829693dbf4e3f11a1e87111caf4f3\
            1369c99fc5efd5abe99a049c1eef23bf
            """,
            "d22ee0605968af04c85cb6e43afd8847"
        ),
        // The shared number has a zero byte in front; without it the key would be 954122319927e5d5984409b3a48f209e.
        (
            """
            bb2912aa391d8cc859dd8c2154dbb1776e5fb57d16855da46e4b63cd30931dd8c5379f78f848d1b42e5e5fe99b6a9e8bafa4f82469828762\
            e4a9399f43ef49fd4f0ebc44217a0a06acf1e87607b74e6e8ef5ea20f85d97cc00e5f0b9cd22ee8c16c7af795482f3f6dcc8adc276dbbcdd\
            ecc6c493226924857ca5c01e74771d67
            """,
            "e3d1d09d58a79a3c7ada6c11def9bb71"
        ),
        // What was published has one itself, and is sent without it.
        (
            """
            dd4d1e06746b750a979ee1d56ffdd590216afa4f90b4113850a74992817b865b0d4876eb06679a71e2c851d203ef006a44888e297183a286\
            eefccece616e901b504fdd32ce1bed48e11503be7f3d9559442786b2996012d513a9de18a1c87324d50d2360f00214c9486821f20301a1d2\
            aa558979a99bb1eea6f6ed9154b509
            """,
            "51b1826373bcc72842fe6c80e210ae24"
        ),
    ]

    private static func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }

    @Test("both sides agree on the key that others compute, also if the shared number begins with a zero byte")
    func knownKeys() throws {
        let pair = try KeyPair(secret: Self.secret)
        #expect(pair.published.hexadecimal == Self.published)
        for (other, key) in Self.agreements {
            let other = try Self.bytes(other)
            #expect(try pair.sharedKey(with: other).unprotectedCopy.hexadecimal == key)
            let padded = [UInt8](repeating: 0, count: 129 - other.count) + other
            #expect(try pair.sharedKey(with: padded).unprotectedCopy.hexadecimal == key, "zeros in front count nothing")
        }
    }

    @Test("two new pairs agree on a key")
    func newPairs() throws {
        let (one, other) = (try KeyPair(), try KeyPair())
        #expect(one.published != other.published)
        #expect(one.published.count == 128)
        let key = try one.sharedKey(with: other.published)
        #expect(key.count == 16)
        #expect(try other.sharedKey(with: one.published) == key)
    }

    @Test("numbers whose powers everybody knows are refused: 0, 1, the prime less 1, the prime, and the prime and 1")
    func degenerate() throws {
        let pair = try KeyPair(secret: Self.secret)
        let prime = try Self.bytes(Self.prime)
        let below = prime.dropLast() + [prime[127] - 1]
        // The last eight bytes overflow into the one before them.
        let above = prime[..<119] + [prime[119] + 1] + [UInt8](repeating: 0, count: 8)
        let numbers: [[UInt8]] = [
            [], [0], [1], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 127) + [1], Array(below),
            prime,
            Array(above), [UInt8](repeating: 0xFF, count: 128),
        ]
        for number in numbers {
            #expect(throws: ServiceError.invalidArguments) { try pair.sharedKey(with: number) }
        }
        _ = try pair.sharedKey(with: [2])
        _ = try pair.sharedKey(with: prime.dropLast() + [prime[127] - 2])
    }

    @Test("numbers of more bytes than the prime are refused", arguments: [129, 130, 4_096])
    func long(_ count: Int) throws {
        let pair = try KeyPair(secret: Self.secret)
        #expect(throws: ServiceError.invalidArguments) {
            try pair.sharedKey(with: [UInt8](repeating: 0x7F, count: count))
        }
        #expect(throws: ServiceError.invalidArguments) {
            try pair.sharedKey(with: [UInt8](repeating: 0, count: count) + [2])
        }
    }
}
