// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keychain that answers what a test says: for tests of what stands above a keychain.
package final class FakeKeychain: KeychainBackend {
    private let answer: @Sendable (KeychainRequest) throws(KeychainError) -> KeychainAnswer
    private let device: KeychainDevice.Perform
    private let authentication: AuthenticationService.Perform
    private let maintenance: KeychainMaintenance.Perform

    /// A keychain that answers by closures; its device has no passcode, it asks nobody, and it has no enclave.
    package init(
        _ answer: @escaping @Sendable (KeychainRequest) throws(KeychainError) -> KeychainAnswer = {
            (_) throws(KeychainError) in throw KeychainError(.itemNotFound, "nothing is stored")
        },
        device: @escaping KeychainDevice.Perform = FakeDevice().perform,
        authentication: @escaping AuthenticationService.Perform = { (_) throws(KeychainError) in
            throw KeychainError(AuthenticationFailure.notInteractive)
        },
        maintenance: @escaping KeychainMaintenance.Perform = { (_) throws(KeychainError) in
            throw KeychainError(.notAvailable, "a fake has no store")
        }
    ) {
        self.device = device
        self.authentication = authentication
        self.maintenance = maintenance
        self.answer = answer
    }

    /// A keychain that fails every request with a status.
    package convenience init(failingWith status: Status) {
        self.init { _ throws(KeychainError) in throw KeychainError(status, "this is the reason") }
    }

    /// Every one.
    package var families: CommandFamily { .all }

    /// Answers by the closures.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request): .answer(try answer(request))
        case .device(let command): try device(command)
        case .authentication(let command): try authentication(command)
        case .maintenance(let command): try maintenance(command)
        case .enclave: throw KeychainError(.notAvailable, "a fake has no enclave")
        case .files: throw KeychainError(.notAvailable, "a fake has no keychain files", kind: .unavailable)
        case .history: throw KeychainError(.notAvailable, "a fake has no items with former values")
        case .lookup: throw KeychainError(.notAvailable, "a fake has no items with lookup attributes")
        case .explain, .itemsExplained: throw KeychainError(.notAvailable, "a fake has no items to explain")
        }
    }
}
