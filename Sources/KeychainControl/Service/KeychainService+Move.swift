// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainDefaultBackend
import KeychainEngine
import KeychainProtection

// How a keychain with items is moved between the user's own store and the system service (Documentation/Daemon.md,
// "Moving items").
//
// At each moment one of the two has all of it, and the identifier of the store tells whether both mean the same one.
extension KeychainService {
    /// Completes or reverts a move that was interrupted, so that either side has the keychain, and the other one
    /// nothing of it.
    ///
    /// - Returns: The move that was begun for that, in which further steps can be taken.
    @discardableResult
    func settleMove(_ service: any KeychainBackend) throws(Refusal) -> MoveSession {
        let owner = try owner()
        return try refusing { () throws(KeychainError) in
            try EmbeddedKeychain.discardRemains(at: location)
            let session = try MoveSession(with: service)
            let ours = try EmbeddedKeychain.ofAnyOwner(at: location)?.moveStatus()
            let isSame = ours != nil && ours?.storeIdentifier == session.theirs.storeIdentifier
            switch owner {
            // It arrived there: nothing else brings its identifier there.
            case .moving? where isSame && !session.isFrozen: try asMoving.empty(owner: .system)
            // It has not arrived there, or has arrived here.
            case .moving?:
                try asMoving.handOver(to: .embedded)
                if isSame { try removeThere(session) }
            case .embedded? where isSame: try removeThere(session)
            // It was given away, and did not arrive.
            case .embedded? where session.isFrozen, .system? where session.isFrozen: try session.perform(.resume)
            default: break
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
    /// - Throws: ``Refusal``; the user's own store has the keychain then, unless its owner says otherwise.
    func moveIn(_ service: any KeychainBackend, _ session: MoveSession) throws(Refusal) -> Int {
        var damagedCount = 0
        do throws(KeychainError) {
            // What cannot be moved is not frozen.
            _ = try embedded.movedRows()
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
            try store.empty(owner: .system)
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
    ///   - passcode: asks for it: the service gives the keychain to its owner only.
    /// - Returns: The number of damaged rows that were left out.
    /// - Throws: ``Refusal``; the service serves the keychain then, unless the refusal says otherwise.
    func moveOut(
        _ service: any KeychainBackend,
        _ session: MoveSession,
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
        _ = try refusing { () throws(KeychainError) in try service.perform(.device(.unlock(entered))) }
        var damagedCount = 0
        do throws(KeychainError) {
            guard case .movedDevice(let device) = try session.perform(.send) else { throw .unexpectedReply }
            damagedCount = device.rows.damagedCount
            _ = try MoveSpace().reserve(device.rows.byteCount, in: location.path)
            let incoming = try IncomingKeychain(in: location, device)
            defer { IncomingKeychain.remove(from: location) }
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
            try asSystem.takeIn(incoming, owner: .moving, replacing: mark)
            try asMoving.handOver(to: .embedded)
            try removeThere(session)
        } catch {
            try settle(service, after: error)
            guard try owner() == .embedded else { throw Refusal(error) }
        }
        return damagedCount
    }

    /// Removes from the service what this store has.
    private func removeThere(_ session: MoveSession) throws(KeychainError) {
        try session.perform(.remove(receipt: embedded.moveReceipt(), digest: embedded.movedRows().digest))
    }

    private func settle(_ service: any KeychainBackend, after error: KeychainError) throws(Refusal) {
        do throws(Refusal) { try settleMove(service) } catch let second {
            throw Refusal(
                "\(error.reason); the move is neither completed nor reverted (\(second.description)): repeat the command"
            )
        }
    }

    /// The refusal of what has to wait for a move.
    static let isMoving = Refusal(
        "the keychain is being moved to or from the system service; if that was interrupted, repeat 'service enable "
            + "--system' or 'service disable'"
    )
}
