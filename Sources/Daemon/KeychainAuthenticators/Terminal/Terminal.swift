// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// A terminal that was opened for a question.
protocol QuestionTerminal: AnyObject {
    var descriptor: Int32 { get }

    /// Whether a question may be asked there now.
    var isOurs: Bool { get }

    /// How long to wait for input before ``isOurs`` is asked again, in milliseconds.
    var patienceMilliseconds: Int32 { get }

    /// Turns the echo off during `body`, and always restores it.
    ///
    /// - Throws: ``QuestionEnd/ended`` if another thread's question used up the time; the errors of `body`.
    func withoutEcho<Result>(
        _ watch: QuestionWatch,
        _ body: (TypedLine.Keys) throws(QuestionEnd) -> Result
    ) throws(QuestionEnd) -> Result
}

/// The terminal of this process.
final class Terminal: QuestionTerminal {
    let descriptor: Int32

    /// Opens it, without making it the controlling terminal of this process.
    ///
    /// - Returns: `nil` if there is none, or if this process is not in its foreground.
    init?(path: String) {
        // Non-blocking: another program may have read the input that poll(2) reported.
        descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        // From here on the descriptor is closed by deinit, even if the initializer fails.
        guard descriptor >= 0, isatty(descriptor) == 1, isOurs else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether this process may use it now.
    var isOurs: Bool { keychain_terminal_is_ours(descriptor) != 0 }

    /// A signal says that it may have changed.
    let patienceMilliseconds = Int32.max

    func withoutEcho<Result>(
        _ watch: QuestionWatch,
        _ body: (TypedLine.Keys) throws(QuestionEnd) -> Result
    ) throws(QuestionEnd) -> Result {
        var signals = sigset_t()
        keychain_terminal_ignore_stops(&signals)
        defer { keychain_terminal_respect_stops(&signals) }
        var keys = keychain_terminal_keys()
        while true {
            switch keychain_terminal_hide(descriptor, watch.wakeUp.descriptor, &keys) {
            case 0:
                defer { keychain_terminal_show() }
                return try body(TypedLine.Keys(keys))
            case EBUSY: try watch.pause(milliseconds: 50)
            default: throw .unavailable
            }
        }
    }
}

extension TypedLine.Keys {
    /// The keys of a terminal.
    init(_ keys: keychain_terminal_keys) {
        self.init(
            interrupt: keys.interrupt,
            endOfFile: keys.end_of_file,
            erase: keys.erase,
            eraseLine: keys.erase_line,
            literalNext: keys.literal_next
        )
    }
}
