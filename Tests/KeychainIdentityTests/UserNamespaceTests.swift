// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainIdentity

/// What is in a user namespace of its own by design keeps the groups that its own proof gives it, and nothing else is
/// more than an unidentified sandbox.
@Suite(.enabled(if: UserNamespaces.arePossible, "this system lets this user make no user namespaces"))
struct UserNamespaceTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// The signed program in a user namespace of its own, as a program with a label and in a control group.
    private func identity(label: String? = nil, group: String? = nil) throws -> ClientIdentity {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("isolate") == "isolated")
        let peer = try PeerProcess(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        var record = IdentityRecord()
        return ProgramExaminer(bench.options)
            .identify(peer, label: label, group: group.flatMap { ControlGroup(text: Array($0.utf8)) }, record: &record)
            .identity
    }

    @Test("a program of a snap has the groups of the snap")
    func snap() throws {
        let identity = try identity(label: "snap.browser.renderer (enforce)")
        #expect(identity.kind == .snap("browser"))
        #expect(identity.groups(claimed: ["snap/browser/cache", "mine"]) == ["snap/browser", "snap/browser/cache"])
        #expect(identity.isSandboxed)
    }

    @Test("a label of a snap in a control group of another one, or of none, is no proof")
    func snapInOtherGroup() throws {
        let folder = "0::/user.slice/user-1000.slice/user@1000.service/app.slice"
        let label = "snap.browser.renderer (enforce)"
        let own = try identity(label: label, group: "\(folder)/snap.browser.renderer-1.scope\n")
        #expect(own.kind == .snap("browser"))
        for unit in ["snap.other.renderer-1.scope", "app-terminal.scope"] {
            let identity = try identity(label: label, group: "\(folder)/\(unit)\n")
            expectSandboxed(identity, "user namespace")
            #expect(identity.groups(claimed: ["snap/browser"]).isEmpty)
        }
    }

    @Test("a service of the system (PrivateUsers=) has the groups of its unit, and none of its manifest")
    func unit() throws {
        let identity = try identity(group: "0::/system.slice/tool.service\n")
        #expect(identity.kind == .systemUnit("tool.service"))
        let groups = identity.groups(claimed: ["systemd/tool.service/cache", "mine"])
        #expect(groups == ["systemd/tool.service", "systemd/tool.service/cache"])
        #expect(identity.isSandboxed)
    }

    @Test("any other program is in an unidentified sandbox, with a manifest or without")
    func others() throws {
        for (label, group) in [
            (nil, nil), ("snap.browser.renderer (complain)", nil), ("unconfined", "0::/user.slice/tool.service\n"),
        ] as [(String?, String?)] {
            expectSandboxed(try identity(label: label, group: group), "user namespace")
        }
    }
}
