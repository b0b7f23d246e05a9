// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import SecurityTool

/// What follows a line of a pipe.
@Suite(.timeLimit(.minutes(5)))
struct LineReaderTests {
    private let pipe = Pipe()
    private let reader: LineReader

    init() { reader = LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor, readsAhead: false) }

    @Test("nothing follows in a pipe that stays open")
    func open() throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
        _ = try reader.next()
        #expect(try !reader.isFollowed(within: 0))
        withExtendedLifetime(pipe) {}
    }

    @Test("the end is known at once")
    func end() throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
        try pipe.fileHandleForWriting.close()
        _ = try reader.next()
        #expect(try !reader.isFollowed(within: .max))
    }

    @Test("a device that has no end, and no lines, ends the reading")
    func endless() throws {
        let zero = try #require(FileHandle(forReadingAtPath: "/dev/zero"))
        let reader = LineReader(descriptor: zero.fileDescriptor, readsAhead: true)
        let failure = #expect(throws: LineReader.Failure.self) { _ = try reader.next() }
        #expect(failure?.code == EFBIG)
    }

    @Test("a line that comes later follows", arguments: ["two\n", "two", "\n"])
    func later(_ text: String) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
        _ = try reader.next()
        let end = pipe.fileHandleForWriting
        let writer = Thread { try? end.write(contentsOf: Data(text.utf8)) }
        writer.start()
        #expect(try reader.isFollowed(within: .max))
    }
}
