// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What a secret is known by to the program that clears the clipboard.
struct ClipboardDigest: Hashable, Sendable {
    let bytes: SecretBytes

    /// That of a secret.
    init(of secret: SecretBytes) { self.init(of: secret.unprotectedCopy) }

    private init(of bytes: [UInt8]) { self.bytes = SecretBytes(Array(SHA256.hash(data: bytes))) }

    /// One that was computed before.
    init(_ bytes: SecretBytes) { self.bytes = bytes }

    /// Whether it is that of some bytes.
    func isOf(_ contents: [UInt8]?) -> Bool { contents.map { Self(of: $0) == self } ?? false }
}
