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
    /// What the system service has of this user; nothing is made there but the folder.
    func status(of service: any KeychainBackend) throws(KeychainError) -> MoveStatus {
        guard case .moveStatus(let status) = try service.perform(.maintenance(.move(.status))) else {
            throw .unexpectedReply
        }
        return status
    }

    /// Completes or reverts a move that was interrupted, so that either side has the keychain, and the other one
    /// nothing of it.
    func settleMove(_ service: any KeychainBackend) throws(Refusal) {
        let owner = try owner()
        guard owner == .moving || owner == .system || owner == .embedded else { return }
        try refusing { () throws(KeychainError) in
            try EmbeddedKeychain.discardRemains(at: location)
            let theirs = try status(of: service)
            let isFrozen = theirs.owner == StoreOwner.moving.name
            switch owner {
            case .moving?:
                let isSame = try asMoving.moveStatus().storeIdentifier == theirs.storeIdentifier
                if isSame, theirs.owner == StoreOwner.system.name {
                    // It arrived there.
                    try asMoving.empty(owner: .system)
                } else {
                    // It has not arrived there, or has arrived here.
                    try asMoving.handOver(to: .embedded)
                    if isSame, isFrozen { try removeThere(service) }
                }
            case .system? where isFrozen: _ = try service.perform(.maintenance(.move(.resume)))
            case .embedded? where isFrozen:
                guard try embedded.moveStatus().storeIdentifier == theirs.storeIdentifier else { return }
                try removeThere(service)
            default: break
            }
        }
    }

    /// Moves the user's own keychain into the system service.
    func moveIn(_ service: any KeychainBackend) throws(Refusal) {
        do throws(KeychainError) {
            // From here on, no program changes it.
            try embedded.handOver(to: .moving)
            let store = asMoving
            try send(.receive(store.movedDevice()), to: service)
            var last: MovedRow.Place?
            while true {
                let rows = try store.movedRows(after: last)
                guard let next = rows.last?.place else { break }
                try send(.append(rows), to: service)
                last = next
            }
            try send(.activate, to: service)
            try asMoving.empty(owner: .system)
        } catch {
            try settle(service, after: error)
            guard try owner() == .system else { throw Refusal(error) }
        }
    }

    /// Moves the keychain of the system service into the user's own store, which is empty.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - hasPasscode: whether the keychain there has a passcode.
    ///   - passcode: asks for it: the service gives the keychain to its owner only.
    /// - Throws: ``Refusal``; the service serves the keychain then, unless the refusal says otherwise.
    func moveOut(
        _ service: any KeychainBackend,
        hasPasscode: Bool,
        _ passcode: () throws(Refusal) -> SecretBytes
    ) throws(Refusal) {
        let isOccupied = try refusing { () throws(KeychainError) in try asSystem.moveStatus().hasRows }
        guard !isOccupied else {
            throw Refusal("the user's own store has items, although the system service owns the keychain")
        }
        if hasPasscode {
            let passcode = try passcode()
            _ = try refusing { () throws(KeychainError) in try service.perform(.device(.unlock(passcode))) }
        }
        do throws(KeychainError) {
            guard case .movedDevice(let device) = try service.perform(.maintenance(.move(.send))) else {
                throw .unexpectedReply
            }
            let incoming = try IncomingKeychain(in: location, device)
            defer { IncomingKeychain.remove(from: location) }
            var last: MovedRow.Place?
            while true {
                guard case .movedRows(let rows) = try service.perform(.maintenance(.move(.rows(after: last)))) else {
                    throw .unexpectedReply
                }
                guard let next = rows.last?.place else { break }
                try incoming.append(rows)
                last = next
            }
            try incoming.finish()
            try asSystem.takeIn(incoming, owner: .moving)
            try asMoving.handOver(to: .embedded)
            try removeThere(service)
        } catch {
            try settle(service, after: error)
            guard try owner() == .embedded else { throw Refusal(error) }
        }
    }

    /// Removes from the service what this store has.
    private func removeThere(_ service: any KeychainBackend) throws(KeychainError) {
        try send(.remove(receipt: embedded.moveReceipt()), to: service)
    }

    private func send(_ step: StoreMove, to service: any KeychainBackend) throws(KeychainError) {
        _ = try service.perform(.maintenance(.move(step)))
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
