// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainRouting
import KeychainWire

// Directs programs to the system service, and back.
//
// The service has a store of its own for each user; the user's store records only that the service owns the keychain.
extension KeychainService {
    /// The steps of `enable --system`, determined before any of them is performed.
    struct SystemPlan {
        let socket: SocketLocation
        let owner: StoreOwner?
        /// Whether the user's own store has anything to move.
        let hasContents: Bool
        /// The number of items of each class of ``ItemClass/stored``.
        let itemCounts: [Int]
        /// The number of damaged rows that are left behind.
        let damagedCount: Int
        /// Whether the keychain to be moved has a passcode.
        let hasPasscode: Bool

        /// The steps as text, without setting a passcode.
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
            let left = damagedCount == 0 ? "" : " but \(Count.text(damagedCount, "damaged row"))"
            return steps + [
                "keep programs from changing the keychain, which locks it",
                "move its items (\(KeychainService.text(itemCounts)))\(left), its passcode and its keys to the system "
                    + "service, which listens on \(socket.path)",
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
        if owner == .system || owner == .moving, try isCopy { throw Refusal(.copyOfMoved(location.path)) }
        switch owner {
        case nil, .system?, .embedded?, .moving?: break
        case .daemon?: throw Refusal("the user's own daemon owns the keychain; take it back first: 'service disable'")
        case .some: throw Refusal("the store has an owner that this version does not know; update this program")
        }
        return try refusing { () throws(KeychainError) in
            let theirs = try service(at: socket).moveStatus()
            let own = owner == .embedded ? embedded : owner == .moving ? asMoving : nil
            let ours = try own?.moveStatus() ?? MoveStatus()
            if owner == .embedded, ours.hasContents, theirs.isOccupied,
                ours.storeIdentifier != theirs.storeIdentifier
            {
                throw theirs.owner == .moving ? .frozenThere : .occupiedThere
            }
            // A keychain that cannot be moved is refused already here.
            let rows = ours.hasContents ? own : nil
            return SystemPlan(
                socket: socket,
                owner: owner,
                hasContents: ours.hasContents,
                itemCounts: ours.itemCounts,
                damagedCount: try rows?.movedRows().damagedCount ?? 0,
                hasPasscode: ours.hasContents ? ours.hasPasscode : theirs.hasPasscode
            )
        }
    }

    /// Makes programs use the system service, and moves a keychain with contents there.
    ///
    /// The user's store is handed over first, so that the keychain is never served by two. If this is interrupted
    /// afterwards, neither serves it until this, or `disable`, is repeated.
    ///
    /// - Returns: The number of damaged rows that were left out.
    func enableSystem(_ path: String?) throws(Refusal) -> Int {
        try withExclusiveAccess { (folder) throws(Refusal) in
            let plan = try planOfEnablingSystem(path)
            let former = ServiceRecord(in: folder)
            if plan.owner == .system || plan.owner == .moving, let former, former.socket != plan.socket.path {
                throw Refusal("programs use the system service at \(former.socket); run 'service disable' first")
            }
            let service = service(at: plan.socket)
            let session = try settleMove(service)
            let record = ServiceRecord(program: nil, socket: plan.socket.path)
            try write(record, in: folder)
            var damagedCount = 0
            if try hasContentsToMove() {
                do throws(Refusal) { damagedCount = try moveIn(service, session) } catch {
                    // It was reverted; if that failed, the record leads `disable` to what is left.
                    if former == nil, try owner() == .embedded, (try? settleMove(service)) != nil {
                        removeRecords(in: folder)
                    }
                    throw error
                }
            }
            let isOwner = try owner() == .system
            do throws(Refusal) {
                try refusing { () throws(KeychainError) in
                    if !isOwner { try embedded.handOver(to: .system, onlyIfEmpty: true) }
                    _ = try service.perform(.maintenance(.takeOver))
                }
                // Subscribed programs check the owner when the record changes, and have checked too early.
                try write(record, in: folder)
                _ = try refusing { () throws(KeychainError) in try system.perform(.device(.status)) }
            } catch {
                if !isOwner { try moveBack(from: service, folder, after: error) }
                throw error
            }
            // Without it, programs ask the store.
            try? asSystem.recordOwner()
            return damagedCount
        }
    }

    /// The last step of `enable --system`, as text.
    static let stepOfSettingPasscode = "set the passcode, which is asked for before anything else is done"

    /// Sets the first passcode of the system service's keychain.
    func setPasscodeInSystem(_ passcode: SecretBytes) throws(Refusal) {
        do throws(KeychainError) { try system.device.setPasscode(passcode) } catch {
            let fix =
                error.kind == .device(.passcodeAlreadySet)
                ? "another program has just set one; if it is not yours, read out the items that you need, leave that "
                    + "keychain ('service disable --leave-items') and have root remove its folder"
                : "\(Refusal(error).description); set it with 'device set-passcode'"
            throw Refusal("the system service owns the keychain, but this passcode was not set: \(fix)")
        }
    }

    /// Whether the user's own store has anything to move, once the remains of an earlier move are gone.
    private func hasContentsToMove() throws(Refusal) -> Bool {
        guard try owner() == .embedded else { return false }
        return try refusing { () throws(KeychainError) in try embedded.moveStatus().hasContents }
    }

    /// Has programs ask the store whose it is.
    func removeRecords(in folder: PrivateDirectory) {
        EmbeddedKeychain.removeOwnerRecord(in: folder)
        ServiceRecord.remove(in: folder)
    }

