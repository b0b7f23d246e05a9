// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore
import KeychainDefaultBackend
import KeychainEngine
import KeychainProtection
import KeychainWire

extension KeychainService {
    /// What `enable` does, found out before anything is done.
    struct Plan {
        let program: String
        let socket: SocketLocation
        let owner: StoreOwner?
        /// The systemd that listens; `nil` where the daemon is started by the first program that needs it.
        let manager: UserManager?
        let hasPackagedUnits: Bool

        /// The steps, in words.
        var steps: [String] {
            var steps: [String] = []
            if owner == nil { steps.append("make an empty keychain") }
            steps.append("have programs start \(program), which listens at \(socket.path)")
            if let manager {
                if !hasPackagedUnits { steps.append("write the units of systemd to \(manager.unitFolder)") }
                steps.append("have systemd listen, now and after each login: \(SystemdUnits.socketUnit)")
            } else {
                steps.append(
                    "leave it to the first program that needs the daemon to start it, as no systemd listens for it"
                )
            }
            if owner != .daemon { steps.append("make the store over to the daemon; what is unlocked is locked") }
            return steps + ["make one call through the daemon, and undo all this if it fails"]
        }
    }

    /// Checks what `enable` needs; changes nothing.
    func planOfEnabling() throws(Refusal) -> Plan {
        let owner = try owner()
        guard owner == nil || owner == .embedded || owner == .daemon else {
            throw Refusal("the store belongs to something that this version does not know; update this program")
        }
        guard let program = try refusing({ () throws(KeychainError) in try daemon.program() }) else {
            throw Refusal("there is no 'keychaind'; install it, or name it by \(DaemonProgram.environmentVariable)")
        }
        let socket = try socketLocation()
        // systemd listens for the user's own keychain only.
        let manager = location.isNamed ? nil : manager
        return Plan(
            program: program,
            socket: socket,
            owner: owner,
            manager: manager,
            hasPackagedUnits: manager?.hasPackagedUnits ?? false
        )
    }

    /// Where the daemon is to listen, in a folder that can be used or made.
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

    /// Makes the store over to the daemon.
    func enable() throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            let plan = try planOfEnabling()
            let wasThere = ServiceRecord(in: folder)
            do throws(Refusal) {
                try carryOut(plan, folder)
            } catch {
                if plan.owner != .daemon { try undo(plan, folder, wasThere, after: error) }
                throw error
            }
        }
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
        _ = try refusing { () throws(KeychainError) in try daemon.perform(.device(.status)) }
    }

    private func undo(
        _ plan: Plan,
        _ folder: PrivateDirectory,
        _ record: ServiceRecord?,
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
            throw Refusal("\(error.description); the store is still the daemon's, because \(second.description)")
        }
        if let manager = plan.manager, !plan.hasPackagedUnits { SystemdUnits.remove(from: manager.unitFolder) }
        if let record { try? record.write(in: folder) } else { ServiceRecord.remove(in: folder) }
    }

    /// Takes the store back from the daemon, or removes what a move that was killed has left.
    func disable() throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            let owner = try owner()
            guard owner != .embedded, owner != nil else {
                guard hasRemains(folder) else { throw Refusal("programs open it by themselves already") }
                return removeRemains(folder)
            }
            guard owner == .daemon else { throw Refusal("the store has an owner that this version does not know") }
            manager?.stop()
            try whileStopped(folder) { () throws(Refusal) in
                try refusing { () throws(KeychainError) in try asDaemon.handOver(to: .embedded) }
            }
            removeRemains(folder)
            _ = try refusing { () throws(KeychainError) in try embedded.device.status() }
        }
    }

    /// Whether something has programs, or systemd, turn to a daemon that does not have the store.
    func hasRemains(_ folder: PrivateDirectory) -> Bool {
        if ServiceRecord(in: folder) != nil { return true }
        guard !location.isNamed, let manager else { return false }
        return SystemdUnits.isIn(manager.unitFolder) || manager.isListening
    }

    /// Removes that; the record last, so that this can be done again as long as it is there.
    private func removeRemains(_ folder: PrivateDirectory) {
        if !location.isNamed, let manager {
            manager.stop()
            SystemdUnits.remove(from: manager.unitFolder)
        }
        ServiceRecord.remove(in: folder)
    }

    /// What `disable` does, in words.
    static let stepsOfDisabling = [
        "end the daemon, once the calls under way are answered", "make the store over to the programs that use it",
        "make one call without the daemon",
    ]

    /// What `disable` does where the daemon does not have the store.
    static let stepOfTidying = "remove what an 'enable' or 'disable' that was interrupted has left"

    /// What `restart` does, in words.
    static let stepsOfRestarting = ["end the daemon, once the calls under way are answered", "start it anew"]

    /// Ends the daemon and starts another one.
    func restart() throws(Refusal) {
        try alone { (folder) throws(Refusal) in
            guard try owner() == .daemon else { throw Refusal("the daemon does not have the keychain") }
            let hasManager = !location.isNamed && (manager?.restart() ?? false)
            if !hasManager { try whileStopped(folder) { () throws(Refusal) in } }
            _ = try refusing { () throws(KeychainError) in try daemon.perform(.device(.status)) }
        }
    }
}
