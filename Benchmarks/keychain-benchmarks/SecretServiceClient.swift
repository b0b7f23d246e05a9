// SPDX-License-Identifier: Apache-2.0

import MessageBus

/// A program of the Secret Service, on a connection of its own.
final class SecretServiceClient {
    private let bus: Bus

    private static let service = "org.freedesktop.secrets"
    private static let root = "/org/freedesktop/secrets"
    private static let interfaces = "org.freedesktop.Secret"

    init(on address: String) throws { bus = try Bus(address: address) }

    /// The least that a call over the bus costs: one that does nothing.
    func ping() throws {
        _ = try bus.call(on: Self.service, at: Self.root, interface: "org.freedesktop.DBus.Peer", method: "Ping")
    }

    /// Opens a session without encryption.
    func openSession() throws -> String {
        let reply = try bus.call(
            on: Self.service,
            at: Self.root,
            interface: "\(Self.interfaces).Service",
            method: "OpenSession"
        ) { (call) throws(BusError) in
            try call.append("plain")
            try call.append("v", of: "s") { () throws(BusError) in try call.append("") }
        }
        guard reply.skip("v"), let session = reply.objectPath() else { throw Failure("no session was opened") }
        return session
    }

    /// Opens a session with a key agreement, as libsecret does for each program.
    func openEncryptedSession() throws {
        _ = try bus.call(
            on: Self.service,
            at: Self.root,
            interface: "\(Self.interfaces).Service",
            method: "OpenSession"
        ) { (call) throws(BusError) in
            try call.append("dh-ietf1024-sha256-aes128-cbc-pkcs7")
            // Any number between 1 and the prime is a public key.
            let key = (0..<128).map { $0 == 0 ? 0x7F : UInt8.random(in: 0...255) }
            try call.append("v", of: "ay") { () throws(BusError) in try call.append(bytes: key) }
        }
    }

    /// Finds an item by its attributes, and gets its secret.
    func read(_ item: Int, _ session: String) throws {
        let found = try bus.call(
            on: Self.service,
            at: Self.root,
            interface: "\(Self.interfaces).Service",
            method: "SearchItems"
        ) { (call) throws(BusError) in try Self.append(Item(number: item).lookup, to: call) }
        guard found.enter("a", "o"), let path = found.objectPath() else { throw Failure("the service found no item") }
        let answer = try bus.call(
            on: Self.service,
            at: path,
            interface: "\(Self.interfaces).Item",
            method: "GetSecret"
        ) { (call) throws(BusError) in try call.append(session, as: "o") }
        guard answer.enter("r", "oayays"), answer.skip("o"), answer.skip("ay"),
            answer.withBytes(\.count) == Item(number: item).secret.count
        else { throw Failure("the service answered something else") }
    }

    /// Stores an item.
    ///
    /// - Returns: Its path.
    func create(_ item: Int, _ session: String) throws -> String {
        let item = Item(number: item)
        let created = try bus.call(
            on: Self.service,
            at: "\(Self.root)/aliases/default",
            interface: "\(Self.interfaces).Collection",
            method: "CreateItem"
        ) { (call) throws(BusError) in
            try call.append("a", of: "{sv}") { () throws(BusError) in
                try call.append("e", of: "sv") { () throws(BusError) in
                    try call.append("\(Self.interfaces).Item.Label")
                    try call.append("v", of: "s") { () throws(BusError) in try call.append(item.label) }
                }
                try call.append("e", of: "sv") { () throws(BusError) in
                    try call.append("\(Self.interfaces).Item.Attributes")
                    try call.append("v", of: "a{ss}") { () throws(BusError) in try Self.append(item.lookup, to: call) }
                }
            }
            try call.append("r", of: "oayays") { () throws(BusError) in
                try call.append(session, as: "o")
                try call.append(bytes: [])
                try call.append(bytes: item.secret)
                try call.append("text/plain")
            }
            try call.append(true)
        }
        guard let path = created.objectPath(), path != "/" else { throw Failure("the service stored nothing") }
        return path
    }

    /// Deletes an item.
    func delete(_ path: String) throws {
        _ = try bus.call(on: Self.service, at: path, interface: "\(Self.interfaces).Item", method: "Delete")
    }

    private static func append(_ pairs: [(String, String)], to call: borrowing BusMessage) throws(BusError) {
        try call.append("a", of: "{ss}") { () throws(BusError) in
            for (name, value) in pairs {
                try call.append("e", of: "ss") { () throws(BusError) in
                    try call.append(name)
                    try call.append(value)
                }
            }
        }
    }
}

extension Item {
    /// Its attributes as programs of the Secret Service store them.
    var lookup: [(String, String)] { [("service", service), ("account", account)] }
}
