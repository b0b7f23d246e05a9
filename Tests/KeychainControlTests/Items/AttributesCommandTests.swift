// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl attributes`: what programs of the Secret Service store with items.
struct AttributesCommandTests {
    private let control = Control(EmbeddedKeychain.inMemory())

    private func store(_ attributes: LookupAttributes, label: String) throws {
        let contents = LookupContents(
            attributes: attributes,
            label: label,
            secret: SecretBytes(Array("s3cret".utf8)),
            contentType: "text/plain"
        )
        let request = LookupRequest(.store(contents, replacing: false), client: .person)
        _ = try control.keychain.perform(.lookup(request))
    }

    @Test("items are shown with their attributes, without what a terminal would obey, and without secrets")
    func items() throws {
        try store(["service": "example", "target": "de\u{1B}fault"], label: "Example")
        try store(["service": "other"], label: "")
        let all = try control.run(["attributes"])
        #expect(
            all
                == Control.Outcome(
                    status: 0,
                    output: "Example\n  service=example\n  target=de?fault\n(no label)\n  service=other"
                )
        )
        #expect(try control.run(["attributes", "service=other"]).output == "(no label)\n  service=other")
    }

    @Test("an item of the item functions is shown with what its columns give")
    func derived() throws {
        var stored = control
        stored.input = "s3cret"
        #expect(try stored.run(["set", "svc/ada"]).status == 0)
        let found = try control.run(["attributes", "username=ada"])
        #expect(found.output == "svc\n  account=ada\n  service=svc")
    }

    @Test("a search that finds nothing ends with 1")
    func nothing() throws {
        let found = try control.run(["attributes", "service=none"])
        #expect(found.status == 1 && found.output.isEmpty)
        #expect(found.error.contains("no password has these attributes"))
    }

    @Test("a reply that is none to the search is an error, and not that there is nothing")
    func unexpectedReply() throws {
        let outcome = try Control(DoneKeychain()).run(["attributes"])
        #expect(outcome.status == 1 && outcome.error.contains(KeychainError.unexpectedReply.reason))
    }

    /// A keychain with one reply to everything.
    private final class DoneKeychain: KeychainBackend {
        let families = CommandFamily.all

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { .done }
    }

    @Test("what is no name and value, or is given twice, is refused", arguments: [["service"], ["a=1", "a=2"]])
    func wrongArguments(_ words: [String]) throws {
        #expect(try control.run(["attributes"] + words).status == 2)
    }
}