    private func write(_ record: ServiceRecord, in folder: PrivateDirectory) throws(Refusal) {
        do { try record.write(in: folder) } catch { throw Refusal("\(error)") }
    }

    /// Takes the keychain back from the system service, with its items unless they are to be left there.
    ///
    /// The service refuses the keychain first, so that no program adds an item there that is inaccessible later. If
    /// this is interrupted afterwards, neither side serves it until this, or `enable --system`, is repeated.
    ///
    /// - Returns: The number of damaged rows that were left out.
    func disableSystem(
        leavesItems: Bool,
        _ passcode: () throws(Refusal) -> SecretBytes
    ) throws(Refusal) -> Int {
        try withExclusiveAccess { (folder) throws(Refusal) in
            // This includes the root key of what stays in the service, even if the service cannot be reached.
            try discardRemains()
            var damagedCount = 0
            if try isResponding(orLeavesItems: leavesItems) {
                let session = try settleMove(system)
                if try owner() == .system { damagedCount = try moveBack(session, leavesItems: leavesItems, passcode) }
            } else {
                // An absent service serves no one; one that does not respond may still serve programs.
                try refusing { () throws(KeychainError) in try asSystem.handOver(to: .embedded) }
            }
            removeRecords(in: folder)
            _ = try refusing { () throws(KeychainError) in try embedded.device.status() }
            return damagedCount
        }
    }

    /// Removes what an interrupted move left in the user's own store.
    func discardRemains() throws(Refusal) {
        try refusing { () throws(KeychainError) in try EmbeddedKeychain.discardRemains(at: location) }
    }

    private func moveBack(
        _ session: MoveSession,
        leavesItems: Bool,
        _ passcode: () throws(Refusal) -> SecretBytes
    ) throws(Refusal) -> Int {
        let theirs = try refusing { () throws(KeychainError) in try system.moveStatus() }
        guard theirs.isOccupied, !leavesItems else {
            try refusing { () throws(KeychainError) in try giveBack(by: system, leavesItems: leavesItems) }
            return 0
        }
        if theirs.owner == .embedded {
            // It was given back without its contents.
            _ = try refusing { () throws(KeychainError) in try system.perform(.maintenance(.takeOver)) }
        }
        return try moveOut(of: system, in: session, hasPasscode: theirs.hasPasscode, passcode)
    }

    /// Makes the service refuse the keychain, and then the user's own store serve one.
    private func giveBack(by service: any KeychainBackend, leavesItems: Bool) throws(KeychainError) {
        // A program that already uses the service may have stored an item there.
        _ = try service.perform(.maintenance(.giveBack(onlyIfEmpty: !leavesItems)))
        try asSystem.handOver(to: .embedded)
    }

    /// Whether the service responds; an absent one may be ignored if items may stay there.
    func isResponding(orLeavesItems leavesItems: Bool) throws(Refusal) -> Bool {
        do throws(KeychainError) {
            _ = try system.moveStatus()
            return true
        } catch {
            guard error.isMissingDaemon || error.isOfOtherFolder else { throw Refusal(error) }
            guard try owner() != .moving else {
                throw Refusal(
                    "the keychain was being moved to or from the system service, which may have all of it; \(error.reason), "
                        + "and repeat the command"
                )
            }
            guard leavesItems else {
                if error.isOfOtherFolder { throw Refusal(error) }
                throw Refusal("\(error.reason); or leave there what it may have: 'service disable --leave-items'")
            }
            return false
        }
    }

    /// The steps of `disable`, as text.
    func stepsOfDisablingSystem(leavesItems: Bool) throws(Refusal) -> [String] {
        let end = ["hand the store back to the programs that use it", "make one call without the system service"]
        guard try isResponding(orLeavesItems: leavesItems) else { return end }
        let theirs = try refusing { () throws(KeychainError) in try system.moveStatus() }
        let isInterrupted = try owner() == .moving || theirs.owner == .moving
        let beginning = isInterrupted ? ["complete or revert the move that was interrupted"] : []
        guard theirs.isOccupied, !leavesItems else {
            return beginning + ["have the system service refuse every command on the keychain"] + end
        }
        return beginning + [
            "have the system service refuse every command on the keychain, if its owner enters the passcode",
            "move its items (\(Self.text(theirs.itemCounts))), its passcode and its keys to the user's own store, and "
                + "remove them from the system service",
        ] + end
    }

    /// The number of items of each class, as text.
    static func text(_ itemCounts: [Int]) -> String {
        zip(ItemClass.stored, itemCounts).map { "\($1) \($0.rawValue)" }.joined(separator: ", ")
    }

    private func moveBack(
        from service: any KeychainBackend,
        _ folder: PrivateDirectory,
        after error: Refusal
    ) throws(Refusal) {
        do throws(Refusal) {
            if try owner() == .system {
                try refusing { () throws(KeychainError) in try giveBack(by: service, leavesItems: false) }
            }
        } catch let second {
            throw Refusal(
                "\(error.description); the system service still owns the keychain, because \(second.description)"
            )
        }
        removeRecords(in: folder)
    }
}

extension KeychainError {
    fileprivate static let occupiedThere = KeychainError(
        .notAvailable,
        "the system service has a keychain of this user already, and nothing is overwritten; delete the items of one side "
            + "first"
    )

    fileprivate static let frozenThere = KeychainError(
        .notAvailable,
        "the system service was giving a keychain of this user away, which did not arrive in this store, and nothing is "
            + "overwritten; move the folder of the user's own store away, and repeat the command, to use that one again"
    )
}
