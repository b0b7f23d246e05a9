// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// The way in which a process prompts: its terminal, or a program that shows a dialog.
///
/// `SWIFT_KEYCHAIN_AUTHENTICATOR` chooses: `terminal`, `pinentry`, `pinentry:/absolute/path`, or `none`. Without it,
/// the terminal is used if the process is in its foreground, else pinentry if there is a display, else nothing. Decided
/// again for each question.
///
/// A program that may have a manifest uses no pinentry other than the system's: otherwise the user who starts it would
/// choose which program receives the passcode.
package struct ProcessAuthenticator: Authenticator {
    private let environment: @Sendable (String) -> String?
    private let terminal: TerminalAuthenticator
    private let hasManifest: @Sendable () -> Bool

    /// Creates the authenticator of this process.
    package init() { self.init(environment: { ProcessEnvironment.value($0) }) }

    /// Creates the authenticator of a process with an environment and a terminal, which may have a manifest.
    package init(
        environment: @escaping @Sendable (String) -> String?,
        terminal: TerminalAuthenticator = TerminalAuthenticator(),
        hasManifest: @escaping @Sendable () -> Bool = { ProgramManifests().mayName() }
    ) {
        self.environment = environment
        self.terminal = terminal
        self.hasManifest = hasManifest
    }

    /// None.
    package var biometry: Biometry { .none }

    /// Whether a prompt is possible now.
    package var canAskForSecrets: Bool { chosen.canAskForSecrets }

    /// Prompts in the way that is currently available.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { chosen.ask(prompt) }

    /// The authenticator for a prompt at this moment.
    package var chosen: any Authenticator {
        switch AuthenticatorChoice(in: environment) {
        case .byDefault: return byDefault
        case .terminal: return terminal
        case .pinentry(let path):
            return PinentryAuthenticator(path: path.flatMap { hasManifest() ? nil : $0 }, environment: environment)
        case .nobody: return NoAuthenticator()
        }
    }

    private var byDefault: any Authenticator {
        if terminal.canAskForSecrets { return terminal }
        let hasDisplay = PinentryEnvironment.displays.contains { environment($0) != nil }
        return hasDisplay ? PinentryAuthenticator(environment: environment) : NoAuthenticator()
    }
}
