// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// What a service for several programs refuses before it works on it.
struct CommandLimitTests {
    private static func commands(groups count: Int) -> [KeychainCommand] {
        let client = Client(accessGroups: (0..<count).map { "group.\($0)" })
        let request = KeychainRequest(.copyMatching([:]), client: client)
        return [
            .items(request), .explain(ExplanationRequest(request)), .itemsExplained(ExplanationRequest(request)),
        ]
    }

    @Test("a client claims 1,024 access groups at most, in whatever command it names them")
    func accessGroups() throws {
        for command in Self.commands(groups: 1_024) { try command.checkSizes() }
        for command in Self.commands(groups: 1_025) {
            let error = #expect(throws: KeychainError.self) { try command.checkSizes() }
            #expect(error?.status == .parameter)
        }
    }
}
