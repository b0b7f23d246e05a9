// SPDX-License-Identifier: Apache-2.0

import Foundation
import MessageBus

/// A program that offers the Secret Service, on a message bus of one run.
final class SecretServiceProcess {
    /// The address of the bus.
    let address: String
    private let processes: [ChildProcess]
    private var service: ChildProcess { processes[processes.count - 1] }

    private static let daemonName = "keychaind"
    private static let busDaemon = "/usr/bin/dbus-daemon"
    private static let gnomeKeyring = "/usr/bin/gnome-keyring-daemon"

    /// Whether there is a gnome-keyring to be measured.
    static var hasGnomeKeyring: Bool {
        [busDaemon, gnomeKeyring].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether there is a message bus besides the daemon's own.
    static var hasBusDaemon: Bool { FileManager.default.isExecutableFile(atPath: busDaemon) }

    /// keychaind, which serves a store, on a bus of its own or on dbus-daemon.
    init(storeIn folder: String, onOwnBus: Bool, _ scratch: Scratch, _ name: String) throws {
        let socket = scratch.path("\(name).bus")
        address = "unix:path=\(socket)"
        let program = try ChildProcess.besideThis(Self.daemonName)
        let words = ["--store", folder, "--socket", scratch.path("\(name).sock"), "--secret-service"]
        let variables = Self.variables(scratch, address)
        let output = try Self.output(scratch, name)
        defer { close(output) }
        let descriptors: [Int32: Int32] = [1: output, 2: output]
        if onOwnBus {
            let daemon = try ChildProcess(
                program,
                words + ["--bus", socket],
                environment: variables,
                descriptors: descriptors
            )
            processes = [daemon]
        } else {
            let bus = try Self.startBus(at: address, scratch, named: name, descriptors: descriptors)
            processes = [
                bus, try ChildProcess(program, words, environment: variables, descriptors: descriptors),
            ]
        }
        try waitUntilServed()
    }

    /// gnome-keyring with an empty keyring, on dbus-daemon.
    init(gnomeKeyringIn scratch: Scratch) throws {
        let name = "gnome-keyring"
        address = "unix:path=\(scratch.path("\(name).bus"))"
        let output = try Self.output(scratch, name)
        defer { close(output) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure("there are no pipes left") }
        guard write(ends[1], "benchmark", 9) == 9 else { throw Failure("a pipe takes nothing") }
        close(ends[1])
        defer { close(ends[0]) }
        let bus = try Self.startBus(at: address, scratch, named: name, descriptors: [1: output, 2: output])
        let keyring = try ChildProcess(
            Self.gnomeKeyring,
            ["--foreground", "--unlock", "--components=secrets"],
            environment: Self.variables(scratch, address),
            descriptors: [0: ends[0], 1: output, 2: output]
        )
        processes = [bus, keyring]
        try waitUntilServed()
    }

    /// What the service takes of the memory.
    var memory: ProcessMemory { get throws { try ProcessMemory(of: service.identifier) } }

    /// Ends it.
    func stop() {
        for process in processes.reversed() {
            kill(process.identifier, SIGTERM)
            _ = process.wait()
        }
    }

    private static func variables(_ scratch: Scratch, _ address: String) -> [String] {
        ["HOME=\(scratch.folder)", "XDG_RUNTIME_DIR=\(scratch.folder)", "DBUS_SESSION_BUS_ADDRESS=\(address)"]
    }

    private static func output(_ scratch: Scratch, _ name: String) throws -> Int32 {
        let output = open(scratch.path("\(name).log"), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        guard output >= 0 else { throw Failure("nothing can be written in \(scratch.folder)") }
        return output
    }

    private static func startBus(
        at address: String,
        _ scratch: Scratch,
        named name: String,
        descriptors: [Int32: Int32]
    ) throws -> ChildProcess {
        // Without the services of the system, which it would start.
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <policy context="default">
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """
        let path = scratch.path("\(name).conf")
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        return try ChildProcess(
            busDaemon,
            ["--config-file=\(path)", "--nofork", "--nopidfile"],
            environment: variables(scratch, address),
            descriptors: descriptors
        )
    }

    private func waitUntilServed() throws {
        for _ in 0..<1_000 {
            if (try? SecretServiceClient(on: address).ping()) != nil { return }
            usleep(10_000)
        }
        throw Failure("no program offers the Secret Service on \(address)")
    }
}
