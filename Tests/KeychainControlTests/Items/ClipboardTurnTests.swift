// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Which copy to a clipboard was the last one.
struct ClipboardTurnTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func turn(_ clipboard: Clipboard, _ display: String = "") -> ClipboardTurn {
        ClipboardTurn(of: clipboard) { [folder] in ["XDG_RUNTIME_DIR": folder.path, "DISPLAY": display][$0] }
    }

    @Test("only the last copy is the last one")
    func last() {
        let (first, second) = (turn(.xclip), turn(.xclip))
        #expect(!first.isLast && second.isLast)
        first.end()
        #expect(!first.isLast && second.isLast)
    }

    @Test("copies to other clipboards, or those of other displays, do not count")
    func others() {
        let turns = [turn(.xclip), turn(.xsel), turn(.xclip, ":1"), turn(.terminal("/dev/pts/1"))]
        #expect(turns.allSatisfy { $0.isLast })
    }

    @Test("a link in the place of its file is not read")
    func link() throws {
        let turn = turn(.xclip)
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        #expect(rename(folder.path(of: name), folder.path(of: "other")) == 0)
        try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path(of: "other")))
        #expect(symlink(folder.path(of: "other"), folder.path(of: name)) == 0)
        #expect(turn.isLast)
    }
}
