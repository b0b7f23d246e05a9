// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

/// Tests that throw, in the process that `ThrownErrorTests` starts.
@Suite(.keychain, .enabled(if: StrayTable.isChild)) struct ThrowingTests {
    private struct Refused: Error {}

    /// Throws what a wrapper of the keychain throws while the device is locked.
    private func readLocked() throws {
        #expect(Items.add() == errSecSuccess)
        try #require(App.current).device.lock()
        guard Items.read().status == errSecSuccess else { throw Refused() }
    }

    @Test func plain() throws { try readLocked() }  // told

    @Test(arguments: [1, 2]) func cases(_: Int) throws { try readLocked() }

    @Test func expected() throws {
        #expect(throws: Never.self) { try readLocked() }
        try #require(Bool(false))
    }

    @Test func withoutFailedCalls() throws { throw Refused() }

    #if compiler(>=6.3)
    @Test func cancelled() throws {
        try? readLocked()
        try Test.cancel("its device is locked")
    }
    #endif
}

@Suite("What a test throws is explained like a failed expectation")
struct ThrownErrorTests {
    @Test("once in each case, at the test, and only where calls have failed")
    func explained() throws {
        let (lines, _) = try StrayTable.run(["--testing-library", "swift-testing", "--filter", "ThrowingTests/"])
        let output = lines.joined(separator: "\n")
        func count(_ text: String) -> Int { output.components(separatedBy: text).count - 1 }
        #expect(count("Caught error: Refused()") == 4, "\(output)")
        // The three of readLocked() that are thrown, and both issues of expected().
        #expect(count("answered errSecInteractionNotAllowed: ") == 5, "\(output)")
        #expect(count("recorded an issue") == 6, "\(output)")
        let file = "ThrownErrorTests.swift"
        let path = "\(StrayTable.sources)/Tests/KeychainTestingTests/Traits/\(file)"
        let line = try StrayTable.lines(of: path) { $0.hasSuffix("// told") }
        let plain = StrayTable.toldLines(of: file, in: lines, mark: "Test plain() recorded an issue")
        #expect(plain == line, "\(output)")
    }
}
