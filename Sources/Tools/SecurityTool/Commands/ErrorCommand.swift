// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// `error`: explains statuses.
struct ErrorCommand: Command {
    let options: OptionSyntax = "h"

    /// Always 1, as on macOS.
    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        if let word = invocation.words.first, word == "-h" { throw CommandFailure.usage }
        // macOS processes all words and skips the name of the command, but only if it was typed in full.
        for word in [invocation.typedName] + invocation.words where !(word == "error") {
            try session.output.write(Self.line(word))
        }
        return 1
    }

    private static func line(_ word: Word) -> ByteText {
        let status = Status(rawValue: Int32(truncatingIfNeeded: word.withCString { strtol($0, nil, 0) }))
        let digits = String(UInt32(bitPattern: status.rawValue), radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: 8 - digits.count)
        return "Error: 0x\(zeros)\(digits) \(status.rawValue) \(status.text)\n"
    }
}
