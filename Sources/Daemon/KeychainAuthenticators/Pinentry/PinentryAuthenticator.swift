// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// Prompts in a dialog of pinentry, GnuPG's prompt program.
///
/// It is a child process for the time of one question, and receives only a part of the environment. One that hangs,
/// crashes or violates the protocol is killed, and counts as no way to prompt.
package struct PinentryAuthenticator: Authenticator {
    /// The program; `nil` if there is none.
    package let path: String?
    private let environment: PinentryEnvironment
    private let terminal: @Sendable () -> String?

    /// The pinentry of the system, or the program at an absolute path.
    package init(path: String? = nil) { self.init(path: path, environment: { ProcessEnvironment.value($0) }) }

    /// One for a process with an environment.
    ///
    /// - Parameters:
    ///   - path: the program; `nil` for that of the system.
    ///   - environment: the values of variables.
    ///   - terminal: the path of the terminal for those that show their dialog on one; `nil` if there is none.
    package init(
        path: String? = nil,
        environment: @escaping @Sendable (String) -> String?,
        terminal: @escaping @Sendable () -> String? = { Terminal(path: ownTerminal) == nil ? nil : ownTerminal }
    ) {
        self.terminal = terminal
        self.path = path ?? Self.systemPaths.first { access($0, X_OK) == 0 }
        self.environment = PinentryEnvironment(value: environment)
    }

    /// None.
    package var biometry: Biometry { .none }

    /// Whether the program exists.
    package var canAskForSecrets: Bool { path.map { access($0, X_OK) == 0 } ?? false }

    /// Shows a dialog, and waits for it.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        guard let path, let text = QuestionText(prompt), let watch = QuestionWatch(prompt),
            let process = PinentryProcess(path: path, environment: environment.variables)
        else { return .unavailable }
        let question = PinentryQuestion(
            connection: AssuanConnection(process.socket, watch),
            text: text,
            cancelTitle: prompt.cancelTitle,
            timeoutSeconds: prompt.timeoutSeconds
        )
        do throws(QuestionEnd) {
            try question.begin(environment.options(terminal: terminal()))
            return .secret(prompt.kind == .newApplicationPassword ? try question.askTwice() : try question.ask())
        } catch {
            process.terminate()
            return error.reply
        }
    }

    private static let ownTerminal = "/dev/tty"

    private static let systemPaths = ["/usr/bin/pinentry", "/usr/local/bin/pinentry", "/bin/pinentry"]
}
