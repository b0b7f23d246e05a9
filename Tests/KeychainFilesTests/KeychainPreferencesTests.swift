// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMacFrontEnd
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Names, search lists and default keychains.
struct KeychainPreferencesTests {
    private let folder: TemporaryFolder
    private let preferences: KeychainPreferences
    private var home: KeychainHome { preferences.home }

    init() throws {
        folder = try TemporaryFolder()
        preferences = KeychainPreferences(
            home: KeychainHome(path: folder.path(of: "home")),
            systemFolder: folder.path(of: "system")
        )
    }

    private func make(_ name: String) throws -> String {
        let path = home.newKeychainPath(name)
        try KeychainFiles.forTesting().files.create(at: path, password: SecretBytes())
        try preferences.recordCreation(of: path)
        return path
    }

    @Test("A relative name is one in the folder of keychains, and X and X-db are one keychain there")
    func names() throws {
        #expect(home.keychainPath("a.keychain") == "\(home.path)/Library/Keychains/a.keychain-db")
        #expect(home.keychainPath("a.keychain-db") == "\(home.path)/Library/Keychains/a.keychain-db")
        #expect(home.keychainPath("/tmp/./a.keychain") == "/tmp/a.keychain")
        let path = try make("a.keychain")
        #expect(path.hasSuffix("/a.keychain-db"))
        #expect(home.keychainPath("a.keychain") == path)
        #expect(KeychainHome.storedName(path) == "\(home.path)/Library/Keychains/a.keychain")
        #expect(KeychainHome.formatVersion(path) == 512)
        #expect(KeychainHome.formatVersion("/Library/Keychains/System.keychain") == 256)
    }

    @Test("A login keychain becomes the default and is listed; others are not")
    func creation() throws {
        _ = try make("build.keychain")
        #expect(try preferences.searchList().isEmpty)
        #expect(try preferences.defaultKeychain() == nil)
        let login = try make("login.keychain")
        #expect(try preferences.searchList() == [login])
        #expect(try preferences.defaultKeychain() == login)
        #expect(preferences.loginKeychain == login)
    }

    @Test("Keychains whose names differ in their bytes alone are listed, searched and removed each by itself")
    func canonicallyEquivalent() throws {
        let paths = try ["caf\u{E9}", "cafe\u{301}"].map { try make("\($0).keychain") }
        try preferences.setSearchList(paths)
        #expect(try preferences.searchList().map { Array($0.utf8) } == paths.map { Array($0.utf8) })
        #expect(try preferences.searched().count == 2)
        try preferences.recordRemoval(of: paths[1])
        #expect(try preferences.searchList().map { Array($0.utf8) } == [Array(paths[0].utf8)])
    }

    @Test("A list is replaced, and keychains need not exist; one that is removed leaves it")
    func list() throws {
        let build = try make("build.keychain")
        let ghost = home.keychainPath("ghost.keychain")
        try preferences.setSearchList([ghost, build])
        try preferences.setDefaultKeychain(build)
        #expect(try preferences.searchList() == [ghost, build])
        try preferences.recordRemoval(of: build)
        #expect(try preferences.searchList() == [ghost])
        #expect(try preferences.defaultKeychain() == nil)
    }

    @Test("What everyone has comes after the user's own, and is not stored there")
    func common() throws {
        try preferences.setSearchList(["/c.keychain"], .common)
        try preferences.setSearchList(["/u.keychain", "/c.keychain"])
        #expect(try preferences.searchList(.user) == ["/u.keychain"])
        #expect(try preferences.searchList() == ["/u.keychain", "/c.keychain"])
        #expect(throws: KeychainError.self) { try preferences.setSearchList([], .dynamic) }
    }

    @Test("The data protection keychain belongs to the login keychain, and only a list without that leaves it out")
    func dataProtection() throws {
        let preferences = preferences.withDataProtection
        let login = home.loginKeychainPath
        #expect(try preferences.defaultKeychain() == login)
        #expect(preferences.place(of: login) == .dataProtection)
        #expect(try preferences.searched() == [.dataProtection])
        #expect(try preferences.searchList().isEmpty)
        let build = try make("build.keychain")
        try preferences.setSearchList([login, build])
        #expect(try preferences.searched() == [.dataProtection, .file(build)])
        try preferences.setSearchList([build])
        #expect(try preferences.searched() == [.file(build)])
        try preferences.recordRemoval(of: build)
        #expect(try preferences.searched() == [.dataProtection])
        try KeychainFiles.forTesting().files.create(at: login, password: SecretBytes())
        try preferences.recordCreation(of: login)
        #expect(try preferences.searched() == [.file(login), .dataProtection])
        #expect(preferences.searched(in: [build]) == [.file(build)])
        #expect(preferences.searched(in: [login, build]) == [.file(login), .file(build), .dataProtection])
        try preferences.setSearchList([build, login])
        try KeychainFiles.forTesting().files.delete(at: login)
        try preferences.recordRemoval(of: login)
        #expect(try preferences.searched() == [.file(build), .dataProtection])
        #expect(try preferences.defaultKeychain() == login)
    }

    @Test("Damaged preferences are an error, and stay as they are")
    func damage() throws {
        try preferences.setSearchList(["/u.keychain"])
        let file = "home/Library/Preferences/org.swift-keychain.user.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: folder.path(of: file)))
        #expect(throws: KeychainError.self) { try preferences.searchList() }
        #expect(throws: KeychainError.self) { try preferences.setSearchList([]) }
    }

    @Test("Changes of many threads at once are all made")
    func manyAtOnce() async throws {
        try preferences.setSearchList([])
        let preferences = preferences
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let path = "/login.keychain\(number)"
                    #expect(throws: Never.self) { try preferences.recordCreation(of: path) }
                }
            }
        }
        #expect(try preferences.searchList().count == 8)
    }
}
