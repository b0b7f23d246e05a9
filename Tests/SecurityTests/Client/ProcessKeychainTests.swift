// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// The keychain of the process, each case in a process of its own: the environment is looked at once.
struct ProcessKeychainTests {
    @Test("a relative SWIFT_KEYCHAIN_HOME is errSecNotAvailable, and makes nothing")
    func relativeHome() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            #expect(chdir(folder.path) == 0)
            setenv("SWIFT_KEYCHAIN_HOME", "relative/home", 1)
            try Self.expectNoKeychain(in: folder)
        }
    }

    @Test("in a home that does not exist nothing is found, an add is errSecNotAvailable, and nothing is made")
    func missingHome() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            unsetenv("SWIFT_KEYCHAIN_HOME")
            unsetenv("XDG_DATA_HOME")
            setenv("HOME", folder.path(of: "missing"), 1)
            #expect(Self.statuses() == [errSecNotAvailable] + Array(repeating: errSecItemNotFound, count: 3))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("a relative XDG_DATA_HOME does not count, and the keychain lies below the home")
    func relativeDataHome() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            unsetenv("SWIFT_KEYCHAIN_HOME")
            setenv("XDG_DATA_HOME", "relative", 1)
            setenv("HOME", folder.path, 1)
            #expect(Self.statuses().first == errSecSuccess)
            let store = folder.path(of: ".local/share/swift-keychain/keychain.db")
            #expect(FileManager.default.fileExists(atPath: store))
        }
    }

    private static func expectNoKeychain(in folder: TemporaryFolder) throws {
        #expect(statuses() == Array(repeating: errSecNotAvailable, count: 4))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    private static func statuses() -> [OSStatus] {
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "process"]
        // The testing kit is linked here, and would keep every call without a context from the process's own keychain.
        return KeychainContext.$current.withValue(.process) {
            [Items.add(item), Items.copy(item).status, Items.update(item, [:]), Items.delete(item)]
        }
    }
}
