// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainHost
import KeychainMacFrontEnd

/// The keychains of a user, and the resolution of a command's operands.
///
/// Names refer to files, except that of the login keychain: the data protection keychain is behind its file, or
/// replaces it if there is none. `security` can access items that programs store with the item functions, although
/// macOS has no such command.
struct Keychains: Sendable {
    let dataProtection: UserKeychain
    let files: KeychainFileService
    let preferences: KeychainPreferences

    init(dataProtection: UserKeychain, files: KeychainFileService, preferences: KeychainPreferences) {
        self.dataProtection = dataProtection
        self.files = files
        self.preferences = preferences.withDataProtection
    }

    var home: KeychainHome { preferences.home }

    // MARK: - For items

    /// The keychains to search, each once: those that are named, or those of the search list.
    ///
    /// - Throws: `errSecInvalidKeychain` for a named file that is damaged, `errSecWrPerm` for one that may not be read;
    ///   those in the search list are skipped.
    func searched(by operands: [Word]) throws(KeychainError) -> [any ItemStore] {
        guard !operands.isEmpty else { return try preferences.searched().map(store) }
        var stores = operands.compactMap(store(named:))
        if operands.contains(where: meansLogin) { stores.append(dataProtection) }
        try stores.checkReadable()
        var seen: Set<ByteText?> = []
        return stores.filter { seen.insert($0 is UserKeychain ? nil : $0.path).inserted }
    }

    /// The keychain to add items to: the named one, or the default one.
    ///
    /// - Throws: `errSecNoDefaultKeychain`, and `errSecNoSuchKeychain` if there is no keychain with the name: items are
    ///   never stored anywhere else.
    func target(_ operand: Word?) throws(KeychainError) -> any ItemStore {
        let store = operand == nil ? store(try place(orDefault: nil)) : operand.flatMap(store(named:))
        guard let store else { throw .noSuchKeychain }
        if let file = store as? FileKeychain { try file.checkExists() }
        return store
    }

    /// Whether commands with these operands search the data protection keychain.
    func reachesDataProtection(by operands: [Word]) -> Bool {
        (try? searched(by: operands).contains { $0 is UserKeychain }) ?? false
    }

    func store(_ place: SearchedKeychain) -> any ItemStore {
        switch place {
        case .file(let path): FileKeychain(path, files)
        case .dataProtection: dataProtection
        }
    }

    private func store(named operand: Word) -> (any ItemStore)? {
        if operand == SystemRoots.path { return SystemRoots() }
        return place(operand).map(store)
    }

    // MARK: - For whole keychains

    /// The operations on whole keychains.
    var whole: WholeKeychains {
        WholeKeychains(
            preferences,
            files: files,
            device: dataProtection.backend.device,
            unlocksForAll: dataProtection.unlocksForAll
        )
    }

    /// The keychain that an operand names; `nil` if it names none.
    private func place(_ operand: Word) -> SearchedKeychain? {
        if meansLogin(operand) { return preferences.place(of: home.loginKeychainPath) }
        return path(operand).map(SearchedKeychain.file)
    }

    /// The named keychain, or the default one.
    ///
    /// - Throws: `errSecNoSuchKeychain`, `errSecNoDefaultKeychain`.
    func place(orDefault operand: Word?) throws(KeychainError) -> SearchedKeychain {
        guard let operand else { return preferences.place(of: try defaultPath()) }
        guard let place = place(operand) else { throw .noSuchKeychain }
        return place
    }

    /// Whether an operand names the login keychain.
    private func meansLogin(_ operand: Word) -> Bool { dataProtection.name.isMeant(by: operand) }

    // MARK: - For keychain files

    /// The path of the keychain file that an operand names; `nil` if it names none.
    func path(_ operand: Word) -> String? {
        guard let name = operand.text, !name.isEmpty, !name.utf8.contains(0) else { return nil }
        return home.keychainPath(name)
    }

    /// The path of the named keychain, or of the default one; the login keychain may have no file.
    ///
    /// - Throws: `errSecNoSuchKeychain`, `errSecNoDefaultKeychain`.
    func path(orDefault operand: Word?) throws(KeychainError) -> String {
        guard let operand else { return try defaultPath() }
        guard let path = path(operand) else { throw .noSuchKeychain }
        return path
    }

    private func defaultPath() throws(KeychainError) -> String {
        guard let path = try preferences.defaultKeychain() else { throw .noDefaultKeychain }
        return path
    }
}
