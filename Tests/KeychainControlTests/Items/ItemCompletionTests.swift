// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainControl

/// Names of passwords that shells complete on the command line of `keychainctl`.
struct ItemCompletionTests {
    @Test("names are offered, and none that a shell would take for more than text")
    func names() throws {
        let scene = try ItemScene()
        let services = [
            "com.example.tool", "$(touch x)", "`x`", "a b", "-s", "it's", "*", "~", "!x", "ü@example.com", "a\u{1B}[2J",
        ]
        for service in services {
            try scene.add(.genericPassword, ["svce": .string(service), "acct": .string("ada")])
        }
        try scene.add(.internetPassword, ["srvr": .string("example.com")])
        #expect(
            ItemCompletion.names(in: scene.control.keychain).sorted()
                == ["com.example.tool/ada", "example.com", "ü@example.com/ada"]
        )
    }

    @Test("nothing is offered of a locked keychain")
    func locked() throws {
        let scene = try ItemScene()
        try scene.add(.genericPassword, ["svce": .string("svc"), "acct": .string("ada")])
        #expect(!ItemCompletion.names(in: scene.control.keychain).isEmpty)
        try scene.lock()
        #expect(ItemCompletion.names(in: scene.control.keychain).isEmpty)
    }
}
