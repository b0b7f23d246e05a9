// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The identifier of a team: the first 16 bytes of the SHA-256 of the team's first public key, in base 32 without
/// padding (RFC 4648).
///
/// 26 characters, where Apple's has 10: a key can be made for an identifier of 50 bits, and not for one of 128.
package struct TeamIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The identifier, which precedes the period in `TEAMID.com.example.shared`.
    package let description: String

    static let length = 26

    /// The team whose first key this is.
    package init(firstKey: TeamPublicKey) {
        description = Encodings.base32(SHA256.hash(data: firstKey.bytes).prefix(16))
    }

    /// A team by its identifier; `nil` for what no key has.
    package init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        // 26 digits are 130 bits, of which the last two are zero.
        guard digits.count == Self.length, digits.allSatisfy(Self.isDigit), let last = digits.last,
            "AEIMQUY4".utf8.contains(last)
        else { return nil }
        description = String(text)
    }

    /// Whether an access group is one of a team's, whichever: it begins with 26 digits of base 32 and a period.
    static func isTeamGroup(_ group: String) -> Bool {
        let start = Array(group.utf8.prefix(length + 1))
        return start.count == length + 1 && start[length] == UInt8(ascii: ".") && start[..<length].allSatisfy(isDigit)
    }

    private static func isDigit(_ digit: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(digit)
            || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(digit)
    }

    /// The prefix of the team's groups and application identifiers.
    package var prefix: String { description + "." }

    /// Whether an access group or an application identifier is the team's, and names something in it.
    package func owns(_ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8) && name.utf8.count > prefix.utf8.count
    }
}
