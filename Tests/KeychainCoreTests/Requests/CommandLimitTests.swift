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

    /// Every command that has a context.
    private static func commands(_ change: (inout AuthenticationContext) -> Void) -> [KeychainCommand] {
        var context = AuthenticationContext()
        change(&context)
        let request = KeychainRequest(
            .copyMatching([PropertyKey.useAuthenticationContext: .authenticationContext(context)]),
            client: .person
        )
        let accessControl = AccessControl(synthesizedFor: .whenUnlocked)
        return [
            .items(request), .explain(ExplanationRequest(request)), .itemsExplained(ExplanationRequest(request)),
            .authentication(.check(.deviceOwner, context)),
            .authentication(.evaluate(.policy(.deviceOwner), reason: "", context)),
            .enclave(.makeKey(.p256, accessControl, context)),
            .enclave(.use(.sign(digest: [1]), SecretBytes([1]), context)),
        ]
    }

    private static func isRefused(_ command: KeychainCommand) -> Bool {
        do throws(KeychainError) { try command.checkSizes() } catch { return error.status == .parameter }
        return false
    }

    private static let setters: [@Sendable (String, inout AuthenticationContext) -> Void] = [
        { $1.settings.localizedReason = $0 }, { $1.settings.localizedFallbackTitle = $0 },
        { $1.settings.localizedCancelTitle = $0 },
    ]

    @Test("each text of a prompt has 4,096 bytes at most, in whatever command it is", arguments: setters.indices)
    func texts(_ index: Int) {
        let longest = String(repeating: "é", count: 2_048)
        for (text, isRefused) in [(longest, false), (longest + "a", true)] {
            for command in Self.commands({ Self.setters[index](text, &$0) }) {
                #expect(Self.isRefused(command) == isRefused, "\(command)")
            }
        }
    }

    @Test("the reason of an evaluation has 4,096 bytes at most")
    func reason() {
        for (count, isRefused) in [(4_096, false), (4_097, true)] {
            let text = String(repeating: "a", count: count)
            let command = KeychainCommand.authentication(
                .evaluate(.policy(.deviceOwner), reason: text, AuthenticationContext())
            )
            #expect(Self.isRefused(command) == isRefused)
        }
    }

    @Test("an application password has 65,536 bytes at most, in whatever command it is")
    func passwords() {
        for (count, isRefused) in [(65_536, false), (65_537, true)] {
            let password = SecretBytes(Array(repeating: 1, count: count))
            for command in Self.commands({ $0.applicationPassword = password }) {
                #expect(Self.isRefused(command) == isRefused, "\(count)")
            }
        }
    }
}
