// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import MessageBus

/// What the methods do. A call is refused before anything is changed if its arguments are not those of its method.
extension SecretService {
    /// Carries out a call, or begins to.
    func carryOut(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        if call.message.interface == Interface.introspectable.rawValue,
            call.message.member == Method.introspect.row.name
        {
            return try introspect(call, store)
        }
        if let portal, SecretPortal.has(call.message.path) { return try carryOut(call, store, for: portal) }
        guard let object = ObjectPath(call.message.path) else { throw .noSuchObject }
        let method = try Method(call.message.interface, call.message.member, of: Interface(of: object))
        guard call.message.has(signature: method.row.signature) else { throw .invalidArguments }
        switch (method, object) {
        case (.openSession, _): try openSession(call, store)
        case (.createCollection, _): try createCollection(call, store)
        case (.searchItems, _): try searchItems(call, store)
        case (.unlock, _): try unlock(call, store)
        case (.lock, _): try lock(call, store)
        case (.getSecrets, _): try getSecrets(call, store)
        case (.readAlias, _): try readAlias(call, store)
        case (.setAlias, _): try setAlias(call, store)
        case (.deleteCollection, _): delete(collection: object, call, store)
        case (.searchCollection, _): try search(in: object, call, store)
        case (.createItem, _): try createItem(in: object, call, store)
        case (.deleteItem, .item(let collection, let item)): delete(item: item, in: collection, call, store)
        case (.getSecret, .item(let collection, let item)): try getSecret(of: item, in: collection, call, store)
        case (.setSecret, .item(let collection, let item)): try setSecret(of: item, in: collection, call, store)
        case (.closeSession, .session(let session)): try close(session: session, call, store)
        case (.prompt, .prompt(let prompt)): try show(prompt: prompt, call, store)
        case (.dismiss, .prompt(let prompt)): try dismiss(prompt: prompt, call, store)
        case (.getProperty, _): try getProperty(of: object, call, store)
        case (.getAllProperties, _): try getAllProperties(of: object, call, store)
        case (.setProperty, _): try setProperty(of: object, call, store)
        default: throw .unknownMethod
        }
    }

    private func introspect(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard call.message.has(signature: Method.introspect.row.signature) else { throw .invalidArguments }
        guard let text = Introspection.text(of: call.message.path) else { throw .unknownObject }
        // In its turn: a program that does not read the text gets no further one.
        work(for: call, store) { _ throws(ServiceError) in
            text
        } then: { service, number, text in
            service.answer(number) { reply throws(BusError) in try reply.append(text) }
        }
    }

    // MARK: - Sessions

    private func openSession(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard let name = call.message.name() else { throw .invalidArguments }
        guard let algorithm = SecretCoding.Algorithm(rawValue: name) else { throw .notSupported }
        let input = try call.message.variantBytesOrText(atMost: KeyPair.byteCount + 1)
        switch (algorithm, input) {
        case (.plain, nil):
            let session = try addSession(.plain, of: call.client, store)
            answer(call.number) { reply throws(BusError) in
                try reply.append("v", of: "s") { () throws(BusError) in try reply.append("") }
                try reply.append(ObjectPath.session(session).text, as: "o")
            }
        case (.keyAgreement, let key?):
            try checkRoom(forSessionOf: call.client, store)
            work(for: call, store) { _ throws(ServiceError) in
                let pair = try KeyPair()
                return (pair.published, try pair.sharedKey(with: key))
            } then: { service, number, agreed in
                service.answerKeyAgreement(number, published: agreed.0, .encrypted(agreed.1))
            }
        case (.plain, .some), (.keyAgreement, nil): throw .invalidArguments
        }
    }

    private func answerKeyAgreement(_ number: UInt64, published: [UInt8], _ coding: SecretCoding) {
        guard let client = calls[number]?.client, let store = client.store else { return }
        do throws(ServiceError) {
            let session = try addSession(coding, of: client, store)
            answer(number) { reply throws(BusError) in
                try reply.append("v", of: "ay") { () throws(BusError) in try reply.append(bytes: published) }
                try reply.append(ObjectPath.session(session).text, as: "o")
            }
        } catch { refuse(number, error) }
    }

    private func checkRoom(forSessionOf client: ServiceClient, _ store: ProgramStore) throws(ServiceError) {
        guard client.sessions.count < surroundings.options.limits.sessions.ofConnection,
            sessionCounts.hasRoom(for: store.connection.share)
        else { throw .limitsExceeded }
    }

    private func addSession(
        _ coding: SecretCoding,
        of client: ServiceClient,
        _ store: ProgramStore
    ) throws(ServiceError) -> Bytes16 {
        try checkRoom(forSessionOf: client, store)
        guard sessionCounts.begin(store.connection.share) else { throw .limitsExceeded }
        let session = Bytes16.random()
        client.sessions[session] = coding
        return session
    }

    private func close(session: Bytes16, _ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        guard call.client.sessions.removeValue(forKey: session) != nil else { throw .noSession }
        sessionCounts.end(store.connection.share)
        answer(call.number)
    }

