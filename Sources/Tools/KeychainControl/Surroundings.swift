// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection

/// The dependencies of the commands; tests substitute their own.
struct Surroundings: Sendable {
    /// The surroundings of the running command.
    @TaskLocal static var current = Surroundings.process

    /// The keychain.
    var keychain: any KeychainBackend

    /// Checks the passcode, and prepares an unlock for the programs that this one starts; `nil` if the device has no
    /// passcode, so there is nothing to unlock.
    ///
    /// An unlock is a descriptor that children inherit, so it cannot be a value requested from a keychain in another
    /// process.
    var offerUnlock: @Sendable (SecretBytes) throws(KeychainError) -> UnlockOffer?

    /// Prompts for secrets when no option gives their source.
    var authenticator: any Authenticator

    /// Whether an unlock outlives this program, because the daemon has the keychain.
    var unlocksForAll: @Sendable () -> Bool = { false }

    /// The path of the root key's file, if the file has another hard link.
    var linkedRootKey: @Sendable () -> String? = { nil }

    /// The part of the path of the keychain's folder that another user could replace.
    var replaceablePart: @Sendable () -> ReplaceablePart? = { nil }

    /// Whether the system service has the keychain: it opens no files of users, so backups are sent to it and from it.
    var isInSystemService: @Sendable () -> Bool = { false }

    /// The keychain files of the user.
    var keychainFiles: @Sendable () -> UserKeychainFiles = { .process }

    /// The minimum work that the secret of a backup may specify.
    var backupFloor = ScryptFloor.standard

    /// The host of scheduled backups.
    var scheduleHost: @Sendable () throws(Refusal) -> ScheduleHost = { () throws(Refusal) in try .process() }

    /// Shows a secret at the terminal, once; `false` if there is none.
    var showSecret: @Sendable (SecretBytes) -> Bool = BackupSecretText.show

    /// The daemon of the keychain.
    var service: @Sendable () throws(Refusal) -> KeychainService = { () throws(Refusal) in
        throw Refusal("this keychain has no daemon")
    }

    /// The keychain files of the search list.
    var searchList: @Sendable () -> [String] = { [] }

    /// The descriptor from which `--passcode-stdin`, `--secret-stdin` and the file `-` are read.
    var standardInput: Int32 = STDIN_FILENO

    /// The descriptor to which the bytes of a secret are written.
    var standardOutput: Int32 = STDOUT_FILENO

    /// Returns the value of an environment variable.
    var environment: @Sendable (String) -> String? = { ProcessEnvironment.value($0) }

    /// Sets an environment variable for the programs that are run.
    var setEnvironment: @Sendable (String, String) -> Void = { name, value in setenv(name, value, 1) }

    /// The folder of the helpers: that of this program.
    var helperFolder: @Sendable () -> String? = HelperPlan.folderOfThisProgram

    /// Prints the command's output.
    var printLine: @Sendable (String) -> Void = { print($0) }

    /// Prints messages other than the command's result.
    var remark: @Sendable (String) -> Void = StandardError.write

    /// Whether a descriptor is a terminal.
    var isTerminal: @Sendable (Int32) -> Bool = { isatty($0) == 1 }

    /// Asks for a line that is no secret; `nil` if there is no terminal.
    var askLine: @Sendable (String) -> [UInt8]? = Confirmation.askLine

    /// Asks a yes-or-no question; `nil` if there is no terminal.
    var confirm: @Sendable (String) -> Bool? = Confirmation.ask

    /// Runs a program to completion, and returns its standard output.
    var output: @Sendable ([String]) throws(Refusal) -> String = ProgramOutput.read

    /// Runs a program that makes a secret of a descriptor's contents, of at most so many bytes.
    var filter: @Sendable ([String], Int32, Int) throws(Refusal) -> SecretBytes = {
        (words, input, limit) throws(Refusal) in
        try SecretFilter.run(words, input: input, atMost: limit)
    }

    /// Runs a program to completion, with or without an unlock, and returns its exit status.
    var run: @Sendable ([String], UnlockOffer?) throws(Refusal) -> Int32 = { (words, offer) throws(Refusal) in
        try ChildProgram.run(words, offer)
    }

    /// Becomes a program with further variables, or runs it to completion and masks secrets in its output; returns its
    /// exit status.
    var execute: @Sendable ([String], [(name: String, value: SecretBytes)], [SecretBytes]?) throws(Refusal) -> Int32 =
        ExecutedProgram.run

    /// The clipboard that a person sees.
    var clipboard: @Sendable () throws(Refusal) -> Clipboard = { () throws(Refusal) in
        try Clipboard(
            environment: { ProcessEnvironment.value($0) },
            isInstalled: { ProgramPath.has($0, in: ProcessEnvironment.value("PATH")) },
            terminal: [STDERR_FILENO, STDIN_FILENO, STDOUT_FILENO].lazy.compactMap { ttyname($0) }.first
                .map { String(cString: $0) }
        )
    }

    /// Clears the clipboard after some seconds, unless it has something else by then than what has a digest.
    var clearClipboard: @Sendable (Clipboard, ClipboardDigest, Int) throws(Refusal) -> Void =
        ClearClipboardCommand.start

    /// The time, in seconds since 1970.
    var seconds: @Sendable () -> Int = { time(nil) }
}

extension Surroundings {
    /// The device, for a command that requires a passcode to be set, or not to be set.
    ///
    /// - Throws: ``Refusal`` otherwise.
    func device(hasPasscode: Bool) throws(Refusal) -> KeychainDevice {
        let device = keychain.device
        let status = try refusing { () throws(KeychainError) in try device.status() }
        guard status.hasPasscode == hasPasscode else {
            throw Refusal(KeychainError(hasPasscode ? DeviceError.noPasscode : .passcodeAlreadySet))
        }
        return device
    }
}
