// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Testing

/// What is read from a descriptor up to its end.
struct DescriptorContentsTests {
    /// A pipe, its ends closed at the end of a test.
    private final class Pipe {
        private var ends: [Int32] = [-1, -1]
        /// With some bytes written, and the writing end still open if wished.
        init(_ bytes: [UInt8], staysOpen: Bool = false, isBlocking: Bool = true) {
            #expect(pipe(&ends) == 0)
            if !isBlocking { #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) }
            write(ends[1], bytes, bytes.count)
            if !staysOpen { closeInput() }
        }

        func closeInput() {
            if ends[1] >= 0 { close(ends[1]) }
            ends[1] = -1
        }

        /// What can be read from it, while it is there.
        func contents(atMost limit: Int = .max, until deadline: Deadline? = nil) -> DescriptorContents {
            DescriptorContents(of: ends[0], atMost: limit, until: deadline)
        }

        deinit {
            closeInput()
            close(ends[0])
        }
    }

    @Test("all bytes to the end are read")
    func complete() {
        let contents = Pipe([1, 2, 3]).contents()
        #expect(contents.bytes == [1, 2, 3])
        #expect(contents.end == .complete)
        #expect(Pipe([]).contents(atMost: 0).end == .complete)
    }

    @Test("no more than the limit is kept", arguments: [(2, true), (3, false), (4, false)])
    func limit(_ limit: Int, _ isTooLong: Bool) {
        let contents = Pipe([1, 2, 3]).contents(atMost: limit)
        #expect(contents.bytes == Array([1, 2, 3].prefix(limit)))
        #expect(contents.end == (isTooLong ? .tooLong : .complete))
    }

    @Test("what has come by the deadline is kept", arguments: [true, false])
    func deadline(_ isBlocking: Bool) {
        let pipe = Pipe([1, 2], staysOpen: true, isBlocking: isBlocking)
        let contents = pipe.contents(until: Deadline(milliseconds: 10))
        #expect(contents.bytes == [1, 2])
        #expect(contents.end == .overdue)
    }

    @Test("an error is not the end of the input")
    func failure() {
        let folder = open("/", O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        #expect(DescriptorContents(of: folder).end == .failed(errno: EISDIR))
        #expect(DescriptorContents(of: 1 << 20).end == .failed(errno: EBADF))
    }
}
