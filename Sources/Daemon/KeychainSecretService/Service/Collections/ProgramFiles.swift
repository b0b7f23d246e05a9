// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// The keychain files as one program sees them: every program of the user that is in no sandbox sees all.
struct ProgramFiles: Sendable {
    let collections: FileCollections

    /// Sends commands as those of the program.
    let service: KeychainFileService

    /// - Returns: `nil` for a program that may not use keychain files.
    init?(_ collections: FileCollections, of connection: FrontConnection) {
        guard (try? connection.peer.permitted(.files(.lockAll))) != nil else { return nil }
        self.collections = collections
        service = KeychainFileService { (command) throws(KeychainError) in
            let command = KeychainCommand.files(command)
            let result = Result { () throws(KeychainError) in
                try command.checkSizes()
                let permitted = try connection.peer.permitted(command)
                try connection.peer.confirm()
                return try collections.backend.perform(permitted)
            }
            connection.peer.finished(command, result)
            return try result.get()
        }
    }

    /// The file of a collection.
    ///
    /// - Throws: `errSecItemNotFound`.
    func file(of collection: CollectionName) throws(KeychainError) -> FileCollections.File {
        guard let file = try collections.file(collection.element) else { throw .noFile }
        return file
    }

    func path(of collection: CollectionName) throws(KeychainError) -> String { try file(of: collection).path }

    /// Those that can be read; damaged ones are left out.
    func readable() -> [ShownFile] {
        ((try? collections.files()) ?? []).compactMap { file in
            (try? service.details(at: file.path)).map { ShownFile(file: file, details: $0) }
        }
    }
}

/// A keychain file, and what people see of it.
struct ShownFile: Sendable, Hashable {
    let file: FileCollections.File
    let details: KeychainFileDetails

    var collection: CollectionName { CollectionName(of: file) }

    /// What it is called.
    var label: String { details.label ?? file.name }

    /// The value of a property of the collection other than its items.
    func value(_ property: Property) -> PropertyContent {
        switch property {
        case .collectionLabel: .text(label)
        case .collectionLocked: .boolean(details.isLocked)
        case .collectionCreated: PropertyContent(details.created)
        default: PropertyContent(details.modified)
        }
    }
}

extension KeychainError {
    static let noFile = KeychainError(.itemNotFound, "there is no such collection")
}

/// The collections of a program.
extension ProgramStore {
    /// All of them: of keychain files, those that can be read.
    func collections() throws(ServiceError) -> [CollectionName] {
        [.login, .session] + (files?.readable().map(\.collection) ?? [])
    }

    /// The collection at a path, which may be that of an alias.
    ///
    /// - Throws: ``ServiceError/noSuchObject``.
    func collection(at object: ObjectPath) throws(ServiceError) -> CollectionName {
        switch object {
        case .collection(let collection):
            guard collection.isFile else { return collection }
            guard let files else { throw .noSuchObject }
            return try asServiceError { () throws(KeychainError) in CollectionName(of: try files.file(of: collection)) }
        case .alias(let alias):
            guard let collection = try collection(ofAlias: alias) else { throw .noSuchObject }
            return collection
        default: throw .noSuchObject
        }
    }

    /// The object at a path, for an alias the collection that it stands for; `nil` for none.
    func object(_ path: String) -> ObjectPath? {
        guard let object = ObjectPath(path), case .alias = object else { return ObjectPath(path) }
        return (try? collection(at: object)).map { .collection($0) }
    }

    /// The collection that an alias stands for, and any other object itself.
    func resolved(_ object: ObjectPath) throws(ServiceError) -> ObjectPath {
        guard case .alias = object else { return object }
        return .collection(try collection(at: object))
    }

    /// The collection that an alias stands for; `nil` for none.
    func collection(ofAlias alias: String) throws(ServiceError) -> CollectionName? {
        guard let files else {
            return switch alias {
            case "default", "login": .login
            case "session": .session
            default: nil
            }
        }
        let element = try asServiceError { () throws(KeychainError) in try files.collections.element(ofAlias: alias) }
        return element.map { CollectionName($0) }
    }

    /// Sets what an alias stands for; `nil` removes it.
    func setAlias(_ alias: String, to collection: CollectionName?) throws(ServiceError) {
        guard let files else {
            guard try self.collection(ofAlias: alias) == collection else { throw .notSupported }
            return
        }
        try asServiceError { () throws(KeychainError) in
            try files.collections.setAlias(alias, to: collection?.element)
        }
    }

    /// What people see of a keychain file.
    func details(of collection: CollectionName) throws(ServiceError) -> ShownFile {
        guard let files else { throw .noSuchObject }
        return try asServiceError { () throws(KeychainError) in
            let file = try files.file(of: collection)
            return ShownFile(file: file, details: try files.service.details(at: file.path))
        }
    }

    /// Sets what people see as the name of a keychain file, which has to be unlocked.
    func setLabel(_ label: String, of collection: CollectionName) throws(ServiceError) {
        // That of the others is fixed.
        guard collection.isFile, let files else { throw .notSupported }
        guard label.utf8.count <= FileCollections.maximumLabelByteCount else { throw .invalidArguments }
        try asServiceError { () throws(KeychainError) in
            try files.service.setLabel(label, at: try files.path(of: collection))
        }
    }

    /// Locks a keychain file.
    func lock(_ collection: CollectionName) throws(ServiceError) {
        guard let files else { return }
        try asServiceError { () throws(KeychainError) in try files.service.lock(at: try files.path(of: collection)) }
    }

    /// Deletes a keychain file with everything in it.
    func delete(_ collection: CollectionName) throws(ServiceError) {
        guard collection.isFile else { throw .notSupported }
        guard let files else { throw .noSuchObject }
        try asServiceError { () throws(KeychainError) in
            try files.collections.delete(try files.file(of: collection), by: files.service)
        }
    }
}
