// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KeychainAuthenticators
import KeychainCore

/// The option that gives the destination of a new recovery key.
struct RecoveryKeyOutputOptions: ParsableArguments {
    @Option(
        name: .customLong("output-fd"),
        help: ArgumentHelp(
            "Write the new recovery key to this descriptor, one line; else it is shown at the terminal.",
            valueName: "n"
        ),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    func validate() throws { try descriptor?.check(.writing, of: "output-fd") }

    /// The destination.
    var output: RecoveryKeyOutput { RecoveryKeyOutput(descriptor: descriptor) }
}

/// Where a new recovery key goes: to the person at the terminal, or to a descriptor.
struct RecoveryKeyOutput {
    /// `nil` for the terminal.
    var descriptor: GivenDescriptor?

    /// How often the last group is asked for.
    private static let attempts = 3

    /// Refuses before anything is asked for, if the key could not be handed over.
    func check(_ surroundings: Surroundings) throws {
        guard descriptor != nil || surroundings.isTerminal(surroundings.standardOutput) else {
            throw ValidationError(
                "Standard output is no terminal, where the recovery key would be shown; give --output-fd for a descriptor."
            )
        }
    }

    /// Makes a recovery key, hands it over, and makes it valid.
    func create(
        on device: KeychainDevice,
        passcode: SecretBytes?,
        in surroundings: Surroundings
    ) throws(Refusal) {
        try surroundings.reportingStoreVersion { () throws(Refusal) in
            try makeKey(in: surroundings) { (key) throws(KeychainError) in
                try device.createRecoveryKey(key, passcode: passcode)
            }
        }
        say("The recovery key is valid from now on.", in: surroundings)
    }

    /// Says what was done, and not where only the key is to be.
    func say(_ line: String, in surroundings: Surroundings) {
        if descriptor == nil { surroundings.printLine(line) } else { surroundings.remark(line) }
    }

    /// Hands a new recovery key over, and makes it valid then: whoever is interrupted before has not lost anything.
    ///
    /// - Throws: ``Refusal`` if nobody has it, or it did not become valid.
    func makeKey(
        in surroundings: Surroundings,
        _ makeValid: (RecoveryKey) throws(KeychainError) -> Void
    ) throws(Refusal) {
        let key = RecoveryKey.random()
        try handOver(key, in: surroundings)
        do throws(KeychainError) { try makeValid(key) } catch {
            let isUnknown = [.storage(.doubtfulCommit), .service(.silentAfterCommand)].contains(error.kind)
            let rest =
                isUnknown
                ? "Whether the recovery key that was handed over is valid, 'keychainctl recovery-key check' says."
                : "The recovery key that was handed over is not valid."
            throw Refusal("\(Refusal(error).description)\n\(rest)")
        }
    }

    private func handOver(_ key: RecoveryKey, in surroundings: Surroundings) throws(Refusal) {
        if let descriptor {
            return try write(key.text, to: descriptor.checked(.writing, of: "output-fd"))
        }
        surroundings.remark(Self.explanation)
        try write(key.text, to: surroundings.standardOutput)
        for _ in 0..<Self.attempts {
            guard let answer = surroundings.askLine("Type its last group:") else {
                throw Refusal("there is no terminal to ask at whether the recovery key was kept; it is not valid")
            }
            if Self.matches(answer, key) { return }
            surroundings.remark("That is not its last group.")
        }
        throw Refusal("cancelled: the recovery key that was shown is not valid, and nothing has changed")
    }

    private static func matches(_ answer: [UInt8], _ key: RecoveryKey) -> Bool {
        let typed = answer.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }
        return SecretBytes(typed.map { (0x61...0x7A).contains($0) ? $0 & ~0x20 : $0 }) == key.lastGroup
    }

    private func write(_ text: SecretBytes, to descriptor: Int32) throws(Refusal) {
        guard SecretLine.write(text, to: descriptor) else {
            let why = String(cString: strerror(errno))
            throw Refusal("the recovery key cannot be written to descriptor \(descriptor): \(why); nothing has changed")
        }
    }

    private static let explanation = """
        This is the recovery key of this keychain. It opens everything in it, without the passcode and on any computer.
        Write it down, and keep it where nobody else finds it; it is not shown again.
        """
}
