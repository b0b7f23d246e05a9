// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Prompts on the controlling terminal of this process or another one, without echoing the input.
///
/// The interrupt and end-of-input keys cancel. The terminal's settings are always restored when a question ends: a
/// signal that ends or stops the process restores them first. A background process does not prompt, and is not stopped.
package struct TerminalAuthenticator: Authenticator {
    private let open: @Sendable () -> (any QuestionTerminal)?

    /// The terminal of a path.
    package init(path: String = "/dev/tty") { open = { Terminal(path: path) } }

    /// The terminal of another process, while that is in its foreground.
    ///
    /// - Parameters:
    ///   - process: its number.
    ///   - startTime: when it was started (``ProcessStat/startTime``).
    package init(ofProcess process: Int32, startedAt startTime: UInt64) {
        open = { ProgramTerminal(ofProcess: process, startedAt: startTime) }
    }

    /// The path of the terminal of another process in its foreground; `nil` for none.
    package static func path(ofProcess process: Int32, startedAt startTime: UInt64) -> String? {
        ProgramTerminal.path(ofProcess: process, startedAt: startTime)
    }

    /// None.
    package var biometry: Biometry { .none }

    /// Whether there is a terminal with this process in the foreground.
    package var canAskForSecrets: Bool { open() != nil }

    /// Asks, and waits for a line.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        guard let text = QuestionText(prompt), let watch = QuestionWatch(prompt), let terminal = open()
        else { return .unavailable }
        do throws(QuestionEnd) {
            let secret = try terminal.withoutEcho(watch) { (keys) throws(QuestionEnd) in
                let question = TerminalQuestion(terminal: terminal, watch: watch, keys: keys, text: text)
                return prompt.kind == .newApplicationPassword ? try question.askTwice() : try question.ask()
            }
            return .secret(secret)
        } catch {
            return error.reply
        }
    }
}
