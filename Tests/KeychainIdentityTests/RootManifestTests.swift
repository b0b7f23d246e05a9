// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Root-owned manifests, with this user in root's place and one folder in that of the whole system.
struct RootManifestTests {
    private let bench: Workbench
    private let tool: String
    private let file: String

    init() throws {
        bench = try Workbench()
        tool = try bench.install()
        file = bench.options.rootManifestFolder + "/tool.json"
    }

    /// Whoever runs the test stands for root, but for the libraries of the system.
    private func options(_ trusted: Bool = true) -> IdentityOptions {
        var options = bench.options
        if trusted { options.trust = FileTrust(owner: geteuid(), base: bench.folder.path) }
        return options
    }

    private func describe(_ members: [String: JSONValue] = [:]) throws {
        let fixed: [String: JSONValue] = [
            "version": .integer(1), "path": .string(tool), "applicationIdentifier": .string("com.example.tool"),
            "accessGroups": .strings(["com.example.vault", "com.example.notes"]),
            "exclusiveGroups": .strings(["com.example.vault"]),
        ]
        try bench.write(JSONValue.object(fixed.merging(members) { $1 }).text, to: file)
    }

    private func identity(_ path: String? = nil) -> ClientIdentity {
        ProgramExaminer(options()).identify(programAt: path ?? tool, bench.record).identity
    }

    @Test("a program that root has named has its groups, and others do not have those that are exclusive")
    func named() throws {
        try describe()
        let identity = identity()
        #expect(identity.kind == .rootManifest(file), "\(identity.reasons)")
        #expect(identity.groups(claimed: ["x"]) == ["com.example.vault", "com.example.notes"])
        let other = self.identity(try bench.install("other"))
        #expect(other.groups(claimed: ["com.example.vault", "com.example.notes"]) == ["com.example.notes"])
    }

    @Test("a manifest, or a folder, that others can change counts for nothing")
    func exposed() throws {
        try describe()
        chmod(file, 0o666)
        #expect(identity().kind == .anonymous)
        chmod(file, 0o644)
        #expect(identity().kind != .anonymous)
        chmod(bench.options.rootManifestFolder, 0o777)
        #expect(identity().kind == .anonymous)
    }

    @Test("a manifest by path alone counts only for an executable that others cannot change")
    func exposedExecutable() throws {
        try describe()
        chmod(tool, 0o777)
        #expect(identity().kind == .anonymous)
        try describe(["sha256": .string(try ProgramFile(path: tool).digest.description)])
        #expect(identity().kind == .rootManifest(file))
        try describe(["sha256": .string(SHA256Value(of: []).description)])
        #expect(identity().reasons.contains { $0.contains("after an upgrade") })
    }

    @Test("a manifest that names a team counts for every version that the team signs")
    func team() throws {
        try describe(["team": .string(bench.team.description)])
        #expect(identity().kind == .anonymous)
        try bench.sign(tool, by: TeamKey()) { contents in
            contents.team = self.bench.team
        }
        #expect(identity().kind == .anonymous, "signed by a stranger")
        try bench.sign(tool)
        let identity = identity()
        #expect(identity.kind == .signed(bench.team))
        #expect(identity.ownedGroups.contains("com.example.vault"))
        try PeerProgram.run(["/bin/sh", "-c", "printf x >> \"$1\"", "sh", tool])
        #expect(self.identity().kind == .anonymous)
        try bench.sign(tool) { $0.serial = 8 }
        #expect(self.identity().ownedGroups.contains("com.example.vault"))
    }

    @Test("rights of the owner come from a root-owned manifest")
    func ownerRights() throws {
        try describe(["ownerRights": .boolean(true)])
        #expect(identity().hasOwnerRights)
        try describe()
        #expect(!identity().hasOwnerRights)
    }

    @Test("rights of a manager of passwords come from a root-owned manifest")
    func managerRights() throws {
        try describe(["managerRights": .boolean(true)])
        #expect(identity().hasManagerRights && !identity().hasOwnerRights)
        try describe()
        #expect(!identity().hasManagerRights)
    }

    @Test("a manifest that cannot be read is named, and the others count")
    func damaged() throws {
        try describe()
        try bench.write("{", to: bench.options.rootManifestFolder + "/a.json")
        let found = ProgramExaminer(options()).identify(programAt: tool, bench.record)
        #expect(found.identity.kind == .rootManifest(file))
        #expect(found.checks.contains { $0.detail.contains("a.json is ignored") })
    }
}
