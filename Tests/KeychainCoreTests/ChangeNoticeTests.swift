// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// What other programs are notified of after a command.
struct ChangeNoticeTests {
    @Test(
        "a call concerns its class, and the access group that it names or all that it could mean",
        arguments: [
            (.add(["class": .string("genp")]), ["genp a"]),
            (.add(["class": .string("genp"), "agrp": .string("b")]), ["genp b"]),
            (.add([:]), ["genp a", "inet a", "cert a", "keys a"]),
            (.copyMatching(["class": .string("genp")]), nil),
            (.update(["class": .string("inet")], attributes: [:]), ["inet a", "inet b"]),
            (.update(["class": .string("inet"), "agrp": .string("a")], attributes: [:]), ["inet a"]),
            (
                .update(["class": .string("inet"), "agrp": .string("a")], attributes: ["agrp": .string("b")]),
                ["inet a", "inet b"]
            ),
            (.delete(["class": .string("idnt"), "agrp": .string("a")]), ["cert a", "keys a"]),
            (.delete(["class": .string("keys")]), ["keys a", "keys b"]),
            (
                .set(
                    ["class": .string("genp"), "agrp": .string("a")],
                    attributes: [:],
                    addition: ["agrp": .string("b")]
                ),
                ["genp a", "genp b"]
            ),
        ] as [(KeychainRequest.Operation, [String]?)]
    )
    func calls(_ operation: KeychainRequest.Operation, _ expected: [String]?) {
        let request = KeychainRequest(operation, client: Client(accessGroups: ["a", "b"]))
        for command in [KeychainCommand.items(request), .itemsExplained(ExplanationRequest(request))] {
            #expect(ChangeNotice(of: command).map(Self.text) == expected.map { $0.sorted() })
        }
        #expect(ChangeNotice(of: .explain(ExplanationRequest(request))) == nil)
    }

    @Test("a command by lookup attributes concerns passwords of all groups that it could mean, and a search none")
    func lookups() {
        let contents = LookupContents(attributes: .init(), label: "", secret: SecretBytes(), contentType: "")
        let passwords = ["genp a", "genp b", "inet a", "inet b"]
        for (operation, expected) in [
            (.search(LookupAttributes()), nil), (.describe([.zero]), nil), (.secrets([.zero]), nil),
            (.store(contents, replacing: true), passwords), (.change(.zero, .label("")), passwords),
            (.delete(.zero), passwords),
        ] as [(LookupRequest.Operation, [String]?)] {
            let request = LookupRequest(operation, client: Client(accessGroups: ["a", "b"]))
            #expect(ChangeNotice(of: .lookup(request)).map(Self.text) == expected)
        }
    }

    @Test("what concerns every group, or too many, may have changed anything")
    func anything() {
        let everything: PropertyDictionary = ["class": .string("genp")]
        let person = KeychainRequest(.delete(everything), client: .person)
        #expect(ChangeNotice(of: .items(person)) == .unknown)
        let many = Client(accessGroups: (0...ChangeNotice.maximumItems).map { "group \($0)" })
        #expect(ChangeNotice(of: .items(KeychainRequest(.delete(everything), client: many))) == .unknown)
        #expect(ChangeNotice(of: .items(KeychainRequest(.add(everything), client: many))) != .unknown)
        for command in [
            KeychainCommand.device(.removePasscode(SecretBytes())), .maintenance(.recover),
            .maintenance(.restoreBackup(RestoreRequest(from: .path("/"), secret: SecretBytes()))),
        ] { #expect(ChangeNotice(of: command) == .unknown) }
        for command in [KeychainCommand.device(.lock), .device(.status), .maintenance(.check), .enclave(.kind)] {
            #expect(ChangeNotice(of: command) == nil)
        }
    }

    @Test("two notices are merged into one, which stays small")
    func merging() {
        var notice = ChangeNotice.changed([ChangedItems(.key, in: "a")])
        notice.merge(.changed([ChangedItems(.key, in: "a"), ChangedItems(.key, in: "b")]))
        #expect(Self.text(notice) == ["keys a", "keys b"])
        for number in 0..<1000 { notice.merge(.changed([ChangedItems(.key, in: "\(number)")])) }
        #expect(notice == .unknown)
        notice.merge(.changed([]))
        #expect(notice == .unknown)
        let half = String(repeating: "x", count: ChangeNotice.maximumGroupNameBytes / 2)
        notice = .changed([ChangedItems(.key, in: half)])
        notice.merge(.changed([ChangedItems(.key, in: half)]))
        #expect(notice == .changed([ChangedItems(.key, in: half)]))
        notice.merge(.changed([ChangedItems(.key, in: half + "y")]))
        #expect(notice == .unknown)
        let long: PropertyDictionary = ["class": .string("genp"), "agrp": .string(half + half + "y")]
        let add = KeychainRequest(.add(long), client: Client(accessGroups: []))
        #expect(ChangeNotice(of: .items(add)) == .unknown)
    }

    @Test("groups that only look alike are different")
    func spelling() {
        #expect(ChangedItems(.key, in: "\u{e9}") != ChangedItems(.key, in: "e\u{301}"))
        #expect(Set([ChangedItems(.key, in: "\u{e9}"), ChangedItems(.key, in: "e\u{301}")]).count == 2)
    }

    private static func text(_ notice: ChangeNotice) -> [String] {
        guard case .changed(let items) = notice else { return ["anything"] }
        return items.map { "\($0.itemClass.rawValue) \($0.accessGroup)" }.sorted()
    }
}
