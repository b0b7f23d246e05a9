// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainRouting
import KeychainWire

/// The message bus on which programs of this session reach the Secret Service.
enum SessionBus {
    /// The variable by which programs find it.
    static let variable = "DBUS_SESSION_BUS_ADDRESS"

    /// Whether programs find a bus already, which is left alone.
    static func isThere(_ environment: (String) -> String?) -> Bool { address(environment) != nil }

    /// The address of the bus that programs find; `nil` for none.
    static func address(_ environment: (String) -> String?) -> String? {
        if let address = environment(variable), !address.isEmpty { return address }
        // Where libraries look without the variable.
        guard let runtime = RuntimeFolder.path(environment) else { return nil }
        let bus = SocketLocation(path: "\(runtime)/bus")
        return bus.answers ? bus.busAddress : nil
    }
}

extension KeychainService {
    /// The address of the bus of the daemon, which is started if none listens.
    ///
    /// - Throws: ``Refusal``, among others if the keychain's daemon runs without a bus and is unlocked: otherwise the
    ///   new one takes its place.
    func sessionBus() throws(Refusal) -> String {
        let bus: SocketLocation
        let socket: SocketLocation
        do throws(FileError) {
            socket = try SocketLocation(of: location)
            bus = socket.bus
            // Programs trust whoever listens there.
            _ = try bus.openFolder(making: true)
        } catch {
            throw Refusal("the daemon cannot listen: \(error)")
        }
        guard bus.path.utf8.count <= SocketLocation.longestPath else {
            throw Refusal("the bus has too long a path for a socket, \(bus.path); set XDG_RUNTIME_DIR to a shorter one")
        }
        if !bus.answers {
            // The daemon is told the folder, which it then takes for one that the user named.
            do throws(FileError) { _ = try PrivateDirectory(location) } catch { throw Refusal("\(error)") }
            let launcher = DaemonLauncher(storeAt: location)
            try refusing { () throws(KeychainError) in try launcher.start(listeningAt: socket, withBus: bus) }
        }
        return bus.busAddress
    }
}
