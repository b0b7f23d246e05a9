// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainProtection
import KeychainRouting
import KeychainWire

extension KeychainService {
    /// The steps of `enable`, determined before any of them is performed.
    struct Plan {
        let program: String
        let socket: SocketLocation
        let owner: StoreOwner?
        /// The systemd that listens on the socket; `nil` if the first program that needs the daemon starts it.
        let manager: UserManager?
        let hasPackagedUnits: Bool

        /// The steps, as text.
        var steps: [String] {
            var steps: [String] = []
            if owner == nil { steps.append("create an empty keychain") }
            steps.append("record that programs start \(program), which listens on \(socket.path)")
            if let manager {
                if !hasPackagedUnits { steps.append("write the systemd units to \(manager.unitFolder)") }
                steps.append("have systemd listen, now and after each login: enable \(SystemdUnits.socketUnit)")
            } else {
                steps.append(
                    "let the first program that needs the daemon start it, as no systemd listens for it"
                )
            }
            if owner != .daemon { steps.append("hand the store over to the daemon, which locks it") }
            return steps + ["make one call through the daemon, and revert all steps if it fails"]
        }
    }

    /// Checks the preconditions of `enable`; changes nothing.
    func planOfEnabling() throws(Refusal) -> Plan {
        let owner = try owner()
        guard owner != .system else {
            throw Refusal("the system service owns the keychain; take it back first: 'service disable'")
        }
        guard owner != .moving else { throw Self.isMoving }
        guard owner == nil || owner == .embedded || owner == .daemon else {
            throw Refusal("the store has an owner that this version does not know; update this program")
        }
        guard let program = try refusing({ () throws(KeychainError) in try daemon.program() }) else {
            throw Refusal(
                "there is no 'keychaind'; install it, or name its path in \(DaemonProgram.environmentVariable)"
            )
        }
        let socket = try socketLocation()
        // systemd listens for the user's own keychain only.
        let isForeign = try isCopy || location.isNamed
        let manager = isForeign ? nil : manager
        return Plan(
            program: program,
            socket: socket,
            owner: owner,
            manager: manager,
            hasPackagedUnits: manager?.hasPackagedUnits ?? false
        )
    }

    /// The daemon's socket, in a folder that is usable or can be created.
    private func socketLocation() throws(Refusal) -> SocketLocation {
        var folder = ""
        do throws(FileError) {
            let socket = try SocketLocation(of: location)
            folder = socket.folder
            do throws(FileError) { _ = try socket.openFolder(making: false) } catch .system(_, folder, ENOENT) {}
            return socket
        } catch {
            throw Refusal("the daemon cannot listen: \(error)")
        }
    }

    /// Hands the store over to the daemon.
    func enable() throws(Refusal) {
        let (plan, wasThere) = try withExclusiveAccess { (folder) throws(Refusal) in
            let plan = try planOfEnabling()
            let wasThere = ServiceRecord(in: folder)
            do throws(Refusal) {
                try carryOut(plan, folder)
            } catch {
                if plan.owner != .daemon { try undo(plan, in: folder, record: wasThere, after: error) }
                throw error
            }
            return (plan, wasThere)
        }
        do throws(Refusal) {
            try startDaemon()
        } catch {
            guard plan.owner != .daemon else { throw error }
            try withExclusiveAccess { (folder) throws(Refusal) in
                try undo(plan, in: folder, record: wasThere, after: error)
            }
            throw error
        }
    }

    /// Starts the daemon, and waits until it answers.
    ///
    /// Not while this command has exclusive access, for which a daemon of the Secret Service waits before it serves.
    private func startDaemon() throws(Refusal) {
        _ = try refusing { () throws(KeychainError) in try daemon.perform(.device(.status)) }
    }

    private func carryOut(_ plan: Plan, _ folder: PrivateDirectory) throws(Refusal) {
        do {
            let unit = plan.manager.map { _ in SystemdUnits.socketUnit }
            try ServiceRecord(program: plan.program, socket: plan.socket.path, unit: unit).write(in: folder)
        } catch {
            throw Refusal("\(error)")
        }
        if let manager = plan.manager {
            if !plan.hasPackagedUnits { try SystemdUnits(program: plan.program).write(to: manager.unitFolder) }
            try manager.start()
        }
        if plan.owner != .daemon {
            try refusing { () throws(KeychainError) in try embedded.handOver(to: .daemon) }
        }
    }

