// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

@testable import KeychainKeys

/// Keys that tests share, each made once.
enum SampleKeys {
    static let p256 = make(.ellipticCurve, 256)
    static let p384 = make(.ellipticCurve, 384)
    static let p521 = make(.ellipticCurve, 521)
    static let rsa1024 = make(.rsa, 1024)
    static let rsa2048 = make(.rsa, 2048)

    static var curves: [PrivateKey] { [p256, p384, p521] }
    static var all: [PrivateKey] { curves + [rsa1024, rsa2048] }

    private static func make(_ type: KeyType, _ size: Int) -> PrivateKey {
        do {
            return try PrivateKey(generating: type, sizeInBits: size)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
