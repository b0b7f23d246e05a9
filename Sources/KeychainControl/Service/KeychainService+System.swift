// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainClient
import KeychainCore
import KeychainDefaultBackend
import KeychainEngine
import KeychainProtection
import KeychainWire

// How the keychain of a user is moved between the user's programs and the system service.
//
// The service has a store of its own for each user; the user's store records only that the service owns the keychain.
extension KeychainService {
    /// The steps of `enable --system`, determined before any of them is performed.
    struct SystemPlan {
        let socket: SocketLocation
        let owner: StoreOwner?

        /// The steps, in words.
        var steps: [String] {
            guard owner != .system else { return ["make sure that the system service serves the keychain"] }
            var steps: [String] = []
            if owner == nil { steps.append("create an empty keychain, which records its owner") }
            return steps + [
                "hand the empty keychain over to the system service, which listens on \(socket.path)",
                "make one call through the system service, and revert all steps if it fails",
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
        case nil, .system?: break
        case .embedded?:
            let hasItems = try refusing { () throws(KeychainError) in try embedded.hasItems() }
            guard !hasItems else { throw Self.hasItems }
        case .daemon?: throw Refusal("the user's own daemon owns the keychain; take it back first: 'service disable'")
        case .some: throw Refusal("the store has an owner that this version does not know; update this program")
        }
        do throws(KeychainError) { _ = try service(at: socket).perform(.device(.status)) } catch {
            // It served the keychain before, and gave it back.
            guard error.foreignOwner == .embedded else { throw Refusal(error) }
        }
        return SystemPlan(socket: socket, owner: owner)
    }

    /// Has programs use the system service.
    ///
    /// The user's store is handed over first, so that two never serve the keychain. If this is interrupted then,
    /// neither does until this, or `disable`, is repeated.
    func enableSystem(_ path: String?) throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            let plan = try planOfEnablingSystem(path)
            if plan.owner == .system, let known = ServiceRecord(in: folder), known.socket != plan.socket.path {
                throw Refusal("programs use the system service at \(known.socket); run 'service disable' first")
            }
            let record = ServiceRecord(program: nil, socket: plan.socket.path)
            try write(record, in: folder)
            do throws(Refusal) {
                try refusing { () throws(KeychainError) in
                    if plan.owner != .system { try embedded.handOver(to: .system, onlyIfEmpty: true) }
                    _ = try service(at: plan.socket).perform(.maintenance(.takeOver))
                }
                // Programs that only listen look at the owner when the record changes, and have looked too early.
                try write(record, in: folder)
                _ = try refusing { () throws(KeychainError) in try system.perform(.device(.status)) }
            } catch {
                if plan.owner != .system { try takeBackFromSystem(plan.socket, folder, after: error) }
                throw error
            }
        }
    }

    private func write(_ record: ServiceRecord, in folder: PrivateDirectory) throws(Refusal) {
        do { try record.write(in: folder) } catch { throw Refusal("\(error)") }
    }

    /// Takes the keychain back from the system service, which may have items only if it is to keep them.
    ///
    /// The service refuses the keychain first, so that no program adds an item there that is out of reach later. If
    /// this is interrupted then, neither side serves it until this, or `enable --system`, is repeated.
    func disableSystem(leavesItems: Bool) throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            do throws(KeychainError) {
                _ = try system.perform(.maintenance(.giveBack(onlyIfEmpty: !leavesItems)))
            } catch {
                if error.isAboutItems { throw Self.itemsOfService }
                // A service that is not there serves nobody; one that does not answer may serve others.
                guard leavesItems, error.isMissingDaemon else { throw Refusal(error) }
            }
            try refusing { () throws(KeychainError) in try asSystem.handOver(to: .embedded) }
            ServiceRecord.remove(in: folder)
            _ = try refusing { () throws(KeychainError) in try embedded.device.status() }
        }
    }

    /// What `disable` does, in words.
    static let stepsOfDisablingSystem = [
        "have the system service give the keychain back, unless it has items there",
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

    private static let itemsOfService = Refusal(
        "the system service has items, which would be out of reach; '--leave-items' leaves them there, and "
            + "'enable --system' brings them back"
    )

    private static let hasItems = Refusal(
        "the keychain has items, which cannot be moved to the system service yet; it has to be empty"
    )
}
