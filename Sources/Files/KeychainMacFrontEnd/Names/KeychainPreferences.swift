// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainCore
import KeychainHost

/// A keychain that is searched.
package enum SearchedKeychain: Sendable, Hashable {
    /// The keychain file of a path.
    case file(String)
    /// The data protection keychain.
    case dataProtection

    /// The key of the file's path; `nil` for the data protection keychain.
    private var key: PathKey? {
        switch self {
        case .file(let path): PathKey(path)
        case .dataProtection: nil
        }
    }

    /// Whether both are one keychain.
    package static func == (left: SearchedKeychain, right: SearchedKeychain) -> Bool { left.key == right.key }

    /// Hashes the bytes of the path.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The search list and the default keychain of each preferences domain (Semantics, "File-based keychains").
///
/// A ``PreferencesFile`` for each domain. A missing file means no preferences; a damaged one is an error.
package struct KeychainPreferences: Sendable {
    /// The home folder that names are relative to.
    package let home: KeychainHome

    /// Whether the data protection keychain belongs to the login keychain: it is behind its file, or replaces it if
    /// there is none.
    ///
    /// This is the case for a Linux user, whose programs store there. A Mac has a login keychain of its own.
    package private(set) var loginHasDataProtection = false

    private let systemFolder: String

    /// A preferences domain (`SecPreferencesDomain`).
    package enum Domain: String, Sendable, Hashable, CaseIterable {
        /// That of the user.
        case user
        /// That of the system, which programs without a user have.
        case system
        /// Added to every user's list.
        case common
        /// The keychains of hardware; none here.
        case dynamic
    }

    private struct Contents {
        /// Names; `nil` for a list that was never set.
        var searchList: [String]?
        /// A name; empty for none, `nil` for one that was never chosen.
        var defaultKeychain: String?
    }

    /// The preferences of a home folder.
    package init(home: KeychainHome) { self.init(home: home, systemFolder: "/etc/swift-keychain") }

    /// The same with another folder of the system's preferences, for tests.
    package init(home: KeychainHome, systemFolder: String) {
        self.home = home
        self.systemFolder = systemFolder
    }

    /// The same preferences of a user to whose login keychain the data protection keychain belongs.
    package var withDataProtection: KeychainPreferences {
        var preferences = self
        preferences.loginHasDataProtection = true
        return preferences
    }

    // MARK: - Search list

    /// The paths to search: those of the user, then the common ones.
    package func searchList() throws(KeychainError) -> [String] {
        let user = try searchList(.user)
        return user + (try searchList(.common)).filter { !user.containsPath($0) }
    }

    /// The search list of a domain; if there is none, only the domain's default keychain.
    ///
    /// The data protection keychain is included if the name of the login keychain was added.
    package func searchList(_ domain: Domain) throws(KeychainError) -> [String] {
        searchList(domain, try read(domain))
    }

    private func searchList(_ domain: Domain, _ contents: Contents) -> [String] {
        if let stored = contents.searchList { return stored.map(home.keychainPath) }
        guard let path = defaultKeychain(domain, contents), place(of: path) != .dataProtection else { return [] }
        return [path]
    }

    /// The keychains to search, each once.
    ///
    /// The data protection keychain replaces a login keychain without a file, or else follows all files; it is excluded
    /// only by a stored list without the login keychain.
    package func searched() throws(KeychainError) -> [SearchedKeychain] {
        let contents = try read(.user)
        let paths = searchList(.user, contents)
        let others = try searchList(.common).filter { !paths.containsPath($0) }
        let hasLogin = contents.searchList == nil || paths.containsPath(home.loginKeychainPath)
        return searched(paths + others, hasLogin: hasLogin)
    }

    /// The keychains that paths name, each once; of the login keychain the data protection keychain as well.
    package func searched(in paths: [String]) -> [SearchedKeychain] {
        searched(paths, hasLogin: paths.containsPath(home.loginKeychainPath))
    }

    private func searched(_ paths: [String], hasLogin: Bool) -> [SearchedKeychain] {
        var places = paths.map(place)
        if hasLogin, loginHasDataProtection { places.append(.dataProtection) }
        var seen: Set<SearchedKeychain> = []
        return places.filter { seen.insert($0).inserted }
    }

    /// The keychain that a path names.
    package func place(of path: String) -> SearchedKeychain {
        let isStandIn = loginHasDataProtection && path.isSamePath(as: home.loginKeychainPath) && loginKeychain == nil
        return isStandIn ? .dataProtection : .file(path)
    }

    /// Takes back what was stored as the search list of a domain.
    package func resetSearchList(_ domain: Domain = .user) throws(KeychainError) {
        try change(domain) { $0.searchList = nil }
    }

    /// Replaces the search list of a domain by keychains that need not exist; the common ones are removed from a user's
    /// list.
    package func setSearchList(_ paths: [String], _ domain: Domain = .user) throws(KeychainError) {
        let common = domain == .user ? try searchList(.common) : []
        try change(domain) { contents in
            contents.searchList = paths.filter { !common.containsPath($0) }.map(KeychainHome.storedName)
        }
    }

    // MARK: - Default keychain

    /// The default keychain of a domain; the user's is the login keychain if none was chosen and that exists, or if the
    /// data protection keychain belongs to it.
    package func defaultKeychain(_ domain: Domain = .user) throws(KeychainError) -> String? {
        defaultKeychain(domain, try read(domain))
    }

    private func defaultKeychain(_ domain: Domain, _ contents: Contents) -> String? {
        if let chosen = contents.defaultKeychain { return chosen.isEmpty ? nil : home.keychainPath(chosen) }
        guard domain == .user else { return nil }
        return loginHasDataProtection ? home.loginKeychainPath : loginKeychain
    }

    /// Chooses the default keychain of a domain.
    package func setDefaultKeychain(_ path: String, _ domain: Domain = .user) throws(KeychainError) {
        try change(domain) { $0.defaultKeychain = KeychainHome.storedName(path) }
    }

    /// Leaves the user without a default keychain.
    package func removeDefaultKeychain() throws(KeychainError) { try change(.user) { $0.defaultKeychain = "" } }

    /// The login keychain; `nil` when it does not exist.
    package var loginKeychain: String? {
        let path = home.loginKeychainPath
        return access(path, F_OK) == 0 ? path : nil
    }

    // MARK: - Creation and removal

    /// Adds a new keychain to the user's search list, and makes it the default if there is none, if it is one of those
    /// for which that is done.
    package func recordCreation(of path: String) throws(KeychainError) {
        guard KeychainHome.isListedWhenMade(path) else { return }
        try change(.user) { contents in
            let hasDefault = append(path, to: &contents)
            if !hasDefault { contents.defaultKeychain = KeychainHome.storedName(path) }
        }
    }

    /// Adds a keychain to the end of the user's search list.
    package func addToSearchList(_ path: String) throws(KeychainError) {
        try change(.user) { _ = append(path, to: &$0) }
    }

    /// - Returns: Whether another keychain is the default one.
    private func append(_ path: String, to contents: inout Contents) -> Bool {
        let name = KeychainHome.storedName(path)
        let chosen = defaultKeychain(.user, contents).flatMap { $0.isSamePath(as: path) ? nil : $0 }
        var list = contents.searchList ?? chosen.map { [KeychainHome.storedName($0)] } ?? []
        if !list.containsPath(name) { list.append(name) }
        contents.searchList = list
        return chosen != nil
    }

    /// Removes a deleted keychain from the user's search list; if it was the default, there is then none.
    ///
    /// Without its file, the login keychain still exists if the data protection keychain belongs to it: it stays in a
    /// list of several keychains, and stays the default.
    package func recordRemoval(of path: String) throws(KeychainError) {
        let name = KeychainHome.storedName(path)
        // Which of its two paths a name refers to depends on the files, and this one no longer exists.
        let isListed = try searchList(.user).contains { KeychainHome.storedName($0).isSamePath(as: name) }
        let isDefault = name.isSamePath(as: try defaultKeychain().map(KeychainHome.storedName))
        guard isListed || isDefault else { return }
        let staysThere = loginHasDataProtection && name.isSamePath(as: KeychainHome.storedName(home.loginKeychainPath))
        try change(.user) { contents in
            let others = contents.searchList?.filter { !$0.isSamePath(as: name) }
            if !staysThere || others?.isEmpty ?? true { contents.searchList = others }
            let chosen = defaultKeychain(.user, contents).map(KeychainHome.storedName)
            if !staysThere, name.isSamePath(as: chosen) { contents.defaultKeychain = "" }
        }
    }

    // MARK: - Files

    private func file(_ domain: Domain) -> PreferencesFile {
        let isForUser = domain == .user
        let folder = isForUser ? "\(home.path)/Library/Preferences" : systemFolder
        // Everyone reads what is for everyone.
        return PreferencesFile("\(folder)/org.swift-keychain.\(domain).json", isForEveryone: !isForUser)
    }

    private func read(_ domain: Domain) throws(KeychainError) -> Contents {
        guard domain != .dynamic else { return Contents() }
        let file = file(domain)
        return try contents(of: try file.read(), in: file)
    }

    private func contents(of bytes: [UInt8]?, in file: PreferencesFile) throws(KeychainError) -> Contents {
        guard let bytes else { return Contents() }
        guard let json = try? JSONParser.parse(bytes), json.members != nil else {
            throw KeychainError(
                .io,
                "the preferences in \(file.path) are damaged; move the file away to begin with an empty search list",
                kind: .storage(.damaged),
                facts: ["path": file.path]
            )
        }
        var list = json["searchList"].elements?.compactMap(\.string)
        // A list from which the last keychain was removed must not hide what programs store.
        if loginHasDataProtection, list?.isEmpty ?? false { list = nil }
        return Contents(searchList: list, defaultKeychain: json["defaultKeychain"].string)
    }

    private func change(_ domain: Domain, _ body: (inout Contents) -> Void) throws(KeychainError) {
        guard domain != .dynamic else {
            throw KeychainError(.parameter, "the dynamic domain cannot be changed")
        }
        let file = file(domain)
        try file.change { (bytes) throws(KeychainError) in
            var contents = try contents(of: bytes, in: file)
            body(&contents)
            return [
                "searchList": contents.searchList.map { .strings($0) } ?? .null,
                "defaultKeychain": contents.defaultKeychain.map { .string($0) } ?? .null,
            ]
        }
    }
}
