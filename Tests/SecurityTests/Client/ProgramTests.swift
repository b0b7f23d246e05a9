// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("A program of its own")
struct ProgramTests {
    // In the process of the tests the testing kit is linked, and no call reaches the person's own keychain.
    @Test("reaches the keychain of its user, run after run")
    func quickstart() throws {
        let script = """
            export SWIFT_KEYCHAIN_HOME="$PWD/home" SWIFT_KEYCHAIN_AUTHENTICATOR=none
            "$1" > first
            test -f home/keychain.db
            "$1" > second
            cmp first second
            """
        try Workshop().run(script, Self.path(of: "keychain-quickstart"))
    }

    @Test("that has the simulation in it reaches no keychain outside of an app, and makes no file")
    func stray() throws {
        let script = """
            export HOME="$PWD/person" XDG_DATA_HOME="$PWD/person/data" SWIFT_KEYCHAIN_HOME="$PWD/home"
            "$1" > answers 2> complaint
            test "$(cat answers)" = "$(printf "%s\n" "$2 $2" "0 $2")"
            grep -q VirtualDevice complaint
            test ! -e home
            test ! -e person
            """
        try Workshop().run(script, Self.path(of: "keychain-stray"), "\(errSecNotAvailable)")
    }

    private static func path(of program: String) throws -> String {
        try #require(Bundle.main.executableURL).deletingLastPathComponent().appendingPathComponent(program).path
    }
}
