// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainHost
import KeychainTestSupport
import Testing

/// Which folders on a path let another user put something else in the place of what the path leads to.
@Suite(.enabled(if: geteuid() == 0, "only the superuser can give a folder away"))
struct ReplaceablePartTests {
    private let base: TemporaryFolder
    private var shared: String { base.path(of: "shared") }
    private var keychain: String { base.path(of: "shared/keychain") }

    init() throws {
        base = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: keychain, withIntermediateDirectories: true)
        for path in [shared, keychain] { #expect(chmod(path, 0o700) == 0) }
    }

    private func expectPart(_ path: String?, owner: UInt32? = nil, of other: String? = nil) {
        #expect(ReplaceablePart(of: other ?? keychain) == path.map { ReplaceablePart(path: $0, owner: owner) })
    }

    @Test("folders of one's own that nobody else may write to let nobody, nor do the system's")
    func own() {
        expectPart(nil)
        expectPart(nil, of: "/usr/bin")
        expectPart(nil, of: "/")
        expectPart(nil, of: "\(keychain)/that/is/not/there")
    }

    @Test("a folder of another user does, however it may be written", arguments: [0o755, 0o1777, 0o500] as [mode_t])
    func foreign(_ mode: mode_t) {
        #expect(chown(shared, 1, 1) == 0 && chmod(shared, mode) == 0)
        expectPart(shared, owner: 1)
    }

    @Test("a folder that others or a group may write to does, unless it has the sticky bit")
    func writable() {
        #expect(chown(shared, 0, 1) == 0)
        for (mode, isReplaceable) in [
            (0o777, true), (0o770, true), (0o702, true), (0o1777, false), (0o1770, false), (0o755, false),
        ] as [(mode_t, Bool)] {
            #expect(chmod(shared, mode) == 0)
            expectPart(isReplaceable ? shared : nil)
        }
        #expect(chmod(shared, 0o770) == 0)
        #expect(ReplaceablePart(of: keychain, countingGroup: false) == nil)
        // The user's private group.
        #expect(chown(shared, 0, 0) == 0)
        expectPart(nil)
    }

    @Test("a link of another user does, and so does a folder that a link leads through")
    func links() throws {
        let link = base.path(of: "link")
        try #require(symlink("shared/keychain", link) == 0)
        expectPart(nil, of: link)
        #expect(chmod(shared, 0o777) == 0)
        expectPart("\(base.path)/shared", of: link)
        #expect(chmod(shared, 0o700) == 0 && lchown(link, 1, 1) == 0)
        expectPart(link, owner: 1, of: link)
        try #require(unlink(link) == 0 && symlink(link, link) == 0)
        expectPart(nil, of: link)
    }
}
