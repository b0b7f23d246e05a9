// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite("A program of its own")
struct ProgramTests {
    // In the process of the tests the testing kit is linked, and no call reaches the person's own keychain.
    @Test("reaches the keychain of its user, run after run")
    func quickstart() throws {
        let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            .appendingPathComponent("keychain-quickstart").path
        let workshop = try Workshop()
        let script = """
            export SWIFT_KEYCHAIN_HOME="$PWD/home" SWIFT_KEYCHAIN_AUTHENTICATOR=none
            "$1" > first
            test -f home/keychain.db
            "$1" > second
            cmp first second
            """
        try workshop.run(script, program)
    }
}
