// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

/// Where the keychain lies, by the environment.
struct KeychainLocationTests {
    @Test(
        "an environment names a folder",
        arguments: [
            (["SWIFT_KEYCHAIN_HOME": "/k", "XDG_DATA_HOME": "/d", "HOME": "/h"], "/k", nil),
            (["SWIFT_KEYCHAIN_HOME": "", "XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/swift-keychain", nil),
            (["XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/swift-keychain", nil),
            (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/swift-keychain", "/h"),
            (["XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/swift-keychain", "/h"),
            (["HOME": "/h"], "/h/.local/share/swift-keychain", "/h"),
            (["HOME": "relative"], "/u/.local/share/swift-keychain", "/u"),
            (["HOME": ""], "/u/.local/share/swift-keychain", "/u"),
            ([:], "/u/.local/share/swift-keychain", "/u"),
        ] as [([String: String], String, String?)]
    )
    func environment(environment: [String: String], path: String, parent: String?) throws {
        let location = try KeychainLocation(environment: { environment[$0] }, homeOfUser: { "/u" })
        #expect(location.path == path)
        #expect(location.isNamed == (path == "/k"))
        #expect(location.requiredParent == parent)
    }

    @Test(
        "a relative SWIFT_KEYCHAIN_HOME is refused",
        arguments: ["relative", "./relative", "~/keychain", " /k", "../k"]
    )
    func relative(_ path: String) {
        #expect(throws: FileError.unusablePath(path, "SWIFT_KEYCHAIN_HOME must be an absolute path")) {
            try KeychainLocation(environment: { $0 == "SWIFT_KEYCHAIN_HOME" ? path : nil }, homeOfUser: { "/u" })
        }
    }

    @Test("without any home there is no place")
    func noHome() {
        #expect(throws: FileError.noHome("of this user")) {
            try KeychainLocation(environment: { _ in nil }, homeOfUser: { nil })
        }
    }

    @Test("the user database knows the home of this user")
    func userDatabase() throws {
        let home = try #require(KeychainLocation.homeFromUserDatabase())
        #expect(home.hasPrefix("/"))
    }

    @Test("nothing is made below a home that does not exist or is no folder")
    func missingHome() throws {
        let base = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: base.path(of: "file")))
        for home in [base.path(of: "missing"), base.path(of: "file")] {
            let location = try KeychainLocation(environment: { $0 == "HOME" ? home : nil }, homeOfUser: { nil })
            #expect(throws: FileError.noHome(home)) { try PrivateDirectory(location) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path) == ["file"])
    }

    @Test("missing parents are made, for this user alone")
    func parents() throws {
        let base = try TemporaryFolder()
        let folder = try PrivateDirectory(KeychainLocation(path: base.path(of: "a/b/c")))
        #expect(folder.path.hasSuffix("/a/b/c"))
        for path in ["a", "a/b", "a/b/c"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: base.path(of: path))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("every error says what is wrong and names the path")
    func descriptions() {
        let errors: [FileError] = [
            .system(call: "open", path: "/p", errno: 13), .noHome("/p"), .unusablePath("/p", "why"),
            .exposed(path: "/p", "is open"), .wrongKind(path: "/p", expected: "a file"), .lockTimeout(path: "/p"),
            .foreignHome(path: "/p", owner: 1_000),
            .foreign(path: "/p", owner: 1_000),
        ]
        for error in errors { #expect("\(error)".contains("/p")) }
        #expect(Set(errors.map { "\($0)" }).count == errors.count)
    }
}
