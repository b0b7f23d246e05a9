// SPDX-License-Identifier: Apache-2.0

import KeychainBus
import KeychainTestSupport

/// A bus for one test, which ends with the object.
final class TestBus: Sendable {
    static let service = "org.example.Service"

    let bus: BusServer
    let path: String
    private let folder: TemporaryFolder

    init(_ change: (inout BusOptions) -> Void = { _ in }) throws {
        folder = try TemporaryFolder(prefix: "bus")
        path = folder.path(of: "bus")
        var options = BusOptions()
        change(&options)
        bus = try BusServer(path: path, reserving: [Self.service], options: options)
        try bus.start()
    }

    deinit { bus.stop() }

    /// A program that is connected, and has its name.
    func client() throws -> RawClient {
        let client = try RawClient(connectingTo: path)
        try client.begin()
        return client
    }

    /// A connection of the service, which has its name.
    func serviceClient() throws -> RawClient {
        let client = RawClient(taking: try bus.connect())
        try client.begin()
        return client
    }
}
