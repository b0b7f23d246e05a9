// SPDX-License-Identifier: Apache-2.0

import Foundation
import SecurityTranscripts
import Testing

/// Every row of `Cases/*.jsonl`: `specification` as it was given, `files` for what that lacks on keychain files, and
/// `delivery` for the data protection keychain and the program itself, which runs as a process.
@Suite(.timeLimit(.minutes(30)))
struct TranscriptTests {
    @Test("a row of the specification holds", arguments: try rows("specification"))
    func specificationHolds(_ row: Transcript) throws { #expect(try row.runInProcess() == []) }

    @Test("a row about keychain files holds", arguments: try rows("files"))
    func filesHold(_ row: Transcript) throws { #expect(try row.runInProcess() == []) }

    @Test("a row of our own holds", arguments: try rows("delivery"))
    func deliveryHolds(_ row: Transcript) throws { #expect(try row.run() == []) }

    @Test("every row of the specification is there")
    func specificationIsWhole() throws {
        let identifiers = try Self.rows("specification").map(\.id)
        #expect(identifiers.count == 166)
        #expect(Set(identifiers).count == identifiers.count)
    }

    private static func rows(_ name: String) throws -> [Transcript] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return try Transcript.load(folder.appendingPathComponent("Cases/\(name).jsonl"))
    }
}
