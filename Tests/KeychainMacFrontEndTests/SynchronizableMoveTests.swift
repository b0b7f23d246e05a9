// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// Updates of kSecAttrSynchronizable that move items from one keychain to the other.
struct SynchronizableMoveTests {
    private static let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("s")]
    private static let found: StandIn.Answer = .success(
        .single(
            .dictionary([
                "svce": .string("s"), "cdat": .date(.referenceDate), "agrp": .string("group"), "pdmn": .string("ak"),
            ])
        )
    )

    @Test(
        "To false: the data protection keychain's match is added to the file, then looked for as a synchronizable one"
    )
    func toFile() {
        let dataProtection = StandIn([Self.found, .failure(.itemNotFound)])
        let files = StandIn([.success(.nothing), .failure(.itemNotFound)])
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let changes: PropertyDictionary = ["sync": .boolean(false), "v_Data": .data(SecretBytes([1]))]
        // The add is the last that the file is asked for this side, and the update in place follows.
        let outcome = frontEnd.outcome(.update(Self.query, attributes: changes))
        #expect(outcome.outcome == "\(Status.itemNotFound)")
        var fetch = Self.query
        fetch["r_Attributes"] = .boolean(true)
        #expect(
            dataProtection.operations == [
                .copyMatching(fetch),
                .delete([
                    "class": .string("genp"), "svce": .string("s"), "sync": .boolean(true), "agrp": .string("group"),
                    "pdmn": .string("ak"),
                ]),
            ]
        )
        #expect(
            files.operations == [
                .add([
                    "class": .string("genp"), "svce": .string("s"), "cdat": .date(.referenceDate),
                    "v_Data": .data(SecretBytes([1])),
                ]),
                .update(Self.query, attributes: changes),
            ]
        )
    }

    @Test("To true: the file's matches move, and a duplicate is updated instead")
    func toDataProtection() {
        let item: [String: PropertyValue] = [
            "class": .string("genp"), "svce": .string("s"), "mdat": .date(.referenceDate),
            "v_Data": .data(SecretBytes([2])), "v_PersistentRef": .data(Self.reference),
        ]
        let dataProtection = StandIn([.failure(.itemNotFound), .failure(.duplicateItem)])
        let files = StandIn([.success(.single(.dictionary(item)))])
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let changes: PropertyDictionary = ["sync": .boolean(true)]
        #expect(
            frontEnd.outcome(.update(Self.query, attributes: changes)).outcome
                == StandIn.Answer.success(.nothing).outcome
        )
        #expect(
            dataProtection.operations == [
                .update(Self.query, attributes: changes),
                .add([
                    "class": .string("genp"), "svce": .string("s"), "v_Data": .data(SecretBytes([2])),
                    "sync": .boolean(true),
                ]),
                .update(["class": .string("genp"), "svce": .string("s"), "sync": .boolean(true)], attributes: changes),
            ]
        )
        var fetch = Self.query
        for key in ["r_Attributes", "r_Data", "r_PersistentRef"] { fetch[key] = .boolean(true) }
        #expect(files.operations == [.copyMatching(fetch), .delete(Self.deletion)])
    }

    private static let reference = SecretBytes(Array("a reference".utf8))

    /// Of the item that was moved, and no equal one.
    private static let deletion: PropertyDictionary = [
        "class": .string("genp"), "svce": .string("s"), "v_PersistentRef": .data(reference),
    ]

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the data protection keychain answers to the update in place, the add, and the update of an equal item.
        var answers: [StandIn.Answer]
        var expected: Status
        var deletes: Bool
    }

    private static let done: StandIn.Answer = .success(.nothing)

    static let failures: [Failure] = [
        Failure(
            testDescription: "an add that fails",
            answers: [.failure(.itemNotFound), .failure(.interactionNotAllowed)],
            expected: .interactionNotAllowed,
            deletes: false
        ),
        Failure(
            testDescription: "an equal item that is not found by the old attributes",
            answers: [.failure(.itemNotFound), .failure(.duplicateItem), .failure(.itemNotFound)],
            expected: .itemNotFound,
            deletes: false
        ),
        Failure(
            testDescription: "an equal item that cannot be changed",
            answers: [.failure(.itemNotFound), .failure(.duplicateItem), .failure(.authenticationFailed)],
            expected: .authenticationFailed,
            deletes: false
        ),
        Failure(testDescription: "none", answers: [.failure(.itemNotFound)], expected: .success, deletes: true),
    ]

    @Test("Whatever fails on the other side, the item of the file is deleted last or not at all", arguments: failures)
    func order(_ row: Failure) {
        let item: [String: PropertyValue] = [
            "class": .string("genp"), "svce": .string("s"), "v_PersistentRef": .data(Self.reference),
        ]
        let dataProtection = StandIn(row.answers)
        let files = StandIn([.success(.single(.dictionary(item)))])
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let outcome = frontEnd.outcome(.update(Self.query, attributes: ["sync": .boolean(true)]))
        let done = StandIn.Answer.success(.nothing).outcome
        #expect(outcome.outcome == (row.expected == .success ? done : "\(row.expected)"))
        #expect(files.operations.dropFirst() == (row.deletes ? [.delete(Self.deletion)] : []))
    }

    @Test("Of several items the one whose move fails stays, and the others go")
    func several() {
        let items = (0..<3).map { number -> ResultValue in
            .dictionary([
                "class": .string("genp"), "svce": .string("s"), "v_PersistentRef": .data(SecretBytes([number])),
            ])
        }
        let dataProtection = StandIn([.failure(.itemNotFound), Self.done, .failure(.allocate), Self.done])
        let files = StandIn([.success(.list(items))])
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let outcome = frontEnd.outcome(.update(Self.query, attributes: ["sync": .boolean(true)]))
        #expect(outcome.outcome == "\(Status.allocate)")
        let deleted = files.operations.dropFirst().map { $0.mainDictionary["v_PersistentRef"] }
        #expect(deleted == [0, 2].map { .data(SecretBytes([$0])) })
    }

    @Test("A move that fails leaves the source in place")
    func failure() {
        let dataProtection = StandIn([Self.found])
        let files = StandIn([.failure(.authenticationFailed)], usual: .failure(.authenticationFailed))
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let outcome = frontEnd.outcome(.update(Self.query, attributes: ["sync": .boolean(false)]))
        #expect(outcome.outcome == "\(Status.authenticationFailed)")
        #expect(dataProtection.operations.count == 1)
    }

    @Test("With the flag nothing moves")
    func flagged() {
        let (dataProtection, files) = (StandIn(), StandIn())
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        var query = Self.query
        query["nleg"] = .boolean(true)
        _ = frontEnd.outcome(.update(query, attributes: ["sync": .boolean(false)]))
        #expect(dataProtection.operations == [.update(Self.query, attributes: ["sync": .boolean(false)])])
        #expect(files.operations.isEmpty)
    }
}
