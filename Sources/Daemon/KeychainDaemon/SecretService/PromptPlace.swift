// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import KeychainServer
import LoginManager

/// Where the user is asked for a program of the bus: the daemon itself has no terminal.
///
/// A program that has a terminal, and is in its foreground, is answered for there, as if it asked by itself. That needs
/// no agent in the terminal, and no pinentry. A program in an SSH session that has none is answered for nowhere: the
/// display of the daemon is one that nobody may see. All others get a dialog on that display.
///
/// The daemon's `SWIFT_KEYCHAIN_AUTHENTICATOR` chooses as it does for other programs (``ProcessAuthenticator``), and
/// `--pinentry` before that; a pinentry that was chosen is told the terminal, and of the display nothing in an SSH
/// session, so that it shows its dialog in the terminal if it can.
struct PromptPlace: Sendable {
    /// The program of `--pinentry`.
    let pinentry: String?
    /// The daemon's environment.
    let environment: @Sendable (String) -> String?
    /// Receives why somebody was not asked.
    let log: DaemonLog

    /// What shows a prompt.
    struct Choice {
        let authenticator: any Authenticator
        /// The terminal that it is shown on, by its number; `nil` for none.
        var terminal: UInt32?
    }

    /// What shows the prompts for a process.
    func choice(for process: ProcessInstance) -> Choice {
        let program = ProgramEnvironment(of: process)
        if let pinentry { return chosen(pinentry, for: process, program) }
        let terminal = TerminalAuthenticator(ofProcess: process.identifier, startedAt: process.startTime)
        switch AuthenticatorChoice(in: environment) {
        case .byDefault: return byDefault(terminal, for: process, program)
        case .terminal: return Choice(authenticator: terminal, terminal: Self.terminal(of: process))
        case .pinentry(let path): return chosen(path, for: process, program)
        case .nobody: return Choice(authenticator: NoAuthenticator())
        }
    }

    private static func terminal(of process: ProcessInstance) -> UInt32? {
        ProcessStat(of: process.identifier)?.terminal
    }

    private func byDefault(
        _ terminal: TerminalAuthenticator,
        for process: ProcessInstance,
        _ program: ProgramEnvironment
    ) -> Choice {
        if terminal.canAskForSecrets { return Choice(authenticator: terminal, terminal: Self.terminal(of: process)) }
        let remedy = "unlock the keychain with 'keychainctl device unlock'"
        guard !program.isRemote else {
            log.write(
                .notice,
                "nobody was asked for process \(process.identifier), which is in an SSH session and not in the foreground "
                    + "of a terminal; \(remedy)"
            )
            return Choice(authenticator: NoAuthenticator())
        }
        let hasDisplay = PinentryEnvironment.displays.contains { environment($0) != nil }
        let pinentry = PinentryAuthenticator(environment: environment, terminal: { nil })
        guard hasDisplay, pinentry.canAskForSecrets else {
            let reason = hasDisplay ? "there is no pinentry" : "there is neither a terminal nor a display"
            log.write(.notice, "nobody was asked for process \(process.identifier): \(reason); \(remedy)")
            return Choice(authenticator: NoAuthenticator())
        }
        return Choice(authenticator: pinentry)
    }

    private func chosen(
        _ path: String?,
        for process: ProcessInstance,
        _ program: ProgramEnvironment
    ) -> Choice {
        let terminal = TerminalAuthenticator.path(ofProcess: process.identifier, startedAt: process.startTime)
        let environment = environment
        let pinentry = PinentryAuthenticator(
            path: path,
            environment: { name in
                if name == "TERM", terminal != nil { return program.value(name) ?? environment(name) }
                return program.isRemote && PinentryEnvironment.displays.contains(name) ? nil : environment(name)
            },
            terminal: { terminal }
        )
        return Choice(authenticator: pinentry, terminal: terminal == nil ? nil : Self.terminal(of: process))
    }
}

/// The environment with which a process was started, as far as it may be read.
private struct ProgramEnvironment {
    private let variables: [String: String]

    /// Whether somebody at another computer uses it.
    let isRemote: Bool

    /// The longest environment that is read, in bytes.
    private static let maximumByteCount = 1 << 20

    /// The environment of a process.
    init(of process: ProcessInstance) {
        var variables: [String: String] = [:]
        for assignment in Self.words(of: process) {
            guard let end = assignment.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: assignment[..<end], as: UTF8.self)
            variables[name] = String(decoding: assignment[(end + 1)...], as: UTF8.self)
        }
        self.variables = variables
        let isOfSSH = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains { variables[$0]?.isEmpty == false }
        isRemote = isOfSSH || LoginSession.isRemote(process.identifier) == true
    }

    /// Nothing where it may not be read, or the process has ended.
    private static func words(of process: ProcessInstance) -> [ArraySlice<UInt8>] {
        let words = DescriptorContents.words(in: "environ", of: process.identifier, atMost: maximumByteCount)
        return ProcessStartTime.of(process.identifier) == process.startTime ? words : []
    }

    func value(_ name: String) -> String? { variables[name] }
}
