// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainFiles

/// The keychains of a user, and which of them a command means.
///
/// Names mean files. Where the user has no keychain file, neither in the search list nor as default, commands without a
/// name mean the data protection keychain, and so do those that name `login.keychain`: what programs store by the item
/// functions is within reach of `security`, although macOS has no such command.
struct Keychains: Sendable {
    let dataProtection: UserKeychain
    let files: KeychainFileService
    let preferences: KeychainPreferences

    var home: KeychainHome { preferences.home }

    /// Whether the user has chosen a keychain file, in the search list or as default.
    var hasFiles: Bool {
        get throws(KeychainError) {
            if try preferences.defaultKeychain() != nil { return true }
            return try !preferences.searchList().isEmpty
        }
    }

    // MARK: - For items

    /// The keychains that a search goes through, each once: those that are named, or those of the search list.
    func searched(by operands: [Word]) throws(KeychainError) -> [any ItemStore] {
        let hasFiles = try hasFiles
        let stores: [any ItemStore]
        if !operands.isEmpty {
            stores = operands.compactMap { store(named: $0, hasFiles: hasFiles) }
        } else {
            stores = hasFiles ? try preferences.searchList().map(file) : [dataProtection]
        }
        var seen: Set<ByteText> = []
        return stores.filter { seen.insert($0.path).inserted }
    }

    /// The one keychain that items are added to: the one that is named, or the default one.
    ///
    /// - Throws: `errSecNoDefaultKeychain`, and where there is no keychain of the name `errSecNoSuchKeychain`: nothing
    ///   is ever stored elsewhere than was said.
    func target(_ operand: Word?) throws(KeychainError) -> any ItemStore {
        let hasFiles = try hasFiles
        if let operand {
            guard let store = store(named: operand, hasFiles: hasFiles) else { throw .noSuchKeychain }
            if let file = store as? FileKeychain { try file.checkExists() }
            return store
        }
        guard hasFiles else { return dataProtection }
        let file = file(try defaultFile())
        try file.checkExists()
        return file
    }

    /// Whether commands with these operands mean the data protection keychain and no file.
    func meansDataProtection(by operands: [Word]) -> Bool {
        guard let hasFiles = try? hasFiles, !hasFiles else { return false }
        return operands.allSatisfy { meansDataProtection($0, hasFiles: hasFiles) }
    }

    private func store(named operand: Word, hasFiles: Bool) -> (any ItemStore)? {
        if meansDataProtection(operand, hasFiles: hasFiles) { return dataProtection }
        if operand == SystemRoots.path { return SystemRoots() }
        return path(operand).map(file)
    }

    private func meansDataProtection(_ operand: Word, hasFiles: Bool) -> Bool {
        !hasFiles && dataProtection.name.isMeant(by: operand) && preferences.loginKeychain == nil
    }

    private func file(_ path: String) -> FileKeychain { FileKeychain(path, files) }

    // MARK: - For keychain files

    /// The path of the keychain file that an operand names; `nil` for what names none.
    func path(_ operand: Word) -> String? {
        guard let name = operand.text, !name.isEmpty, !name.utf8.contains(0) else { return nil }
        return home.keychainPath(name)
    }

    /// The path of the keychain file that is named, or of the default one.
    ///
    /// - Throws: `errSecNoSuchKeychain`, `errSecNoDefaultKeychain`.
    func path(orDefault operand: Word?) throws(KeychainError) -> String {
        guard let operand else { return try defaultFile() }
        guard let path = path(operand) else { throw .noSuchKeychain }
        return path
    }

    private func defaultFile() throws(KeychainError) -> String {
        guard let path = try preferences.defaultKeychain() else { throw .noDefaultKeychain }
        return path
    }
}

extension KeychainError {
    static let noDefaultKeychain = KeychainError(.noDefaultKeychain, "there is no default keychain")
}
