// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A message bus for one test, on which anybody may do anything; it ends with the object.
package final class PrivateBus: Sendable {
    /// Its address (D-Bus Specification, "Server Addresses").
    package let address: String
    private let folder: TemporaryFolder
    private let environment: [String: String]?
    private let daemon: Mutex<Process>

    /// Starts a bus, with as much room for connections and calls as Debian's session bus has.
    ///
    /// - Parameters:
    ///   - services: a folder with files of services that the bus starts; `nil` for none.
    ///   - environment: the variables of the bus and of what it starts; `nil` for those of the test.
    /// - Throws: what keeps it from listening.
    package init(starting services: String? = nil, environment: [String: String]? = nil) throws {
        let folder = try TemporaryFolder(prefix: "bus")
        let address = "unix:path=\(folder.path(of: "bus"))"
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
              <policy context="default">
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
                <allow own="*"/>
              </policy>
              <limit name="max_completed_connections">100000</limit>
              <limit name="max_connections_per_user">100000</limit>
              <limit name="max_replies_per_connection">50000</limit>
            </busconfig>
            """
        try configuration.write(toFile: folder.path(of: "bus.conf"), atomically: true, encoding: .utf8)
        daemon = Mutex(try Self.start(folder, environment))
        (self.folder, self.address, self.environment) = (folder, address, environment)
    }

    private static func start(_ folder: TemporaryFolder, _ environment: [String: String]?) throws -> Process {
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
        daemon.arguments = ["--config-file=\(folder.path(of: "bus.conf"))", "--nofork", "--nopidfile", "--print-pid"]
        if let environment { daemon.environment = environment }
        let output = Pipe()
        daemon.standardOutput = output
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        // It says its number once it listens.
        guard let line = try output.fileHandleForReading.read(upToCount: 1), !line.isEmpty else {
            throw CocoaError(.executableLoad)
        }
        return daemon
    }

    /// Ends the bus, and starts another one at the same address.
    package func restart() throws {
        stop()
        let (folder, environment) = (folder, environment)
        try daemon.withLock { daemon in
            daemon.waitUntilExit()
            daemon = try Self.start(folder, environment)
        }
    }

    /// Ends the bus, soon.
    ///
    /// A child of a Dispatch thread inherits that it blocks all signals that can be blocked.
    package func stop() { daemon.withLock { daemon in _ = kill(daemon.processIdentifier, SIGKILL) } }

    deinit { stop() }
}
