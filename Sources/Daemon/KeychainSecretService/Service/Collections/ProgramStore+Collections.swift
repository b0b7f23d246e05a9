// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The collections of a program.
extension ProgramStore {
    /// All of them: of keychain files, those that can be read.
    func collections() throws(ServiceError) -> [CollectionName] {
        CollectionName.fixed + (files?.readable().map(\.collection) ?? [])
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
            return alias == "default" ? .login : CollectionName.fixed.first { $0.element == alias }
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

    /// What people see as the name of a collection that is no keychain file.
    func label(ofFixed collection: CollectionName) throws(ServiceError) -> String {
        guard collection == .login, let files else { return collection.label }
        return try asServiceError(files.collections.loginLabel)
    }

    /// Sets what people see as the name of a keychain file, which has to be unlocked, or of `login`.
    func setLabel(_ label: String, of collection: CollectionName) throws(ServiceError) {
        guard collection != .session, let files else { throw .notSupported }
        guard label.utf8.count <= FileCollections.maximumLabelByteCount else { throw .invalidArguments }
        try asServiceError { () throws(KeychainError) in
            guard collection.isFile else { return try files.collections.setLoginLabel(label) }
            try files.service.setLabel(label, at: try files.path(of: collection))
        }
    }

    /// What a keychain file is called, and its lock.
    func passwordLock(
        of collection: CollectionName
    ) throws(ServiceError) -> (label: String, lock: PasswordLock) {
        guard let files else { throw .noSuchObject }
        let shown = try details(of: collection)
        let path = shown.file.path
        let lock = PasswordLock(
            state: { [self] in (try? isLocked(collection)) == false ? .open : .locked(problem: nil) },
            unlock: { password throws(KeychainError) in try files.service.unlock(at: path, password: password) },
            problem: { $0.status == .authenticationFailed ? "Wrong password. Try again." : nil }
        )
        return (shown.label, lock)
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