    private func undo(
        _ plan: Plan,
        in folder: PrivateDirectory,
        record: ServiceRecord?,
        after error: Refusal
    ) throws(Refusal) {
        do throws(Refusal) {
            plan.manager?.stop()
            if try owner() == .daemon {
                try whileStopped(folder) { () throws(Refusal) in
                    try refusing { () throws(KeychainError) in try asDaemon.handOver(to: .embedded) }
                }
            }
        } catch let second {
            throw Refusal("\(error.description); the daemon still owns the store, because \(second.description)")
        }
        if let manager = plan.manager, !plan.hasPackagedUnits { SystemdUnits.remove(from: manager.unitFolder) }
        if let record { try? record.write(in: folder) } else { ServiceRecord.remove(in: folder) }
    }

    /// Takes the store back from the daemon, or removes what an interrupted move left behind.
    ///
    /// - Parameter leavesItems: whether an unavailable system service may keep its items.
    /// - Throws: ``Refusal``.
    func disable(leavesItems: Bool = false) throws(Refusal) {
        try withExclusiveAccess { (folder) throws(Refusal) in
            let owner = try owner()
            guard owner != .embedded, owner != nil else {
                let hasMoveRemains = try remarkOnRemains(owner) != nil
                try discardRemains()
                guard hasMoveRemains || hasRemains(folder) else { throw Refusal("the keychain is embedded already") }
                // It may still have what it gave away.
                if owner == .embedded, isOfSystem(folder), try isResponding(orLeavesItems: leavesItems) {
                    try settleMove(system)
                }
                return removeRemains(folder)
            }
            guard owner == .daemon else { throw Refusal("the store has an owner that this version does not know") }
            manager(of: folder)?.stop()
            try whileStopped(folder) { () throws(Refusal) in
                try refusing { () throws(KeychainError) in try asDaemon.handOver(to: .embedded) }
            }
            removeRemains(folder)
            _ = try refusing { () throws(KeychainError) in try embedded.device.status() }
        }
    }

    /// Whether the record directs programs to the system service.
    func isOfSystem(_ folder: PrivateDirectory) -> Bool {
        ServiceRecord(in: folder).map { $0.program == nil } ?? false
    }

    /// Whether a record or unit still directs programs, or systemd, to a daemon that does not own the store.
    func hasRemains(_ folder: PrivateDirectory) -> Bool {
        if folder.isTaken(ServiceRecord.fileName) { return true }
        guard let manager = manager(of: folder) else { return false }
        return SystemdUnits.isIn(manager.unitFolder) || manager.isListening
    }

    /// Removes these remains; the record last, so that this can be repeated as long as it exists.
    private func removeRemains(_ folder: PrivateDirectory) {
        if let manager = manager(of: folder) {
            manager.stop()
            SystemdUnits.remove(from: manager.unitFolder)
        }
        removeRecords(in: folder)
    }

    /// The steps of `disable`, as text.
    static let stepsOfDisabling = [
        "stop the daemon, once calls in progress are answered", "hand the store back to the programs that use it",
        "make one call without the daemon",
    ]

    /// The step of `disable` if the daemon does not own the store.
    static let stepOfTidying = "remove what an interrupted 'enable' or 'disable' left behind"

    /// The steps of `restart`, as text.
    static let stepsOfRestarting = ["stop the daemon, once calls in progress are answered", "start it again"]

    /// The step of `restart` for the daemon of keychain files, as text.
    static let stepOfStoppingFiles = "stop the daemon of keychain files, which the next command on one starts again"

    /// Stops the running daemons, and restarts that of the store.
    ///
    /// - Returns: Whether the daemon of the store was restarted; `false` if only that of keychain files was stopped.
    func restart() throws(Refusal) -> Bool {
        let (isOwner, manager) = try withExclusiveAccess { (folder) throws(Refusal) -> (Bool, UserManager?) in
            let owner = try owner()
            if try stopFiles(), owner != .daemon { return (false, nil) }
            guard owner != .system else {
                throw Refusal("the system service owns it; root can restart that: 'systemctl restart swift-keychain'")
            }
            guard owner == .daemon else { throw Refusal("the daemon does not own the keychain") }
            return (true, self.manager(of: folder))
        }
        guard isOwner else { return false }
        if manager?.restart() != true {
            try withExclusiveAccess { (folder) throws(Refusal) in try whileStopped(folder) { () throws(Refusal) in } }
        }
        try startDaemon()
        return true
    }
}
