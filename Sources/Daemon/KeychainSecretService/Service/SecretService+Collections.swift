// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer
import MessageBus

/// Collections and their aliases.
extension SecretService {
    /// Returns the collection of an alias that there is already, or a prompt that creates one.
    func createCollection(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let label = try call.message.collectionLabel()
        let alias = try Self.alias(in: call)
        work(for: call, store) { store throws(ServiceError) in
            if !alias.isEmpty, let collection = try store.collection(ofAlias: alias) { return collection }
            guard let files = store.files else { throw .notSupported }
            guard try asServiceError(files.collections.hasRoom) else { throw .limitsExceeded }
            return CollectionName?.none
        } then: { service, number, collection in
            service.answerCreation(number, collection, of: CollectionCreation(label: label, alias: alias))
        }
    }

    private func answerCreation(_ number: UInt64, _ collection: CollectionName?, of creation: CollectionCreation) {
        guard let client = calls[number]?.client, let store = client.store else { return }
        do throws(ServiceError) {
            let prompt = collection == nil ? try addPrompt(for: .create(creation), of: client, store) : nil
            answer(number) { reply throws(BusError) in
                try reply.append(collection.map { ObjectPath.collection($0).text } ?? ObjectPath.none, as: "o")
                try reply.append(prompt.map { ObjectPath.prompt($0).text } ?? ObjectPath.none, as: "o")
            }
        } catch { refuse(number, error) }
    }

    /// Deletes a collection without a prompt, as `security delete-keychain` does, which any of the programs can run.
    func delete(collection object: ObjectPath, _ call: ServiceCall, _ store: ProgramStore) {
        work(for: call, store) { store throws(ServiceError) in
            try store.delete(try store.collection(at: object))
        } then: { service, number, _ in
            service.answer(number) { reply throws(BusError) in try reply.append(ObjectPath.none, as: "o") }
            service.refreshFiles()
        }
    }

    /// Sets the label of a collection.
    func set(label: String, of object: ObjectPath, _ call: ServiceCall, _ store: ProgramStore) {
        work(for: call, store) { store throws(ServiceError) in
            try store.setLabel(label, of: try store.collection(at: object))
        } then: { service, number, _ in
            service.answer(number)
            service.refreshFiles()
        }
    }

    func readAlias(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let alias = try Self.alias(in: call)
        work(for: call, store) { store throws(ServiceError) in
            try store.collection(ofAlias: alias)
        } then: { service, number, collection in
            let path = collection.map { ObjectPath.collection($0).text } ?? ObjectPath.none
            service.answer(number) { reply throws(BusError) in try reply.append(path, as: "o") }
        }
    }

    func setAlias(_ call: ServiceCall, _ store: ProgramStore) throws(ServiceError) {
        let alias = try Self.alias(in: call)
        guard let path = call.message.objectPath() else { throw .invalidArguments }
        let object = ObjectPath(path)
        guard object != nil || path == ObjectPath.none else { throw .noSuchObject }
        work(for: call, store) { store throws(ServiceError) in
            guard let object else { return try store.setAlias(alias, to: nil) }
            try store.setAlias(alias, to: try store.collection(at: object))
        } then: { service, number, _ in
            service.answer(number)
        }
    }

    /// The alias that a call names; Swift would compare a long one of combining marks with others for hours.
    private static func alias(in call: ServiceCall) throws(ServiceError) -> String {
        guard let alias = call.message.string(), alias.utf8.count <= CollectionPreferences.maximumAliasByteCount else {
            throw .invalidArguments
        }
        return alias
    }
}
