// SPDX-License-Identifier: Apache-2.0

import KeychainBus
import KeychainCore

/// Another program's Secret Service on a message bus, of which everything is read.
///
/// Secrets come in a session without encryption: they pass through the bus's own process only, and who can listen there
/// can ask the service itself.
final class ForeignSecretService {
    private let bus: BusClient

    /// Its name on the bus, and its object.
    private static let name = "org.freedesktop.secrets"
    private static let root = "/org/freedesktop/secrets"
    private static let service = "org.freedesktop.Secret.Service"
    private static let collection = "org.freedesktop.Secret.Collection"
    private static let item = "org.freedesktop.Secret.Item"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// What ends with the session of the user (Secret Service API, "Collection").
    private static let temporary = "\(root)/collection/session"

    /// How long a person may take to unlock something.
    private static let promptMilliseconds: Int32 = 600_000

    /// Finds the service on a bus, which starts it if it can.
    init(at address: String) throws(Refusal) {
        do throws(BusClientError) {
            bus = try BusClient(address)
        } catch { throw Refusal("\(error)") }
        do throws(BusClientError) {
            let owned = try bus.callDriver("NameHasOwner", Self.name)
            // A bus starts only what it has a file for, and refuses others that run.
            guard try owned.values("b", { (reader) throws(BusFailure) in try reader.number() }) == 0 else { return }
            _ = try bus.call(
                "StartServiceByName",
                of: BusNames.driver,
                at: BusNames.driverPath,
                on: BusNames.driver,
                signature: "su"
            ) { writer in
                writer.append(Self.name)
                writer.append(UInt32(0))
            }
        } catch {
            throw Refusal(
                "no program on the message bus has the name \(Self.name), and none is started for it: \(error)"
            )
        }
    }

    /// The process that serves.
    func process() throws(Refusal) -> Int32 {
        try refusingOnBus { () throws(BusClientError) in
            let reply = try bus.callDriver("GetConnectionUnixProcessID", Self.name)
            let process = try reply.values("u") { (reader) throws(BusFailure) in try reader.number() }
            return Int32(clamping: process)
        }
    }

    // MARK: - Reading

    /// Reads everything, or some collections.
    ///
    /// - Parameters:
    ///   - names: the labels or the last elements of the paths of collections; none for all.
    ///   - unlocks: whether the service is asked to unlock what is locked, for which it asks the user.
    /// - Returns: What there is.
    /// - Throws: ``Refusal``, among others for a collection that there is not.
    func items(of names: [String], unlocking unlocks: Bool) throws(Refusal) -> ForeignItems {
        var collections = try collections()
        let known = collections.map { $0.label.isEmpty ? $0.lastElement : $0.label }
        if !names.isEmpty {
            for name in names where !collections.contains(where: { $0.isCalled(name) }) {
                throw Refusal(
                    "the service has no collection '\(name)'; it has \(known.map(\.printable).joined(separator: ", "))"
                )
            }
            collections = collections.filter { collection in names.contains { collection.isCalled($0) } }
        }
        return try refusingOnBus { () throws(BusClientError) in
            var locked = collections.filter(\.isLocked).map(\.path)
            if unlocks, !locked.isEmpty {
                try unlock(locked)
                collections = try collections.map { (old) throws(BusClientError) in try collection(at: old.path) }
            }
            let session = try openSession()
            var found = ForeignItems()
            var lockedItems: [(String, ForeignCollection)] = []
            for collection in collections {
                if collection.path == Self.temporary {
                    found.temporaryCount += collection.items.count
                } else if collection.isLocked {
                    found.lockedCollections.append((collection.name, collection.items.count))
                } else {
                    for path in collection.items {
                        let isOpen = try read(path, of: collection, session, into: &found)
                        if !isOpen { lockedItems.append((path, collection)) }
                    }
                }
            }
            locked = lockedItems.map(\.0)
            if unlocks, !locked.isEmpty { try unlock(locked) }
            for (path, collection) in lockedItems {
                if unlocks, try read(path, of: collection, session, into: &found) { continue }
                found.lockedItems.append((try properties(of: path).label, collection.name))
            }
            return found
        }
    }

    /// A collection.
    private struct ForeignCollection {
        let path: String
        var label = ""
        var isLocked = false
        var items: [String] = []

        /// What clients call it: the last element of its path.
        var lastElement: String { path.split(separator: "/").last.map(String.init) ?? "" }

        /// What people see.
        var name: String { label.isEmpty ? lastElement : label }

        func isCalled(_ name: String) -> Bool { label.hasSameBytes(as: name) || lastElement.hasSameBytes(as: name) }
    }

    private func collections() throws(Refusal) -> [ForeignCollection] {
        try refusingOnBus { () throws(BusClientError) in
            let reply = try bus.call("Get", of: Self.properties, at: Self.root, on: Self.name, signature: "ss") {
                $0.append(Self.service)
                $0.append("Collections")
            }
            let paths = try reply.values("v") { (reader) throws(BusFailure) in
                guard try reader.variant() == "ao" else { throw .malformed }
                return try reader.strings()
            }
            return try paths.map { (path) throws(BusClientError) in try collection(at: path) }
        }
    }

    private func collection(at path: String) throws(BusClientError) -> ForeignCollection {
        var collection = ForeignCollection(path: path)
        try allProperties(of: path, Self.collection) { (reader, name, types) throws(BusFailure) in
            switch (name, types) {
            case ("Label", "s"): collection.label = try reader.string()
            case ("Locked", "b"): collection.isLocked = try reader.number() != 0
            case ("Items", "ao"): collection.items = try reader.strings()
            default: try reader.skip(types)
            }
        }
        return collection
    }