    /// How secrets are coded for a session of a client.
    private func coding(_ path: String, of client: ServiceClient) throws(ServiceError) -> SecretCoding {
        guard case .session(let session)? = ObjectPath(path), let coding = client.sessions[session] else {
            throw .noSession
        }
        return coding
    }

    // MARK: - Searches and secrets

    private func searchItems(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let attributes = try call.message.attributes()
        try hold(attributes.byteCount, for: call, store)
        let size = { @Sendable (found: ([String], [String])) in ObjectPath.byteCount(of: found.0 + found.1) }
        work(for: call, store, ofSize: size) { store throws(ServiceError) in
            var found: [(path: String, isLocked: Bool)] = []
            for collection in try store.collections() {
                let matches: [LookupMatch]
                do throws(ServiceError) { matches = try store.search(attributes, in: collection) } catch {
                    // A keychain file may have been deleted or damaged since.
                    guard collection.isFile else { throw error }
                    continue
                }
                found += matches.map { (ObjectPath.item(collection, $0.identifier).text, $0.isLocked) }
            }
            return (found.filter { !$0.isLocked }.map(\.path), found.filter(\.isLocked).map(\.path))
        } then: { service, number, found in
            service.answer(number) { reply throws(BusError) in
                try reply.append(array: found.0, of: "o")
                try reply.append(array: found.1, of: "o")
            }
        }
    }

    private func search(
        in object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        let attributes = try call.message.attributes()
        try hold(attributes.byteCount, for: call, store)
        let size = { @Sendable (found: [String]) in ObjectPath.byteCount(of: found) }
        work(for: call, store, ofSize: size) { store throws(ServiceError) in
            let collection = try store.collection(at: object)
            return try store.search(attributes, in: collection).map { ObjectPath.item(collection, $0.identifier).text }
        } then: { service, number, found in
            service.answer(number) { reply throws(BusError) in try reply.append(array: found, of: "o") }
        }
    }

    private func getSecrets(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let paths = try call.message.objectPaths()
        guard let session = call.message.objectPath() else { throw .invalidArguments }
        let coding = try coding(session, of: call.client)
        try hold(paths.count * ObjectPath.maximumByteCount, for: call, store)
        let size = { @Sendable (secrets: [(String, SentSecret)]) in secrets.reduce(0) { $0 + $1.1.byteCount } }
        work(for: call, store, ofSize: size) { store throws(ServiceError) in
            var secrets: [(String, SentSecret)] = []
            var byteCount = 0
            for (collection, items) in ObjectPath.items(paths) {
                for secret in try store.secretsOfAny(items, in: collection) {
                    byteCount += secret.secret.count
                    guard byteCount <= BusMessage.mostBytes else { throw .limitsExceeded }
                    secrets.append(
                        (
                            ObjectPath.item(collection, secret.identifier).text,
                            try SentSecret(secret, for: session, coding)
                        )
                    )
                }
            }
            return secrets
        } then: { service, number, secrets in
            service.answer(number) { reply throws(BusError) in
                try reply.append("a", of: "{o(\(BusMessage.secretTypes))}") { () throws(BusError) in
                    for (path, secret) in secrets {
                        try reply.append("e", of: "o(\(BusMessage.secretTypes))") { () throws(BusError) in
                            try reply.append(path, as: "o")
                            try reply.append(secret)
                        }
                    }
                }
            }
        }
    }

    private func getSecret(
        of item: ItemIdentifier,
        in collection: CollectionName,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        guard let session = call.message.objectPath() else { throw .invalidArguments }
        let coding = try coding(session, of: call.client)
        let size = { @Sendable (secret: SentSecret) in secret.byteCount }
        work(for: call, store, ofSize: size) { store throws(ServiceError) in
            try SentSecret(try store.secret(item, in: collection), for: session, coding)
        } then: { service, number, secret in
            service.answer(number) { reply throws(BusError) in try reply.append(secret) }
        }
    }

    // MARK: - Changes

    private func createItem(
        in object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        let properties = try call.message.itemProperties()
        let received = try call.message.secret()
        guard let isReplacing = call.message.bool() else { throw .invalidArguments }
        let coding = try coding(received.session, of: call.client)
        try hold(received.byteCount + properties.byteCount, for: call, store)
        work(for: call, store) { store throws(ServiceError) in
            let contents = LookupContents(
                attributes: properties.attributes ?? LookupAttributes(),
                label: properties.label ?? "",
                secret: try coding.decode(received.coded),
                contentType: received.contentType
            )
            let collection = try store.collection(at: object)
            let item = try store.store(contents, replacing: isReplacing, in: collection).identifier
            return ObjectPath.item(collection, item)
        } then: { service, number, item in
            service.answer(number) { reply throws(BusError) in
                try reply.append(item.text, as: "o")
                try reply.append(ObjectPath.none, as: "o")
            }
            service.refreshFiles()
        }
    }

    private func setSecret(
        of item: ItemIdentifier,
        in collection: CollectionName,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        let received = try call.message.secret()
        let coding = try coding(received.session, of: call.client)
        try hold(received.byteCount, for: call, store)
        change(item: item, in: collection, call, store) { () throws(ServiceError) in
            .secret(try coding.decode(received.coded), contentType: received.contentType)
        }
    }

