// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost

/// What the commands work on, and whom they talk to; a test puts in its own.
struct Surroundings: Sendable {
    /// Those of the command that runs.
    @TaskLocal static var current = Surroundings.process

    /// The keychain.
    var keychain: any KeychainBackend

    /// Checks the passcode, and holds an unlock ready for the programs that this one starts; `nil` when the device has
    /// no passcode, so that there is nothing to unlock.
    ///
    /// An unlock is a descriptor that children inherit, and so no value that could be asked of a keychain elsewhere.
    var offerUnlock: @Sendable (SecretBytes) throws(KeychainError) -> UnlockOffer?

    /// Prompts for secrets when no option gives their source.
    var authenticator: any Authenticator

    /// Whether an unlock outlives this program, because the daemon has the keychain.
    var unlocksForAll: @Sendable () -> Bool = { false }

    /// The path of the root key's file if the file has another name as well.
    var linkedRootKey: @Sendable () -> String? = { nil }

    /// The part of the path of the keychain's folder that lets another user put another folder in its place.
    var replaceablePart: @Sendable () -> ReplaceablePart? = { nil }

    /// The daemon of the keychain.
    var service: @Sendable () throws(Refusal) -> KeychainService = { () throws(Refusal) in
        throw Refusal("this keychain has no daemon")
    }

    /// Where `--passcode-stdin`, `--secret-stdin` and the file `-` are read.
    var standardInput: Int32 = STDIN_FILENO

    /// Where the bytes of a secret go.
    var standardOutput: Int32 = STDOUT_FILENO

    /// Takes what the command has to say.
    var say: @Sendable (String) -> Void = { print($0) }

    /// Takes messages of the command other than its result.
    var remark: @Sendable (String) -> Void = StandardError.write

    /// Asks a question that is answered by yes; `nil` if there is no terminal.
    var confirm: @Sendable (String) -> Bool? = Confirmation.ask

    /// Runs a program to its end, and returns what it writes to standard output.
    var output: @Sendable ([String]) throws(Refusal) -> String = ProgramOutput.read

    /// Runs a program to its end, with an unlock or without one, and says how it ended.
    var run: @Sendable ([String], UnlockOffer?) throws(Refusal) -> Int32 = ChildProgram.run
}

extension Surroundings {
    /// The device, for a command that needs a passcode to be set, or none to be.
    ///
    /// - Throws: ``Refusal`` when it is otherwise.
    func device(hasPasscode: Bool) throws(Refusal) -> KeychainDevice {
        let device = keychain.device
        let status = try refusing { () throws(KeychainError) in try device.status() }
        guard status.hasPasscode == hasPasscode else {
            throw Refusal(KeychainError(hasPasscode ? DeviceError.noPasscode : .passcodeAlreadySet))
        }
        return device
    }
}
