// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// A move of the user's keychain, as the system service tracks it: steps of earlier moves are no longer carried out.
struct MoveSession {
    /// The state of the service when this began.
    let theirs: MoveStatus

    private let service: any KeychainBackend
    private let identifier = Bytes16.random()

    /// Begins a move.
    ///
    /// - Throws: ``KeychainError``, among others while another process moves the keychain.
    init(with service: any KeychainBackend) throws(KeychainError) {
        self.service = service
        theirs = try service.moveStatus(.begin(identifier))
    }

    /// Whether the service has given away its keychain, without confirmation that it has arrived.
    var isFrozen: Bool { theirs.owner == .moving }

    /// Makes the service carry out a step.
    @discardableResult
    func perform(_ step: StoreMove.Step) throws(KeychainError) -> KeychainReply {
        try service.performMove(.step(step, of: identifier))
    }
}

extension KeychainBackend {
    /// The state of this user's keychain in the system service; nothing is created there.
    func moveStatus() throws(KeychainError) -> MoveStatus { try moveStatus(.status) }

    fileprivate func moveStatus(_ step: StoreMove) throws(KeychainError) -> MoveStatus {
        guard case .moveStatus(let status) = try performMove(step) else { throw .unexpectedReply }
        return status
    }

    fileprivate func performMove(_ step: StoreMove) throws(KeychainError) -> KeychainReply {
        do throws(KeychainError) {
            return try perform(.maintenance(.move(step)))
        } catch {
            // A service of an earlier version rejects the message.
            guard error.kind == .transport, error.status == .internalComponent else { throw error }
            throw KeychainError(
                .notAvailable,
                "the system service does not know how to move items; if it was upgraded, have root restart it: 'systemctl "
                    + "restart swift-keychain' (\(error.reason))",
                kind: .unavailable
            )
        }
    }
}
