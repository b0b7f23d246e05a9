// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainRouting

// Moves a keychain with items between the user's own store and the system service (Documentation/Daemon.md, "Moving
// items").
//
// At any time one of the two has the complete keychain, and the store identifier shows whether both refer to the same
// one. Neither side removes anything unless the other one has all rows.
extension KeychainService {
    /// Completes or reverts an interrupted move, so that one side has the keychain and the other has nothing of it
    /// (Documentation/Daemon.md, "After an interruption").
    ///
    /// - Returns: The move that was begun for this, for further steps.
    @discardableResult
    func settleMove(_ service: any KeychainBackend) throws(Refusal) -> MoveSession {
        try discardRemains()
        // No change can reappear from here on.
        let owner = try owner()
        return try refusing { () throws(KeychainError) in
            let session = try MoveSession(with: service)
            let ours = try EmbeddedKeychain.ofAnyOwner(at: location)?.moveStatus()
            let isSame = ours != nil && ours?.storeIdentifier == session.theirs.storeIdentifier
            switch owner {
            case .moving? where isSame && !session.isFrozen:
                // It arrived in the service.
                let copy = try asMoving.movedCopy()
                try session.perform(.compare(copy))
                try asMoving.empty(owner: .system, ifCopied: copy)
            case .moving? where isSame:
                // It arrived in the user's store.
                try session.perform(.remove(asMoving.movedCopy()))
                try asMoving.handOver(to: .embedded)
            case .embedded? where isSame: try session.perform(.remove(embedded.movedCopy()))
            default:
                // What either side gave away did not arrive on the other side, or was removed there.
                if session.isFrozen { try session.perform(.resume) }
                if owner == .moving { try asMoving.handOver(to: .embedded) }
            }
            return session
        }
    }

    /// Moves the user's own keychain into the system service.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - session: the move.
    /// - Returns: The number of damaged rows that were left out.
    /// - Throws: ``Refusal``; the user's own store then has the keychain, unless its owner record says otherwise.
    func moveIn(_ service: any KeychainBackend, _ session: MoveSession) throws(Refusal) -> Int {
        var damagedCount = 0
        do throws(KeychainError) {
            // A keychain that cannot be moved, or could not be removed afterwards, is not frozen.
            try MoveSpace().checkRemoval(embedded.movedRows().byteCount, in: location.path)
            // From here on, no program changes it.
            try embedded.handOver(to: .moving)
            let store = asMoving
            let device = try store.movedDevice()
            damagedCount = device.rows.damagedCount
            try session.perform(.receive(device))
            var last: MovedRow.Place?
            while true {
                let rows = try store.movedRows(after: last)
                guard let next = rows.last?.place else { break }
                try session.perform(.append(rows))
                last = next
            }
            try session.perform(.activate)
            // The service reopens it for that.
            let theirs = try service.moveStatus()
            let isServed = theirs.owner == .system
            guard isServed, try store.moveStatus().storeIdentifier == theirs.storeIdentifier else {
                throw .notServed
            }
            try store.empty(owner: .system, ifCopied: store.movedCopy())
        } catch {
            try settle(service, after: error)
            guard try owner() == .system else { throw Refusal(error) }
        }
        return damagedCount
    }

    /// Moves the keychain of the system service into the user's own store, which is empty.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - session: the move.
    ///   - hasPasscode: whether the keychain there has a passcode.
    ///   - passcode: prompts for the passcode: the service gives the keychain only to its owner.
    /// - Returns: The number of damaged rows that were left out.
    /// - Throws: ``Refusal``; the service then serves the keychain, unless the refusal says otherwise.
    func moveOut(
        of service: any KeychainBackend,
        in session: MoveSession,
        hasPasscode: Bool,
        _ passcode: () throws(Refusal) -> SecretBytes
    ) throws(Refusal) -> Int {
        guard hasPasscode else {
            throw Refusal(
                "the system service gives items to their owner only, whom it knows by the passcode: set one first "
                    + "('device set-passcode'), or leave the items there ('service disable --leave-items')"
            )
        }
        let (isOccupied, mark) = try refusing { () throws(KeychainError) in
            (try asSystem.moveStatus().isOccupied, try asSystem.storeMark())
        }
        guard !isOccupied else {
            throw Refusal("the user's own store has items, although the system service owns the keychain")
        }
        let entered = try passcode()
        let wasLocked = try refusing { () throws(KeychainError) in
            let wasLocked = try service.device.status().lockState != .unlocked
            try service.device.unlock(passcode: entered)
            return wasLocked
        }
        var damagedCount = 0
        do throws(KeychainError) {
            guard case .movedDevice(let device) = try session.perform(.send) else { throw .unexpectedReply }
            damagedCount = device.rows.damagedCount
            let incoming = try IncomingKeychain(in: location, device)
            defer { IncomingKeychain.remove(from: location) }
            _ = try MoveSpace().reserve(device.rows.byteCount, in: location.path)
            var last: MovedRow.Place?
            while true {
                guard case .movedRows(let rows) = try session.perform(.rows(after: last)) else {
                    throw .unexpectedReply
                }
                guard let next = rows.last?.place else { break }
                try incoming.append(rows)
                last = next
            }
            try incoming.finish()
            try asSystem.install(incoming, owner: .moving, replacing: mark)
            try session.perform(.remove(asMoving.movedCopy()))
            try asMoving.handOver(to: .embedded)
        } catch {
            // It was unlocked only for the move.
            defer { if wasLocked { try? service.device.lock() } }
            try settle(service, after: error)
            guard try owner() == .embedded else { throw Refusal(error) }
        }
        return damagedCount
    }

    private func settle(_ service: any KeychainBackend, after error: KeychainError) throws(Refusal) {
        do throws(Refusal) { try settleMove(service) } catch let second {
            throw Refusal(
                "\(error.reason); the move is neither completed nor reverted (\(second.description)): repeat the command"
            )
        }
    }

    /// The message of a successful command, or of the status, if a root key or rows are left behind; `nil` if none are.
    ///
    /// The next command removes them, or reports why that fails.
    func remarkOnRemains(_ owner: StoreOwner?) throws(Refusal) -> String? {
        let location = location
        let isLeft = try refusing { () throws(KeychainError) in try EmbeddedKeychain.hasRemains(at: location) }
        guard isLeft else { return nil }
        let command = owner == .system ? "service enable --system" : "service disable"
        return "a root key or rows of a move are left in \(location.path); unless a command moves the keychain now, "
            + "repeat '\(command)' to remove them"
    }

    /// The refusal of an operation that has to wait for a move.
    static let isMoving = Refusal(
        "the keychain is being moved to or from the system service; if that was interrupted, repeat 'service enable "
            + "--system' or 'service disable'"
    )
}

extension KeychainError {
    fileprivate static let notServed = KeychainError(
        .notAvailable,
        "the system service does not have the keychain that it received",
        kind: .unavailable
    )
}