    private func delete(
        item: ItemIdentifier,
        in collection: CollectionName,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) {
        work(for: call, store) { store throws(ServiceError) in
            try store.delete(item, in: collection)
        } then: { service, number, _ in
            service.answer(number) { reply throws(BusError) in try reply.append(ObjectPath.none, as: "o") }
            service.refreshFiles()
        }
    }

    private func change(
        item: ItemIdentifier,
        in collection: CollectionName,
        _ call: ServiceCall,
        _ store: ProgramStore,
        by change: @escaping @Sendable () throws(ServiceError) -> LookupChange
    ) {
        work(for: call, store) { store throws(ServiceError) in
            try store.change(item, try change(), in: collection)
        } then: { service, number, _ in
            service.answer(number)
            service.refreshFiles()
        }
    }

    /// Counts what was read of a call as the program's, until it is answered.
    func hold(_ byteCount: Int, for call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        call.held = try asServiceError { () throws(KeychainError) in try store.connection.hold(byteCount) }
    }

    // MARK: - Properties

    private func getProperty(
        of object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        guard let interface = call.message.name(), let name = call.message.name() else { throw .invalidArguments }
        let property = try Property(interface, name, of: Interface(of: object))
        read(properties: [property], of: object, call, store) { service, number, read in
            service.answer(number) { reply throws(BusError) in
                for (_, content) in read { try reply.append(content) }
            }
        }
    }

    private func getAllProperties(
        of object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        guard let interface = call.message.name() else { throw .invalidArguments }
        let properties = try Property.all(interface, of: Interface(of: object))
        // What changes from now on may be missing in what is read.
        call.client.told.addWhole(object)
        read(properties: properties, of: object, call, store) { service, number, read in
            service.answer(number) { reply throws(BusError) in try reply.append(read) }
        }
    }

    private func read(
        properties: [Property],
        of object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore,
        then finish: @escaping @Sendable (SecretService, UInt64, [(Property, PropertyContent)]) -> Void
    ) {
        let times = CollectionTimes(started: surroundings.started, modified: modified)
        let (asked, lockChangeCount) = (object, lockChangeCount)
        let size = { @Sendable (found: (ObjectPath, [(Property, PropertyContent)])) in
            found.1.reduce(0) { $0 + $1.1.byteCount }
        }
        work(for: call, store, ofSize: size) { store throws(ServiceError) in
            let object = try store.resolved(asked)
            return (object, try PropertyReading.read(properties, of: object, in: store, times))
        } then: { service, number, found in
            let (object, read) = found
            if let client = service.calls[number]?.client {
                // All of them were read, of the collection that an alias stands for.
                if asked != object, read.count > 1 { client.told.addWhole(object) }
                client.told.note(read, of: object)
                // What was read may be from before a lock that is announced already.
                if service.lockChangeCount != lockChangeCount { service.updateItems(of: client) }
            }
            finish(service, number, read)
        }
    }

    private func setProperty(
        of object: ObjectPath,
        _ call: ServiceCall,
        _ store: ProgramStore
    ) throws(ServiceError) {
        guard let interface = call.message.name(), let name = call.message.name() else { throw .invalidArguments }
        let property = try Property(interface, name, of: Interface(of: object))
        guard property.row.isWritable else { throw .readOnlyProperty }
        guard call.message.typesOfVariant() == property.row.type else { throw .invalidArguments }
        if property == .itemAttributes, case .item(let collection, let item) = object {
            let attributes = try call.message.variantAttributes()
            try hold(attributes.byteCount, for: call, store)
            return change(item: item, in: collection, call, store) { .attributes(attributes) }
        }
        let label = try call.message.variantText()
        try hold(label.utf8.count, for: call, store)
        guard case .item(let collection, let item) = object else { return set(label: label, of: object, call, store) }
        change(item: item, in: collection, call, store) { .label(label) }
    }
}

extension ObjectPath {
    /// The items among some paths, by their collections.
    static func items(_ paths: [String]) -> [(CollectionName, [ItemIdentifier])] {
        items(paths.compactMap { ObjectPath($0) })
    }

    /// The items among some objects, by their collections.
    static func items(_ objects: some Sequence<ObjectPath>) -> [(CollectionName, [ItemIdentifier])] {
        var items: [CollectionName: [ItemIdentifier]] = [:]
        var seen: Set<ObjectPath> = []
        for case .item(let collection, let item) in objects where seen.insert(.item(collection, item)).inserted {
            items[collection, default: []].append(item)
        }
        return items.sorted { $0.key.element < $1.key.element }.map { ($0.key, $0.value) }
    }

    /// How many bytes some paths have in a message, at most.
    static func byteCount(of paths: [String]) -> Int { paths.reduce(0) { $0 + $1.utf8.count + 16 } }
}

extension SentSecret {
    /// Codes a secret for a session.
    init(_ secret: LookupSecret, for session: String, _ coding: SecretCoding) throws(ServiceError) {
        self.init(session: session, coded: try coding.encode(secret.secret), contentType: secret.contentType)
    }
}
