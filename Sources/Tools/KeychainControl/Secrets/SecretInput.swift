// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore

/// The source of a command's secret.
enum SecretInput {
    /// A line of standard input.
    case standardInput(Int32)
    /// A line of a descriptor that an option names.
    case descriptor(GivenDescriptor)
    /// The user.
    case person(any Authenticator)

    /// The name of a secret, and the options that provide it.
    struct Name {
        let text: String
        let options: String

        /// The name in prompts.
        let label: String

        static let passcode = passcode("passcode", label: "Passcode")
        static let newPasscode = passcode("new passcode", label: "New passcode")
        static let newPasscodeOrNone = passcode(
            "new passcode",
            label: "New passcode",
            otherOption: ", or decline it by --no-passcode"
        )
        static let recoveryKey = Name(
            text: "recovery key",
            options: "--recovery-fd or --recovery-stdin",
            label: "Recovery key"
        )
        static let backupSecret = backupSecret("Secret of the backup")
        static let newBackupSecret = backupSecret("New secret for the backup")

        private static func passcode(_ text: String, label: String, otherOption: String = "") -> Name {
            Name(text: text, options: "--passcode-fd or --passcode-stdin\(otherOption)", label: label)
        }

        private static func backupSecret(_ label: String) -> Name {
            Name(text: "secret", options: "--secret-fd or --secret-stdin", label: label)
        }
    }

    /// Reads the secret; prompts of this kind are shown to the user.
    func read(_ name: Name, _ kind: AuthenticationPrompt.Kind, reason: String) throws(Refusal) -> SecretBytes {
        switch self {
        case .standardInput(let number): return try Self.line(of: number, name)
        case .descriptor(let descriptor):
            let number: Int32
            do throws(GivenDescriptor.Fault) { number = try descriptor.number(for: .reading) } catch {
                throw Refusal("the \(name.text) cannot be read: its descriptor is no longer open")
            }
            return try Self.line(of: number, name)
        case .person(let authenticator): return try Self.ask(authenticator, for: name, kind: kind, reason: reason)
        }
    }

    private static func line(of descriptor: Int32, _ name: Name) throws(Refusal) -> SecretBytes {
        do { return try SecretLine.read(from: descriptor) } catch { throw Refusal(error.text(of: name.text)) }
    }

    private static func ask(
        _ authenticator: any Authenticator,
        for name: Name,
        kind: AuthenticationPrompt.Kind,
        reason: String
    ) throws(Refusal) -> SecretBytes {
        guard authenticator.canAskForSecrets else { throw noTerminal(for: name) }
        switch authenticator.ask(AuthenticationPrompt(kind, reason: reason, label: name.label)) {
        case .secret(let secret): return secret
        case .ended: throw Refusal("no \(name.text) was given in time")
        case .unavailable: throw noTerminal(for: name)
        case .cancelled, .recognized, .notRecognized, .fallback: throw Refusal("cancelled")
        }
    }

    private static func noTerminal(for name: Name) -> Refusal {
        Refusal("there is no terminal to ask for the \(name.text); give it by \(name.options)")
    }
}
