// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import KeychainIdentity

/// Which memory of a process was written to, by `/proc/PID/smaps`.
struct CopiedMappingsTests {
    @Test("a page of a file that was written to is noticed, also when it is code again, and one that was read is not")
    func written() throws {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let page = try #require(mmap(nil, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0))
        defer { munmap(page, size) }
        let start = UInt64(UInt(bitPattern: page))
        let addresses = start..<start + UInt64(size)
        #expect(page.load(as: UInt8.self) == 0x7F)
        #expect(try !Self.copies().overlap(addresses))
        #expect(mprotect(page, size, PROT_READ | PROT_WRITE) == 0)
        page.storeBytes(of: 0, as: UInt8.self)
        #expect(mprotect(page, size, PROT_READ | PROT_EXEC) == 0)
        #expect(try Self.copies().overlap(addresses))
    }

    @Test(
        "a list is not guessed at",
        arguments: [
            "", "Anonymous: 0 kB\n", "1000-2000 r-xp 0 0:0 0\nRss: 4 kB\n", "1000-2000 r-xp 0 0:0 0\nAnonymous: x kB\n",
            "1000-2000 r-xp 0 0:0 0\n3000-4000 r-xp 0 0:0 0\nAnonymous: 0 kB\n", "2000-1000 r-xp\nAnonymous: 0 kB\n",
        ]
    )
    func malformed(_ text: String) { #expect(CopiedMappings(text: Array(text.utf8)) == nil) }

    @Test("memory in swap space counts, and a mapping beside is another one")
    func ranges() throws {
        let text = """
            1000-2000 r-xp 00000000 fe:00 7  /a: b
            Anonymous:             0 kB
            Swap:                  4 kB
            VmFlags: rd ex mr mw me sd
            2000-4000 r-xp 00000000 fe:00 7  /a
            Anonymous:             0 kB
            Swap:                  0 kB

            """
        let copies = try #require(CopiedMappings(text: Array(text.utf8)))
        #expect(copies.overlap(0x1fff..<0x3000))
        #expect(!copies.overlap(0x2000..<0x4000))
    }

    private static func copies() throws -> CopiedMappings {
        // Foundation reads a part of it.
        guard let file = Descriptor("/proc/self/smaps", O_RDONLY) else { throw POSIXError(.EACCES) }
        let text = file.contents(limit: 1 << 26) ?? []
        return try #require(CopiedMappings(text: text))
    }
}
