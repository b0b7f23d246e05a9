// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainAuthenticators
import KeychainCore

/// The options that give the source of a recovery key.
struct RecoveryKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("recovery-fd"),
        help: ArgumentHelp("Read the recovery key from this descriptor, one line.", valueName: "n"),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    @Flag(name: .customLong("recovery-stdin"), help: "Read the recovery key from standard input, one line.")
    var usesStandardInput = false

    func validate() throws {
        try SecretOptions.check(descriptor, usesStandardInput: usesStandardInput, name: "recovery")
    }

    /// Reads the recovery key.
    ///
    /// - Throws: ``Refusal``, also for what is none: whether it was mistyped is known before it is tried.
    func read(_ surroundings: Surroundings, reason: String) throws(Refusal) -> RecoveryKey {
        let source = SecretOptions.source(descriptor, usesStandardInput: usesStandardInput, in: surroundings)
        let typed = try source.read(.recoveryKey, .applicationPassword, reason: reason)
        do throws(RecoveryKey.TextFault) { return try RecoveryKey(typed: typed) } catch {
            throw Refusal(error)
        }
    }
}

extension Refusal {
    fileprivate init(_ fault: RecoveryKey.TextFault) {
        let shape = "a recovery key is SKR1 and eight groups of four letters and digits"
        switch fault {
        case .length: self.init("this is no recovery key: \(shape), and this has more of them, or fewer")
        case .character: self.init("this is no recovery key: it has a character that none has (1, B, I, O and signs)")
        case .checksum: self.init("the recovery key was mistyped: its last six characters do not match the others")
        }
    }
}
