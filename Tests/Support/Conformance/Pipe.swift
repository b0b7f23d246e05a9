// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import KeychainWire
import Synchronization

extension DeviceTransport {
    /// A connection without a socket: every command, reply and question is turned into bytes and read from them again.
    package static let pipe = DeviceTransport(
        authenticator: { RemoteAuthenticator(ProgramEnd($0)) },
        backend: { RemoteKeychain(KeychainEnd($0)) }
    )
}

/// A keychain as a program has it that reaches it through bytes: the model of a daemon's client.
private final class RemoteKeychain: KeychainBackend {
    private let end: KeychainEnd
    private let number = Atomic<UInt64>(0)

    init(_ end: KeychainEnd) { self.end = end }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let number = number.add(1, ordering: .relaxed).newValue
        let message: WireMessage
        do throws(WireError) {
            message = try WireMessage(end.receive(WireMessage.command(number, command).encoded()))
        } catch {
            throw KeychainError(error)
        }
        switch message {
        case .reply(number, let reply): return reply
        case .failure(number, let error): throw error
        default: throw .unexpectedReply
        }
    }
}

/// Where the bytes of commands arrive.
private struct KeychainEnd: Sendable {
    private let keychain: any KeychainBackend

    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    func receive(_ bytes: SecretBytes) throws(WireError) -> SecretBytes {
        guard case .command(let number, let command, _) = try WireMessage(bytes) else { throw .unknownCase }
        let reply: KeychainReply
        do throws(KeychainError) {
            reply = try keychain.perform(command)
        } catch {
            return try WireMessage.failure(number, error).encoded()
        }
        do throws(WireError) {
            return try WireMessage.reply(number, reply).encoded()
        } catch {
            return try WireMessage.failure(number, KeychainError(error)).encoded()
        }
    }
}

/// Whoever asks the person, as a keychain has it that reaches them through bytes.
private final class RemoteAuthenticator: Authenticator {
    private let end: ProgramEnd
    private let number = Atomic<UInt64>(0)

    init(_ end: ProgramEnd) { self.end = end }

    var biometry: Biometry { status?.biometry ?? .none }

    var canAskForSecrets: Bool { status?.canAskForSecrets ?? false }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let number = nextNumber()
        let handler = prompt.cancellation.onCancel { [end] in _ = Self.exchange(.endPrompt(number), with: end) }
        defer { prompt.cancellation.removeHandler(handler) }
        guard case .promptReply(number, let reply)? = Self.exchange(.prompt(number, WirePrompt(prompt)), with: end)
        else { return .unavailable }
        return reply
    }

    private var status: (biometry: Biometry, canAskForSecrets: Bool)? {
        let number = nextNumber()
        guard
            case .authenticator(number, let biometry, let canAskForSecrets)? = Self.exchange(
                .authenticatorStatus(number),
                with: end
            )
        else { return nil }
        return (biometry, canAskForSecrets)
    }

    private func nextNumber() -> UInt64 { number.add(1, ordering: .relaxed).newValue }

    private static func exchange(_ message: WireMessage, with end: ProgramEnd) -> WireMessage? {
        do throws(WireError) {
            return try end.receive(message.encoded()).map { (bytes) throws(WireError) in try WireMessage(bytes) }
        } catch {
            return nil
        }
    }
}

/// Where the bytes of questions arrive.
private final class ProgramEnd: Sendable {
    private let authenticator: any Authenticator
    private let questions = Mutex<[UInt64: PromptCancellation]>([:])

    init(_ authenticator: any Authenticator) { self.authenticator = authenticator }

    func receive(_ bytes: SecretBytes) throws(WireError) -> SecretBytes? {
        switch try WireMessage(bytes) {
        case .prompt(let number, let prompt):
            let cancellation = question(number)
            defer { questions.withLock { $0[number] = nil } }
            return try WireMessage.promptReply(number, authenticator.ask(prompt.prompt(cancellation))).encoded()
        case .endPrompt(let number):
            question(number).cancel()
            return nil
        case .authenticatorStatus(let number):
            let (biometry, canAskForSecrets) = (authenticator.biometry, authenticator.canAskForSecrets)
            return try WireMessage.authenticator(number, biometry, canAskForSecrets: canAskForSecrets).encoded()
        case .command, .reply, .failure, .promptReply, .authenticator, .working, .goodbye, .observe, .changed:
            throw .unknownCase
        }
    }

    /// What ends a question, which may come before the question.
    private func question(_ number: UInt64) -> PromptCancellation {
        questions.withLock { questions in
            let question = questions[number] ?? PromptCancellation()
            questions[number] = question
            return question
        }
    }
}
