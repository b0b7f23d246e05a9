// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import MessageBus

@testable import KeychainSecretService

/// A program on the bus, with a connection of its own, which gets the signals of the service.
final class TestClient {
    let bus: Bus
    /// Ends what waits for a signal that does not come.
    private let limit: Int32
    /// The service and its bus end with their object.
    private let front: AnyObject

    /// How long a machine under load may take for an answer.
    private static let longestSeconds = 600

    static let service = "org.freedesktop.secrets"
    static let root = "/org/freedesktop/secrets"
    static let login = "\(root)/collection/login"
    static let byDefault = "\(root)/aliases/default"

    init(at address: String, of front: AnyObject) throws {
        self.front = front
        bus = try Bus(address: address)
        bus.callTimeoutMicroseconds = UInt64(Self.longestSeconds) * 1_000_000
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BusError(-errno) }
        limit = ends[0]
        let other = ends[1]
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.longestSeconds)) { close(other) }
        _ = try bus.callDriver("AddMatch", "type='signal',sender='\(Self.service)'")
    }

    deinit { close(limit) }

    /// What came of a call: what was read of its reply, or the name of the error.
    func call<Value>(
        _ path: String,
        of interface: Interface,
        calling method: String,
        _ arguments: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in },
        reading read: (borrowing BusMessage) -> Value?
    ) throws -> Value {
        let reply = try bus.call(
            on: Self.service,
            at: path,
            interface: interface.rawValue,
            method: method,
            arguments
        )
        guard let value = read(reply) else { throw UnreadableReply() }
        return value
    }

    /// A reply that has other types than it should have.
    struct UnreadableReply: Error {}

    /// Calls a method that returns nothing.
    func send(
        _ path: String,
        of interface: Interface,
        calling method: String,
        _ arguments: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
    ) throws {
        try call(path, of: interface, calling: method, arguments) { $0.has(signature: "") ? () : nil }
    }

    /// The text of the error with which a call fails; `nil` if it does not.
    func errorText(
        at path: String,
        of interface: Interface,
        calling method: String,
        with arguments: (borrowing BusMessage) throws(BusError) -> Void
    ) throws -> String? {
        let call = try bus.methodCall(on: Self.service, at: path, interface: interface.rawValue, method: method)
        try arguments(call)
        _ = try bus.sendCall(call)
        return try nextReply().flatMap { $0.isError ? $0.text : nil }
    }

    /// The next reply to a call that was only sent, and its text if it is an error; `nil` if none comes for long.
    func nextReply() throws -> (isError: Bool, text: String?)? {
        while true {
            while let message = try bus.next() {
                guard message.replyNumber != nil else { continue }
                return (message.isError, message.isError ? message.string() : nil)
            }
            if try bus.wait(or: limit) { return nil }
        }
    }

    // MARK: - Service

    /// Opens a session for secrets as they are.
    func openSession() throws -> String {
        try call(Self.root, of: .service, calling: "OpenSession") { call throws(BusError) in
            try call.append("plain")
            try call.append("v", of: "s") { () throws(BusError) in try call.append("") }
        } reading: { reply in
            guard reply.enter("v", "s"), reply.string()?.isEmpty == true else { return nil }
            reply.leave()
            return reply.objectPath()
        }
    }

    /// Opens a session by an agreement on keys, with what this side publishes.
    func openSession(_ published: [UInt8]) throws -> (published: [UInt8], path: String) {
        try call(Self.root, of: .service, calling: "OpenSession") { call throws(BusError) in
            try call.append("dh-ietf1024-sha256-aes128-cbc-pkcs7")
            try call.append("v", of: "ay") { () throws(BusError) in try call.append(bytes: published) }
        } reading: { reply in
            guard reply.enter("v", "ay"), let bytes = reply.withBytes({ Array($0) }) else { return nil }
            reply.leave()
            return reply.objectPath().map { (bytes, $0) }
        }
    }

    /// The items that have some attributes: open ones, and locked ones.
    func search(_ attributes: KeyValuePairs<String, String>) throws -> (open: [String], locked: [String]) {
        try call(Self.root, of: .service, calling: "SearchItems") { call throws(BusError) in
            try call.append(try Self.attributes(attributes))
        } reading: { reply in
            guard let open = try? reply.objectPaths(), let locked = try? reply.objectPaths() else { return nil }
            return (open, locked)
        }
    }

    /// Only sends a search.
    ///
    /// - Returns: The number of the call.
    @discardableResult
    func sendSearch(_ attributes: LookupAttributes = LookupAttributes()) throws -> UInt64 {
        let search = try bus.methodCall(
            on: Self.service,
            at: Self.root,
            interface: Interface.service.rawValue,
            method: "SearchItems"
        )
        try search.append(attributes)
        return try bus.sendCall(search)
    }

    /// Only has objects opened or locked.
    ///
    /// - Returns: The number of the call.
    func sendChange(_ method: String, _ paths: [String]) throws -> UInt64 {
        let call = try bus.methodCall(
            on: Self.service,
            at: Self.root,
            interface: Interface.service.rawValue,
            method: method
        )
        try call.append(array: paths, of: "o")
        return try bus.sendCall(call)
    }

    /// Opens or locks objects: those that needed nothing more, and the prompt.
    func change(_ method: String, _ paths: [String]) throws -> (paths: [String], prompt: String) {
        try call(Self.root, of: .service, calling: method) { call throws(BusError) in
            try call.append(array: paths, of: "o")
        } reading: { reply in
            guard let paths = try? reply.objectPaths(), let prompt = reply.objectPath() else { return nil }
            return (paths, prompt)
        }
    }

    func secrets(_ paths: [String], session: String) throws -> [String: [UInt8]] {
        try call(Self.root, of: .service, calling: "GetSecrets") { call throws(BusError) in
            try call.append(array: paths, of: "o")
            try call.append(session, as: "o")
        } reading: { reply in
            var secrets: [String: [UInt8]] = [:]
            guard reply.enter("a", "{o(oayays)}") else { return nil }
            while reply.enter("e", "o(oayays)") {
                guard let path = reply.objectPath(), let secret = try? reply.secret() else { return nil }
                secrets[path] = secret.coded.value.unprotectedCopy
                reply.leave()
            }
            return secrets
        }
    }

    /// Only asks for secrets.
    func sendSecrets(_ paths: [String], session: String) throws {
        let call = try bus.methodCall(
            on: Self.service,
            at: Self.root,
            interface: Interface.service.rawValue,
            method: "GetSecrets"
        )
        try call.append(array: paths, of: "o")
        try call.append(session, as: "o")
        _ = try bus.sendCall(call)
    }

    /// Asks for a new collection: its path, or the prompt that creates it.
    func createCollection(_ label: String, alias: String = "") throws -> (collection: String, prompt: String) {
        try call(Self.root, of: .service, calling: "CreateCollection") { call throws(BusError) in
            try call.append("a", of: "{sv}") { () throws(BusError) in
                try call.append("e", of: "sv") { () throws(BusError) in
                    try call.append("org.freedesktop.Secret.Collection.Label")
                    try call.append(PropertyContent.text(label))
                }
            }
            try call.append(alias)
        } reading: { reply in
            guard let collection = reply.objectPath(), let prompt = reply.objectPath() else { return nil }
            return (collection, prompt)
        }
    }

    func readAlias(_ alias: String) throws -> String {
        try call(Self.root, of: .service, calling: "ReadAlias") { call throws(BusError) in
            try call.append(alias)
        } reading: {
            $0.objectPath()
        }
    }

    func setAlias(_ alias: String, to path: String) throws {
        try send(Self.root, of: .service, calling: "SetAlias") { call throws(BusError) in
            try call.append(alias)
            try call.append(path, as: "o")
        }
    }

    /// Shows a prompt.
    func show(_ prompt: String) throws {
        try send(prompt, of: .prompt, calling: "Prompt") { call throws(BusError) in try call.append("") }
    }

    // MARK: - Items

    /// Stores an item: its path.
    func store(
        _ attributes: KeyValuePairs<String, String>,
        _ secret: String,
        session: String,
        label: String = "a label",
        replacing: Bool = true,
        in collection: String = byDefault
    ) throws -> String {
        try call(collection, of: .collection, calling: "CreateItem") { call throws(BusError) in
            let attributes = try Self.attributes(attributes)
            try call.append("a", of: "{sv}") { () throws(BusError) in
                try call.append("e", of: "sv") { () throws(BusError) in
                    try call.append("org.freedesktop.Secret.Item.Label")
                    try call.append(PropertyContent.text(label))
                }
                try call.append("e", of: "sv") { () throws(BusError) in
                    try call.append("org.freedesktop.Secret.Item.Attributes")
                    try call.append(PropertyContent.attributes(attributes))
                }
            }
            try call.append(SentSecret(plain: secret, session: session))
            try call.append(replacing)
        } reading: { reply in
            guard let path = reply.objectPath(), reply.objectPath() == "/" else { return nil }
            return path
        }
    }

    /// The secret of an item, as it is in the message, and its content type.
    func secret(_ item: String, session: String) throws -> ReceivedSecret {
        try call(item, of: .item, calling: "GetSecret") { call throws(BusError) in
            try call.append(session, as: "o")
        } reading: {
            try? $0.secret()
        }
    }

    func setSecret(_ item: String, _ secret: SentSecret) throws {
        try send(item, of: .item, calling: "SetSecret") { call throws(BusError) in try call.append(secret) }
    }

    func delete(_ item: String) throws {
        let prompt = try call(item, of: .item, calling: "Delete", reading: { $0.objectPath() })
        guard prompt == "/" else { throw UnreadableReply() }
    }

    /// A property that is a text.
    func text(_ name: String, of path: String, _ interface: Interface) throws -> String {
        try property(name, of: path, interface) { $0.enter("v", "s") ? $0.string() : nil }
    }

    /// A property that is a boolean.
    func boolean(_ name: String, of path: String, _ interface: Interface) throws -> Bool {
        try property(name, of: path, interface) { $0.enter("v", "b") ? $0.bool() : nil }
    }

    /// A property that is a list of objects.
    func paths(_ name: String, of path: String, _ interface: Interface) throws -> [String] {
        try property(name, of: path, interface) { $0.enter("v", "ao") ? try? $0.objectPaths() : nil }
    }

    func attributes(of item: String) throws -> [String] {
        try property("Attributes", of: item, .item) {
            guard $0.enter("v", "a{ss}"), let attributes = try? $0.attributes() else { return nil }
            return attributes.pairs.map { "\($0.name)=\($0.value)" }
        }
    }

    func property<Value>(
        _ name: String,
        of path: String,
        _ interface: Interface,
        reading read: (borrowing BusMessage) -> Value?
    ) throws -> Value {
        try call(
            path,
            of: .properties,
            calling: "Get",
            { call throws(BusError) in
                try call.append(interface.rawValue)
                try call.append(name)
            },
            reading: read
        )
    }

    /// Reads all properties of an object, which it then follows.
    func readAll(_ path: String, _ interface: Interface) throws {
        try call(path, of: .properties, calling: "GetAll") { call throws(BusError) in
            try call.append(interface.rawValue)
        } reading: {
            $0.enter("a", "{sv}") ? () : nil
        }
    }

    func set(_ name: String, of path: String, _ interface: Interface, to content: PropertyContent) throws {
        try send(path, of: .properties, calling: "Set") { call throws(BusError) in
            try call.append(interface.rawValue)
            try call.append(name)
            try call.append(content)
        }
    }

    // MARK: - Signals

    /// The signals of the service that came before the reply to the last call.
    func queuedSignals() throws -> [Received] {
        var signals: [Received] = []
        while let message = try bus.next() {
            if let signal = received(message) { signals.append(signal) }
        }
        return signals
    }

    /// The signals of the service that come before the reply to a call that was only sent; all that came if there is
    /// none for long.
    func signals(before number: UInt64) throws -> [Received] {
        var signals: [Received] = []
        while true {
            while let message = try bus.next() {
                if message.replyNumber == number { return signals }
                if let signal = received(message) { signals.append(signal) }
            }
            if try bus.wait(or: limit) { return signals }
        }
    }

    /// What a signal of the service is, and the object that it is of.
    struct Received: Equatable {
        let name: String
        let path: String
        /// The first object that it carries, or what it says of a prompt.
        let content: String
    }

    /// The next signal of the service; `nil` if none comes for long.
    func nextSignal() throws -> Received? {
        while true {
            while let message = try bus.next() {
                if let signal = received(message) { return signal }
            }
            if try bus.wait(or: limit) { return nil }
        }
    }

    /// `nil` for what is no signal of the service.
    private func received(_ message: borrowing BusMessage) -> Received? {
        guard message.isSignal, message.name.hasPrefix("org.freedesktop.Secret") || isOfProperties(message) else {
            return nil
        }
        return Received(name: message.member, path: message.path, content: Self.content(of: message))
    }

    private func isOfProperties(_ message: borrowing BusMessage) -> Bool {
        message.name == "org.freedesktop.DBus.Properties.PropertiesChanged"
    }

    private static func content(of message: borrowing BusMessage) -> String {
        switch message.member {
        case "Completed":
            let isDismissed = message.bool()
            let end = isDismissed == true ? "dismissed" : "done"
            if message.typesOfVariant() == "o", message.enter("v", "o") {
                return "\(end) \(message.objectPath() ?? "")"
            }
            guard message.enter("v", "ao"), let paths = try? message.objectPaths() else { return "no paths" }
            return "\(end) \(paths.joined(separator: " "))"
        case "PropertiesChanged":
            _ = message.string()
            var names: [String] = []
            guard message.enter("a", "{sv}") else { return "" }
            while message.enter("e", "sv") {
                names.append(message.string() ?? "")
                _ = message.skip("v")
                message.leave()
            }
            return names.joined(separator: " ")
        default: return message.objectPath() ?? ""
        }
    }

    private static func attributes(_ pairs: KeyValuePairs<String, String>) throws(BusError) -> LookupAttributes {
        do { return try LookupAttributes(pairs.map { LookupAttributes.Pair($0.key, $0.value) }) } catch {
            throw BusError(-EINVAL)
        }
    }
}

extension ItemIdentifier {
    /// That of the item at a path.
    init?(ofPath path: String) {
        guard case .item(_, let identifier)? = ObjectPath(path) else { return nil }
        self = identifier
    }
}

extension SentSecret {
    /// A secret as it is.
    init(plain text: String, session: String, contentType: String = "text/plain") {
        self.init(
            session: session,
            coded: CodedSecret(parameters: [], value: SecretBytes(Array(text.utf8))),
            contentType: contentType
        )
    }
}
