// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Asks for confirmation at the terminal, even if standard input is something else.
enum Confirmation {
    /// Whether the answer was "yes"; `nil` if the program has no terminal.
    @Sendable
    static func ask(_ question: String) -> Bool? {
        askLine("\(question)\nType yes to continue:").map { $0 == Array("yes".utf8) }
    }

    /// What is typed as an answer, on the screen and so no secret; `nil` if the program has no terminal.
    @Sendable
    static func askLine(_ question: String) -> [UInt8]? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        StandardError.write(question, to: terminal)
        return answer(from: terminal)
    }

    /// Reads a line; bytes beyond the first few do not matter.
    private static func answer(from terminal: Int32) -> [UInt8] {
        var line: [UInt8] = []
        while line.count < 1 << 12 {
            var byte: UInt8 = 0
            let count = withUnsafeMutableBytes(of: &byte) { DescriptorInput.read(terminal, $0) }
            guard count > 0, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return line
    }
}

/// Writes messages to standard error, so that the output contains only results.
enum StandardError {
    /// Writes a line.
    @Sendable
    static func write(_ line: String) { write(line, to: STDERR_FILENO) }

    /// Writes a line to another descriptor.
    ///
    /// It may repeat arguments and names: a terminal obeys none of their characters.
    static func write(_ line: String, to descriptor: Int32) {
        PrintableText.lines("\(line)\n".utf8).withUnsafeBytes { _ = DescriptorOutput.write($0, to: descriptor) }
    }
}

/// The arguments that this program was started with.
enum ProgramArguments {
    /// Whether all of them are UTF-8: converted to a string, another argument would be a different path.
    static func areUTF8(_ arguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Bool {
        arguments.allSatisfy { argument in argument.map { String(validatingCString: $0) != nil } ?? true }
    }
}
