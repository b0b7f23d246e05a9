// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainMacFrontEnd

/// One answer of two.
struct MergingTests {
    private static func data(_ text: String) -> ResultValue { .data(SecretBytes(Array(text.utf8))) }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var dataProtection: StandIn.Answer
        var files: StandIn.Answer
        var expected: StandIn.Answer
    }

    static let rows: [Row] = [
        Row(
            testDescription: "r. 143405965: a locked data protection keychain shows as not found",
            dataProtection: .failure(.interactionNotAllowed),
            files: .failure(.itemNotFound),
            expected: .failure(.itemNotFound)
        ),
        Row(
            testDescription: "an unknown attribute shows as not found",
            dataProtection: .failure(.noSuchAttribute),
            files: .failure(.itemNotFound),
            expected: .failure(.itemNotFound)
        ),
        Row(
            testDescription: "a missing entitlement is hidden by a match in a file",
            dataProtection: .failure(.missingEntitlement),
            files: .success(.single(data("file"))),
            expected: .success(.single(data("file")))
        ),
        Row(
            testDescription: "an error of the file is hidden by a success",
            dataProtection: .success(.single(data("dp"))),
            files: .failure(.authenticationFailed),
            expected: .success(.single(data("dp")))
        ),
        Row(
            testDescription: "one value: the data protection keychain hides the file",
            dataProtection: .success(.single(data("dp"))),
            files: .success(.single(data("file"))),
            expected: .success(.single(data("dp")))
        ),
        Row(
            testDescription: "two arrays are one, which may hold twice the limit",
            dataProtection: .success(.list([data("dp"), data("dp2")])),
            files: .success(.list([data("file")])),
            expected: .success(.list([data("dp"), data("dp2"), data("file")]))
        ),
        Row(
            testDescription: "an array drops a single value",
            dataProtection: .success(.list([data("dp")])),
            files: .success(.single(data("file"))),
            expected: .success(.list([data("dp")]))
        ),
        Row(
            testDescription: "without return keys the reference of the file is the answer",
            dataProtection: .success(.nothing),
            files: .success(.single(data("reference"))),
            expected: .success(.single(data("reference")))
        ),
    ]

    private static let query: PropertyDictionary = ["class": .string("genp"), "m_Limit": .number(.integer(2))]

    @Test("Two answers to a copy are one", arguments: rows)
    func copy(_ row: Row) {
        let frontEnd = FrontEndKeychain(
            dataProtection: StandIn([row.dataProtection]),
            files: StandIn([row.files])
        )
        #expect(frontEnd.outcome(.copyMatching(Self.query)).outcome == row.expected.outcome)
    }

    @Test(
        "Both keychains are asked to delete, whatever the first one says",
        arguments: [Status.success, .itemNotFound]
    )
    func delete(_ status: Status) {
        let first: StandIn.Answer = status == .success ? .success(.nothing) : .failure(status)
        let (dataProtection, files) = (StandIn([first]), StandIn([.failure(.itemNotFound)]))
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let outcome = frontEnd.outcome(.delete(Self.query))
        #expect(outcome.outcome == first.outcome)
        #expect(dataProtection.operations == [.delete(["class": .string("genp")])])
        #expect(files.operations == [.delete(Self.query)])
    }

    @Test("A single keychain's error stands")
    func oneSide() {
        var query = Self.query
        query["nleg"] = .boolean(true)
        let frontEnd = FrontEndKeychain(
            dataProtection: StandIn([.failure(.interactionNotAllowed)]),
            files: StandIn()
        )
        #expect(frontEnd.outcome(.copyMatching(query)).outcome == "\(Status.interactionNotAllowed)")
    }

    @Test("A set is an update, and an add where nothing matches; each finds its own keychain")
    func set() {
        let (dataProtection, files) = (
            StandIn([.failure(.itemNotFound)]), StandIn([.failure(.itemNotFound), .success(.nothing)])
        )
        let frontEnd = FrontEndKeychain(dataProtection: dataProtection, files: files)
        let changes: PropertyDictionary = ["labl": .string("new")]
        let outcome = frontEnd.outcome(.set(Self.query, attributes: changes, addition: ["class": .string("genp")]))
        #expect(outcome.outcome == StandIn.Answer.success(.nothing).outcome)
        #expect(dataProtection.operations == [.update(["class": .string("genp")], attributes: changes)])
        #expect(files.operations.last == .add(["class": .string("genp")]))
    }
}
