// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// Reads commands from standard input, one per line.
struct InteractiveMode {
    let session: Session

    /// The prompt before each command that the user types.
    let prompt: ByteText

    /// The status of a command that could not prompt for a name.
    private static let endsSession: Int32 = -1

    static let defaultPrompt: ByteText = "security> "

    /// Runs commands until the input ends.
    ///
    /// - Returns: The status of the last one.
    /// - Throws: ``Output/Failure``
    func run() throws -> Int32 {
        let isTerminal = isatty(session.input.descriptor) == 1
        var status: Int32 = 0
        while true {
            // As it was given, with colours if it has any.
            if isTerminal { try session.errors.write(SecretBytes(prompt.bytes)) }
            switch try? session.input.next() {
            case .line(let line):
                status = try run(line)
                if status == Self.endsSession { return 0 }
            case .tooLong:
                // Differs from macOS, which runs the rest of the line as a command and prints it.
                try session.errors.write("security: a line is longer than \(LineReader.largestLine) bytes\n")
                status = 1
            case .unfinished, .end, nil: return status
            }
        }
    }

    /// The line and its words are deallocated when this returns: they may hold a secret, and the next line may not come
    /// for days.
    @inline(never)
    private func run(_ line: SecretBytes) throws -> Int32 {
        let words = LineSplitter.words(of: line)
        let status = try session.run(words)
        if let name = words.first, status != 0, status != Self.endsSession, !session.isQuiet {
            try session.errors.write("\(name): returned \(status)\n")
        }
        return status
    }
}
