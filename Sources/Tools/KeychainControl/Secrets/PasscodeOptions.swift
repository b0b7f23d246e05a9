// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainAuthenticators
import KeychainCore

/// The options that give the source of a passcode.
struct PasscodeOptions: ParsableArguments {
    @Option(
        name: .customLong("passcode-fd"),
        help: ArgumentHelp("Read the passcode from this descriptor, one line.", valueName: "n"),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    @Flag(name: .customLong("passcode-stdin"), help: "Read the passcode from standard input, one line.")
    var usesStandardInput = false

    func validate() throws {
        try SecretOptions.check(descriptor, usesStandardInput: usesStandardInput, name: "passcode")
    }

    /// Whether one of the options was given.
    var isGiven: Bool { descriptor != nil || usesStandardInput }

    /// The chosen source.
    func source(_ surroundings: Surroundings) -> SecretInput {
        SecretOptions.source(descriptor, usesStandardInput: usesStandardInput, in: surroundings)
    }

    /// Reads a passcode that is to be set once something else was done.
    ///
    /// - Throws: ``Refusal``, also for an empty one, which no device takes.
    func readNew(
        _ name: SecretInput.Name = .newPasscode,
        reason: String,
        in surroundings: Surroundings
    ) throws(Refusal) -> SecretBytes {
        let new = try source(surroundings).read(name, .newApplicationPassword, reason: reason)
        guard !new.isEmpty else { throw Refusal(KeychainError(DeviceError.emptyPasscode)) }
        return new
    }
}

/// The options that give the source of a backup's secret.
struct BackupSecretOptions: ParsableArguments {
    @Option(
        name: .customLong("secret-fd"),
        help: ArgumentHelp("Read the backup's secret from this descriptor, one line.", valueName: "n"),
        transform: GivenDescriptor.init(argument:)
    )
    var descriptor: GivenDescriptor?

    @Flag(name: .customLong("secret-stdin"), help: "Read the backup's secret from standard input, one line.")
    var usesStandardInput = false

    func validate() throws {
        try SecretOptions.check(descriptor, usesStandardInput: usesStandardInput, name: "secret")
    }

    /// The chosen source.
    func source(_ surroundings: Surroundings) -> SecretInput {
        SecretOptions.source(descriptor, usesStandardInput: usesStandardInput, in: surroundings)
    }
}

/// Checks that both have in common.
enum SecretOptions {
    /// - Throws: A usage error, which does not repeat the value: it could be the secret itself.
    static func check(_ descriptor: GivenDescriptor?, usesStandardInput: Bool, name: String) throws {
        guard let descriptor else { return }
        guard !usesStandardInput else {
            throw ValidationError("--\(name)-fd and --\(name)-stdin exclude each other.")
        }
        try descriptor.check(.reading, of: "\(name)-fd", never: name)
    }

    static func source(
        _ descriptor: GivenDescriptor?,
        usesStandardInput: Bool,
        in surroundings: Surroundings
    ) -> SecretInput {
        if usesStandardInput { return .standardInput(surroundings.standardInput) }
        return descriptor.map { .descriptor($0) } ?? .person(surroundings.authenticator)
    }
}
