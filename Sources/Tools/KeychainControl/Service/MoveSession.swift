// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// A move of the user's keychain, as the system service knows it: no step of an earlier one is carried out any more.
struct MoveSession {
    /// What the service had when this began.
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

    /// Whether the service has given away its keychain, and was not told that it has arrived.
    var isFrozen: Bool { theirs.owner == .moving }

    /// Has the service carry out a step.
    @discardableResult
    func perform(_ step: StoreMove.Step) throws(KeychainError) -> KeychainReply {
        try service.performMove(.step(step, of: identifier))
    }
}

extension KeychainBackend {
    /// What the system service has of this user; nothing is made there.
    func moveStatus() throws(KeychainError) -> MoveStatus { try moveStatus(.status) }

    fileprivate func moveStatus(_ step: StoreMove) throws(KeychainError) -> MoveStatus {
        guard case .moveStatus(let status) = try performMove(step) else { throw .unexpectedReply }
        return status
    }

    fileprivate func performMove(_ step: StoreMove) throws(KeychainError) -> KeychainReply {
        do throws(KeychainError) {
            return try perform(.maintenance(.move(step)))
        } catch {
            // A service of an earlier version refuses the message.
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
