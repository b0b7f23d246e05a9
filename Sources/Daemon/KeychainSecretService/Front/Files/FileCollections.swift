// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainMacFrontEnd

/// The keychain files of the user as collections: those of the search list, and the default keychain.
///
/// The path of a collection is that of its file, which a label does not change. Functions read the preferences and
/// look at files, and so may wait for a file system.
package struct FileCollections: Sendable {
    /// Observes changes of keychain files, by whatever program; `nil` if that is impossible.
    package typealias Observe = @Sendable (_ changed: @escaping @Sendable () -> Void) -> ChangeObservation?

    /// Executes the commands.
    let backend: any KeychainBackend

    let observe: Observe

    private let preferences: KeychainPreferences
    private let collectionPreferences: CollectionPreferences

    /// The most of them.
    static let maximumCount = 64

    /// The longest label that a program gives.
    static let maximumLabelByteCount = 255

    /// The elements of the collections that are no files, and their aliases.
    private static let others = CollectionName.fixed.map(\.element)

    /// The files of a user.
    ///
    /// - Parameters:
    ///   - preferences: the search list, the default keychain, and the folder in which a new one is created.
    ///   - backend: executes the commands on them.
    ///   - observe: observes their changes.
    package init(
        _ preferences: KeychainPreferences,
        servedBy backend: any KeychainBackend,
        observe: @escaping Observe = { _ in nil }
    ) {
        self.preferences = preferences
        self.backend = backend
        self.observe = observe
        collectionPreferences = CollectionPreferences(home: preferences.home)
    }

    /// A file as a collection.
    struct File: Sendable, Hashable {
        /// The last element of the collection's path.
        let element: String
        let path: String

        /// The name of the file, as people write it.
        var name: String { FileCollections.name(path) }
    }

    /// The files that there are, of this user, in the order of the search list.
    ///
    /// Two that would have one element are told apart by their whole paths.
    func files() throws(KeychainError) -> [File] {
        var paths: [String] = []
        for case .file(let path) in try preferences.searched() { paths.append(path) }
        if let path = try preferences.defaultKeychain(), !paths.containsPath(path) { paths.append(path) }
        var (files, taken) = ([File](), Set(Self.others))
        for path in paths where files.count < Self.maximumCount && Self.isOwn(path) {
            let names = [isInFolder(path) ? Self.name(path) : path, path]
            let element = names.map(PathElement.of).first { PathElement.isValid($0) && !taken.contains($0) }
            guard let element else { continue }
            taken.insert(element)
            files.append(File(element: element, path: path))
        }
        return files
    }

    /// The file of an element.
    func file(_ element: String) throws(KeychainError) -> File? { try files().first { $0.element == element } }

    private func isInFolder(_ path: String) -> Bool {
        path.parentFolder.isSamePath(as: preferences.home.keychainFolder)
    }

    /// The name of a file without its endings.
    private static func name(_ path: String) -> String {
        var name = KeychainHome.storedName(path).pathNames.last ?? path
        if name.hasSuffix(ending), name.utf8.count > ending.utf8.count { name.removeLast(ending.count) }
        return name
    }

    private static let ending = ".keychain"

    /// Whether there is a file, and nothing else, of this user.
    private static func isOwn(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    // MARK: - Aliases

    /// The element of the collection that an alias stands for; `nil` for none.
    func element(ofAlias alias: String) throws(KeychainError) -> String? {
        if Self.others.contains(alias) { return alias }
        guard alias == "default" else {
            guard let target = try collectionPreferences.target(of: alias) else { return nil }
            return Self.others.contains(target) ? target : try element(ofFile: target)
        }
        guard let path = try preferences.defaultKeychain() else { return nil }
        switch preferences.place(of: path) {
        case .dataProtection: return CollectionName.login.element
        case .file(let path): return try element(ofFile: path)
        }
    }

    private func element(ofFile path: String) throws(KeychainError) -> String? {
        try files().first { $0.path.isSamePath(as: path) }?.element
    }

    /// Sets what an alias stands for; `nil` removes it.
    ///
    /// - Throws: `errSecUnimplemented` for one that cannot be changed; `errSecItemNotFound` for a collection that there
    ///   is not; `errSecParam` for too many, and for a name that is too long.
    func setAlias(_ alias: String, to element: String?) throws(KeychainError) {
        guard try self.element(ofAlias: alias) != element else { return }
        guard !Self.others.contains(alias) else { throw .fixedAlias }
        guard !alias.isEmpty, alias.utf8.count <= CollectionPreferences.maximumAliasByteCount else {
            throw .parameter("the name of the alias is empty or too long")
        }
        let target = try element.map { (element) throws(KeychainError) in
            if Self.others.contains(element) { return element }
            guard let file = try file(element) else { throw .noCollection }
            return file.path
        }
        guard alias == "default" else { return try collectionPreferences.set(alias, to: target) }
        switch target {
        case nil: try preferences.removeDefaultKeychain()
        case CollectionName.login.element?: try preferences.setDefaultKeychain(preferences.home.loginKeychainPath)
        case CollectionName.session.element?: throw .fixedAlias
        case let path?: try preferences.setDefaultKeychain(path)
        }
    }

    // MARK: - Login

    /// The label of the collection `login`.
    func loginLabel() throws(KeychainError) -> String {
        try collectionPreferences.loginLabel() ?? CollectionName.login.label
    }

    /// Sets it; the collection has no file that would keep it.
    func setLoginLabel(_ label: String) throws(KeychainError) { try collectionPreferences.setLoginLabel(label) }

    // MARK: - Creation and removal

    /// Whether there is room for another collection.
    func hasRoom() throws(KeychainError) -> Bool { try files().count < Self.maximumCount }

    /// Creates a keychain file in the folder of the user's keychains, and adds it to the search list.
    ///
    /// - Parameters:
    ///   - label: what people see; the name of the file is made from it.
    ///   - password: the password.
    ///   - service: carries out the commands.
    /// - Returns: The file.
    /// - Throws: `errSecNotAvailable` for too many; nothing is left of a file that could not be listed.
    func create(
        _ label: String,
        password: SecretBytes,
        by service: KeychainFileService
    ) throws(KeychainError) -> File {
        guard try hasRoom() else { throw KeychainError(.notAvailable, "there are too many", kind: .unavailable) }
        let name = Self.fileName(label)
        for number in 1...Self.maximumAttempts {
            let candidate = number == 1 ? name : "\(name)_\(number)"
            let path = preferences.home.newKeychainPath(candidate + Self.ending)
            let taken = try files().map(\.element) + Self.others
            guard !taken.contains(PathElement.of(candidate)) else { continue }
            do throws(KeychainError) {
                try service.create(at: path, password: password)
            } catch {
                guard error.status == .duplicateKeychain else { throw error }
                continue
            }
            do throws(KeychainError) {
                if !candidate.hasSameBytes(as: label) { try service.setLabel(label, at: path) }
                try preferences.addToSearchList(path)
                if let file = try files().first(where: { $0.path.isSamePath(as: path) }) { return file }
                throw .noCollection
            } catch {
                try? service.delete(at: path)
                throw error
            }
        }
        throw KeychainError(.notAvailable, "no name is left for the file", kind: .storage(.storeExists))
    }

    private static let maximumAttempts = 1_000

    /// A label as the name of a file, of which nothing has a meaning in a path, or is obeyed by a terminal.
    private static func fileName(_ label: String) -> String {
        var name = ""
        for character in label where name.utf8.count + character.utf8.count <= 100 {
            let isSafe = character.unicodeScalars.allSatisfy { !$0.isInvisible && $0 != "/" }
            name.append(isSafe ? character : "_")
        }
        while name.hasPrefix(".") || name.hasPrefix("-") { name.removeFirst() }
        return name.isEmpty ? "Keychain" : name
    }

    /// Deletes a keychain file with everything in it, and forgets it.
    func delete(_ file: File, by service: KeychainFileService) throws(KeychainError) {
        do throws(KeychainError) {
            try service.delete(at: file.path)
        } catch {
            guard error.status == .noSuchKeychain else { throw error }
        }
        try preferences.recordRemoval(of: file.path)
        try collectionPreferences.removeAliases(of: file.path)
    }

    /// The folders in which files appear and disappear, and that of the preferences.
    func folders() -> Set<String> {
        let home = preferences.home
        return Set(((try? files()) ?? []).map(\.path.parentFolder))
            .union([home.keychainFolder, "\(home.path)/Library/Preferences"])
    }
}

extension KeychainError {
    fileprivate static let fixedAlias = KeychainError(.unimplemented, "this alias cannot be changed so")
    static let noCollection = KeychainError(.itemNotFound, "there is no such collection")
}
