// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore

/// The text of a secret for scheduled backups.
enum BackupSecretText {
    private static let (groupCount, groupByteCount) = (8, 4)

    /// 160 random bits in base32 (RFC 4648, section 6), in groups of four: all of it, hyphens included, is the secret.
    static func make() -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return SecretBytes(count: groupCount * (groupByteCount + 1) - 1) { text in
            for index in text.indices {
                let isSeparator = index % (groupByteCount + 1) == groupByteCount
                text[index] = isSeparator ? UInt8(ascii: "-") : digit(UInt8(generator.next() & 31))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
    }

    /// Shows a secret at the terminal.
    @Sendable
    static func show(_ secret: SecretBytes) -> Bool {
        let terminal = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        StandardError.write(
            "The secret of these backups; keep it away from this device. It is not shown again:\n",
            to: terminal
        )
        return SecretLine.write(secret, to: terminal)
    }
}