    /// What is known of an item without its secret.
    private struct ItemProperties {
        var isLocked = false
        var label = ""
        var pairs: [LookupAttributes.Pair] = []
        var created: Timestamp?
        var modified: Timestamp?
    }

    private func properties(of path: String) throws(BusClientError) -> ItemProperties {
        var properties = ItemProperties()
        try allProperties(of: path, Self.item) { (reader, name, types) throws(BusFailure) in
            switch (name, types) {
            case ("Locked", "b"): properties.isLocked = try reader.number() != 0
            case ("Label", "s"): properties.label = try reader.string()
            case ("Attributes", "a{ss}"):
                try reader.array(alignedTo: 8) { (reader) throws(BusFailure) in
                    properties.pairs.append(LookupAttributes.Pair(try reader.string(), try reader.string()))
                }
            case ("Created", "t"): properties.created = Timestamp(secondsSince1970: try reader.wideNumber())
            case ("Modified", "t"): properties.modified = Timestamp(secondsSince1970: try reader.wideNumber())
            default: try reader.skip(types)
            }
        }
        return properties
    }

    private func allProperties(
        of path: String,
        _ interface: String,
        _ read: (inout BusValueReader, String, String) throws(BusFailure) -> Void
    ) throws(BusClientError) {
        let reply = try bus.call("GetAll", of: Self.properties, at: path, on: Self.name, signature: "s") {
            $0.append(interface)
        }
        try reply.values("a{sv}") { (reader) throws(BusFailure) in try reader.properties(read) }
    }

    /// Reads an item, unless it is gone; `false` for one that is locked.
    private func read(
        _ path: String,
        of collection: ForeignCollection,
        _ session: String,
        into found: inout ForeignItems
    ) throws(BusClientError) -> Bool {
        var properties = ItemProperties()
        let secret: (SecretBytes, contentType: String)
        do throws(BusClientError) {
            properties = try self.properties(of: path)
            guard !properties.isLocked else { return false }
            secret = try self.secret(of: path, session)
        } catch {
            switch error {
            case .refused("org.freedesktop.Secret.Error.IsLocked"): return false
            case .refused("org.freedesktop.Secret.Error.NoSuchObject"),
                .refused("org.freedesktop.DBus.Error.UnknownMethod"),
                .refused("org.freedesktop.DBus.Error.UnknownObject"):
                // It was deleted meanwhile.
                return true
            case .refused(let name):
                found.unreadable.append((properties.label, "the service answers \(name)"))
                return true
            default: throw error
            }
        }
        let attributes: LookupAttributes
        do { attributes = try LookupAttributes(properties.pairs) } catch {
            found.unreadable.append((properties.label, error.reason))
            return true
        }
        let contents = LookupContents(
            attributes: attributes,
            label: properties.label,
            secret: secret.0,
            contentType: secret.contentType,
            created: properties.created,
            modified: properties.modified
        )
        found.items.append(ForeignItem(path: path, collection: collection.name, contents: contents))
        return true
    }

    // MARK: - Secrets and locks

    private func openSession() throws(BusClientError) -> String {
        let reply = try bus.call("OpenSession", of: Self.service, at: Self.root, on: Self.name, signature: "sv") {
            $0.append("plain")
            $0.append(signature: "s")
            $0.append("")
        }
        return try reply.values("vo") { (reader) throws(BusFailure) in
            try reader.skip(try reader.variant())
            return try reader.string()
        }
    }

    private func secret(
        of path: String,
        _ session: String
    ) throws(BusClientError) -> (SecretBytes, contentType: String) {
        let reply = try bus.call("GetSecret", of: Self.item, at: path, on: Self.name, signature: "o") {
            $0.append(session)
        }
        return try reply.values("(oayays)") { (reader) throws(BusFailure) in
            _ = try reader.string()
            _ = try reader.byteArray()
            let secret = SecretBytes(copying: try reader.byteArray())
            return (secret, try reader.string())
        }
    }

    /// Has the service unlock objects, and waits until the user has answered it.
    private func unlock(_ paths: [String]) throws(BusClientError) {
        let reply = try bus.call("Unlock", of: Self.service, at: Self.root, on: Self.name, signature: "ao") {
            $0.append(paths)
        }
        let prompt = try reply.values("aoo") { (reader) throws(BusFailure) in
            _ = try reader.strings()
            return try reader.string()
        }
        guard prompt != "/" else { return }
        let interface = "org.freedesktop.Secret.Prompt"
        _ = try bus.callDriver(
            "AddMatch",
            "type='signal',sender='\(Self.name)',interface='\(interface)',path='\(prompt)'"
        )
        _ = try bus.call("Prompt", of: interface, at: prompt, on: Self.name, signature: "s") { $0.append("") }
        // What was unlocked is read again, whatever the answer says.
        _ = try bus.signal("Completed", at: prompt, milliseconds: Self.promptMilliseconds)
    }

    private func refusingOnBus<Value>(_ body: () throws(BusClientError) -> Value) throws(Refusal) -> Value {
        do throws(BusClientError) { return try body() } catch { throw Refusal("\(error)") }
    }
}

extension Timestamp {
    /// A time of the Secret Service, where 0 is one that is not known; `nil` for that, and after the year 9999.
    fileprivate init?(secondsSince1970 seconds: UInt64) {
        guard (1..<253_402_300_800).contains(seconds) else { return nil }
        self.init(secondsSinceReferenceDate: Double(seconds) - Self.referenceDateSince1970)
    }
}
