// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainClient
import KeychainCore
import KeychainDefaultBackend
import KeychainEngine
import KeychainProtection
import KeychainWire

// How programs are directed to the system service, and back.
//
// The service has a store of its own for each user; the user's store records only that the service owns the keychain.
extension KeychainService {
    /// The steps of `enable --system`, determined before any of them is performed.
    struct SystemPlan {
        let socket: SocketLocation
        let owner: StoreOwner?
        /// Whether there is anything in the user's own store to be moved.
        let hasContents: Bool
        /// The number of items of each class.
        let counts: [(itemClass: ItemClass, count: Int)]

        /// The steps, in words.
        var steps: [String] {
            guard owner != .system else { return ["make sure that the system service serves the keychain"] }
            var steps: [String] = []
            if owner == nil { steps.append("create an empty keychain, which records its owner") }
            if owner == .moving { steps.append("complete or revert the move that was interrupted") }
            guard hasContents else {
                return steps + [
                    "hand the empty keychain over to the system service, which listens on \(socket.path)",
                    "make one call through the system service, and revert all steps if it fails",
                ]
            }
            let items = counts.map { "\($0.count) \($0.itemClass.rawValue)" }.joined(separator: ", ")
            return steps + [
                "keep programs from changing the keychain, which locks it",
                "move its items (\(items)), its passcode and its keys to the system service, which listens on "
                    + "\(socket.path)",
                "remove them from the user's own store, and make one call through the system service",
            ]
        }
    }

    /// Checks the preconditions of `enable --system`, with the socket of the service if it is not the default one;
    /// changes nothing.
    func planOfEnablingSystem(_ path: String?) throws(Refusal) -> SystemPlan {
        guard !location.isNamed else {
            throw Refusal(
                "the system service has one keychain for each user, and \(KeychainLocation.environmentVariable) names "
                    + "another one; unset it"
            )
        }
        let socket = path.map { SocketLocation(path: $0, isSystemService: true) } ?? .system
        let owner = try owner()
        switch owner {
        case nil, .system?, .embedded?, .moving?: break
        case .daemon?: throw Refusal("the user's own daemon owns the keychain; take it back first: 'service disable'")
        case .some: throw Refusal("the store has an owner that this version does not know; update this program")
        }
        return try refusing { () throws(KeychainError) in
            let theirs = try status(of: service(at: socket))
            let own = owner == .embedded ? embedded : owner == .moving ? asMoving : nil
            let ours = try own?.moveStatus() ?? MoveStatus()
            if owner == .embedded, ours.hasContents, theirs.hasContents,
                ours.storeIdentifier != theirs.storeIdentifier
            {
                throw KeychainError(
                    .notAvailable,
                    "the system service has a keychain of this user already, and nothing is overwritten; delete the items "
                        + "of one side first"
                )
            }
            return SystemPlan(
                socket: socket,
                owner: owner,
                hasContents: ours.hasContents,
                counts: try own?.itemCounts() ?? []
            )
        }
    }

    /// Has programs use the system service, to which a keychain with contents is moved.
    ///
    /// The user's store is handed over first, so that two never serve the keychain. If this is interrupted then,
    /// neither does until this, or `disable`, is repeated.
    func enableSystem(_ path: String?) throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            let plan = try planOfEnablingSystem(path)
            if plan.owner == .system || plan.owner == .moving, let known = ServiceRecord(in: folder),
                known.socket != plan.socket.path
            {
                throw Refusal("programs use the system service at \(known.socket); run 'service disable' first")
            }
            let record = ServiceRecord(program: nil, socket: plan.socket.path)
            try write(record, in: folder)
            let service = service(at: plan.socket)
            try settleMove(service)
            if plan.hasContents, try owner() == .embedded {
                do throws(Refusal) { try moveIn(service) } catch {
                    if try owner() == .embedded { ServiceRecord.remove(in: folder) }
                    throw error
                }
            }
            let isOwner = try owner() == .system
            do throws(Refusal) {
                try refusing { () throws(KeychainError) in
                    if !isOwner { try embedded.handOver(to: .system, onlyIfEmpty: true) }
                    _ = try service.perform(.maintenance(.takeOver))
                }
                // Programs that only listen look at the owner when the record changes, and have looked too early.
                try write(record, in: folder)
                _ = try refusing { () throws(KeychainError) in try system.perform(.device(.status)) }
            } catch {
                if !isOwner { try takeBackFromSystem(plan.socket, folder, after: error) }
                throw error
            }
        }
    }

    private func write(_ record: ServiceRecord, in folder: PrivateDirectory) throws(Refusal) {
        do { try record.write(in: folder) } catch { throw Refusal("\(error)") }
    }

    /// Takes the keychain back from the system service, with its items unless it is to keep them.
    ///
    /// The service refuses the keychain first, so that no program adds an item there that is out of reach later. If
    /// this is interrupted then, neither side serves it until this, or `enable --system`, is repeated.
    func disableSystem(leavesItems: Bool, _ passcode: () throws(Refusal) -> SecretBytes) throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            if try isThere(orLeavesItems: leavesItems) {
                try settleMove(system)
                if try owner() == .system { try takeBack(leavesItems: leavesItems, passcode) }
            } else {
                // A service that is not there serves nobody; one that does not answer may serve others.
                let store = try owner() == .moving ? asMoving : asSystem
                try refusing { () throws(KeychainError) in try store.handOver(to: .embedded) }
            }
            ServiceRecord.remove(in: folder)
            _ = try refusing { () throws(KeychainError) in try embedded.device.status() }
        }
    }

    private func takeBack(leavesItems: Bool, _ passcode: () throws(Refusal) -> SecretBytes) throws(Refusal) {
        let theirs = try refusing { () throws(KeychainError) in try status(of: system) }
        let isServed = theirs.owner == StoreOwner.system.name
        if isServed, theirs.hasContents, !leavesItems {
            return try moveOut(system, hasPasscode: theirs.hasPasscode, passcode)
        }
        try refusing { () throws(KeychainError) in
            if isServed { _ = try system.perform(.maintenance(.giveBack(onlyIfEmpty: !leavesItems))) }
            try asSystem.handOver(to: .embedded)
        }
    }

    /// Whether the service answers; one that is not there may be left out of account if items may stay there.
    func isThere(orLeavesItems leavesItems: Bool) throws(Refusal) -> Bool {
        do throws(KeychainError) {
            _ = try status(of: system)
            return true
        } catch {
            guard leavesItems, error.isMissingDaemon else { throw Refusal(error) }
            return false
        }
    }

    /// What `disable` does, in words.
    static let stepsOfDisablingSystem = [
        "have the system service refuse every command on the keychain, if its owner enters the passcode",
        "move its items, its passcode and its keys to the user's own store, and remove them from the system service",
        "hand the store back to the programs that use it", "make one call without the system service",
    ]

    private func takeBackFromSystem(
        _ socket: SocketLocation,
        _ folder: PrivateDirectory,
        after error: Refusal
    ) throws(Refusal) {
        do throws(Refusal) {
            if try owner() == .system {
                try refusing { () throws(KeychainError) in
                    // A program that has moved on already may have stored an item there.
                    _ = try service(at: socket).perform(.maintenance(.giveBack(onlyIfEmpty: true)))
                    try asSystem.handOver(to: .embedded)
                }
            }
        } catch let second {
            throw Refusal(
                "\(error.description); the system service still owns the keychain, because \(second.description)"
            )
        }
        ServiceRecord.remove(in: folder)
    }
}
