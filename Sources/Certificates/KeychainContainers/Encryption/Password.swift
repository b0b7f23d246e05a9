// SPDX-License-Identifier: Apache-2.0

/// A password in the forms that key derivations require.
struct Password {
    /// UTF-8, for PBKDF2 (RFC 8018).
    private(set) var utf8: [UInt8]

    /// UTF-16 big-endian with a terminating zero, for PKCS #12 (RFC 7292, appendix B.1).
    ///
    /// For an empty password, some tools also omit the zero.
    private(set) var big: [UInt8]

    init(_ text: String) {
        utf8 = Array(text.utf8)
        big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } + [0, 0]
    }

    /// Overwrites the password.
    mutating func wipe() {
        utf8.wipe()
        big.wipe()
    }

    /// The forms in which the password may have been used: one, except for the empty password.
    var variants: [Password] {
        guard utf8.isEmpty else { return [self] }
        var bare = self
        bare.big = []
        return [self, bare]
    }
}
