// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Prompts on the controlling terminal of the process, without echoing the input.
///
/// The interrupt and end-of-input keys cancel. The terminal's settings are always restored when a question ends: a
/// signal that ends or stops the process restores them first. A background process does not prompt, and is not stopped.
package struct TerminalAuthenticator: Authenticator {
    private let path: String

    /// The terminal of a path.
    package init(path: String = "/dev/tty") { self.path = path }

    /// None.
    package var biometry: Biometry { .none }

    /// Whether there is a terminal with this process in the foreground.
    package var canAskForSecrets: Bool { Terminal(path: path) != nil }

    /// Asks, and waits for a line.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        guard let text = QuestionText(prompt), let watch = QuestionWatch(prompt), let terminal = Terminal(path: path)
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
