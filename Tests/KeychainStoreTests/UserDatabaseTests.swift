// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainHost

/// Accounts, as statically linked programs read them too.
struct UserDatabaseTests {
    private static func home(of user: uid_t, in file: String, capacity: Int = 1 << 14) -> (Int32, home: String?) {
        var home: String?
        let failure = UserDatabase.find(user, capacity: capacity, in: file) { home = String(cString: $1) }
        return (failure, home)
    }

    @Test("an account of a file is found between lines that are none, and a user without one is not")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "passwd")
        let long = String(repeating: "g", count: 5_000)
        let text = """
            root:x:0:0:root:/root:/bin/sh
            # a comment
            not an account

            ada:x:1815:1815:\(long):/home/ada:/bin/sh
            zoe:x:1816:1816::/home/zoe
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(Self.home(of: 0, in: path) == (0, "/root"))
        // A buffer that is too small at first.
        #expect(Self.home(of: 1815, in: path, capacity: 64) == (0, "/home/ada"))
        #expect(Self.home(of: 4242, in: path) == (ENOENT, nil))
        #expect(Self.home(of: 0, in: folder.path(of: "none")) == (ENOENT, nil))
    }

    @Test("this user's account is the one of the system, and its entry is copied before it is gone")
    func own() throws {
        #expect(UserDatabase.name(of: 0) == "root")
        #expect(try UserDatabase.home(of: 0) == "/root")
        #expect(UserDatabase.name(of: 3_999_999_999) == nil)
        #expect(try UserDatabase.home(of: 3_999_999_999) == nil)
    }
}
