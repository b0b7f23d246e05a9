// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import KeychainCore
import KeychainHost
import KeychainOnDemand
import KeychainProtection
import KeychainRouting
import KeychainWire

/// `keychainctl service status`: the owner of the keychain, and the state of its daemon.
///
/// It starts no daemon.
struct ServiceStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows who owns the keychain, and whether its daemon is running; starts nothing.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl service status --json": "Writes the state as a JSON object, for scripts."
        ])
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let status = try ServiceStatus(try surroundings.service())
        surroundings.printLine(json ? try status.json : status.text)
    }
}

/// The status of a keychain's daemon.
struct ServiceStatus: Encodable {
    /// `nil` if there is no store.
    var owner: StoreOwner?
    var socket: String?
    var process: Int32?
    /// Why no daemon can be started; `nil` if one runs, or can be.
    var obstacle: String?
    var version: String?
    var state: String?
    /// The state of the system service, if relevant.
    var service: String?
    /// The remains of a move in progress or interrupted; `nil` if there are none.
    var remains: String?
    var connections: Int?
    /// The process of the daemon that serves keychain files, regardless of the owner of the store.
    var fileProcess: Int32?
    var fileVersion: String?

    init(_ service: KeychainService) throws(Refusal) {
        let owner = try service.owner()
        self.owner = owner
        fileProcess = try service.runningProcessForFiles()
        fileVersion = try service.folderForFiles().flatMap { DaemonRecord(in: $0) }?.version
        let hasSystemRecord = try service.folder().map(service.isOfSystem) ?? false
        let isInterrupted = owner == .embedded && hasSystemRecord
        if owner == .system || owner == .moving || isInterrupted { try readSystem(service) }
        if owner != .moving { remains = try service.remarkOnRemains(owner) }
        guard owner == .daemon else { return }
        socket = try refusing { () throws(KeychainError) in try service.daemon.socket() }.path
        process = try service.runningProcess()
        if let record = try service.running(), record.process == process {
            (version, socket) = (record.version, record.socket)
        }
        guard process != nil, let socket else {
            obstacle = service.daemon.obstacle
            return
        }
        connections = SocketTable.connections(at: socket)
        do throws(KeychainError) { state = Self.state(try service.daemon.performByRunning(.device(.status))) } catch {
            state = "unknown: \(error.reason)"
        }
    }

    private mutating func readSystem(_ service: KeychainService) throws(Refusal) {
        do throws(KeychainError) {
            socket = try service.system.socket().path
            let theirs = try service.system.moveStatus()
            self.service =
                switch theirs.owner {
                case .system: "serves a keychain\(theirs.isOccupied ? "" : " without items")"
                case .moving: "gives its keychain away, which has not arrived, or was not removed"
                case nil where owner == .system:
                    "has no keychain of this user yet; the first item that is stored makes it"
                case nil: "has no keychain of this user"
                default: "has a keychain\(theirs.isOccupied ? "" : " without items"), which it does not serve"
                }
            // Any other command creates a keychain if there is none.
            guard owner == .system, theirs.owner == .system else { return }
            state = Self.state(try service.system.perform(.device(.status)))
        } catch {
            self.service = "unknown: \(error.reason)"
        }
    }

    private static func state(_ reply: KeychainReply) -> String? {
        guard case .deviceStatus(let device) = reply else { return nil }
        return device.hasPasscode ? device.lockState.rawValue : "unlocked, no passcode is set"
    }

    var text: String {
        let whose =
            switch owner {
            case .daemon: "owned by the daemon"
            case .system: "owned by the system service"
            case .embedded: "embedded: each program opens it itself"
            case .moving:
                "being moved; repeat 'service enable --system' or 'service disable' if that was interrupted"
            case nil: "not created yet; embedded once a program creates it"
            case let other?: "owned by \(other.name), which this version does not know"
            }
        var rows = [("Keychain", whose)]
        if owner == .daemon {
            rows.append(("Socket", socket ?? "unknown"))
            let daemon = process.map { "process \($0), \(version ?? "unknown version")" }
            let absent = obstacle.map { "not running: \($0)" } ?? "not running; started by the next call"
            rows.append(("Daemon", daemon ?? absent))
            if let state { rows.append(("State", state)) }
            if let connections { rows.append(("Connections", "\(connections)")) }
        }
        if let service {
            rows.append(("Socket", socket ?? "unknown"))
            rows.append(("System service", service))
            if let state { rows.append(("State", state)) }
        }
        if let remains { rows.append(("Left over", remains)) }
        let files = fileProcess.map { "served by process \($0), \(fileVersion ?? "unknown version")" }
        rows.append(("Keychain files", files ?? "all locked; the next command on one starts their daemon"))
        return StatusRows.text(rows)
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// The kernel's table of Unix sockets (proc(5), `/proc/net/unix`).
enum SocketTable {
    /// The number of connections to a listening socket; `nil` if the table cannot be read.
    static func connections(at path: String) -> Int? {
        guard let table = try? String(contentsOfFile: "/proc/net/unix", encoding: .utf8) else { return nil }
        return connections(at: path, in: table)
    }

    static func connections(at path: String, in table: String) -> Int {
        // Num RefCount Protocol Flags Type St Inode Path: a connected socket has the state 03, and the accepted one of
        // the two has the path of the socket that accepted it.
        table.split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ", maxSplits: 7)
            return fields.count == 8 && fields[5] == "03" && fields[7] == path
        }
    }
}

extension StoreOwner: Encodable {
    /// Writes `embedded`, `daemon`, `system`, or the number of another owner.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
