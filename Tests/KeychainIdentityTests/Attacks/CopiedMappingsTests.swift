// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
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

    @Test("a list is read in parts as a whole, up to a limit of its size and of its executable mappings")
    func parts() throws {
        let folder = try TemporaryFolder()
        func read<List: MemoryList>(_ text: String, limit: Int = 1 << 26, as type: List.Type) throws -> List? {
            let path = folder.path(of: "list")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            guard let file = Descriptor(path, O_RDONLY) else { throw POSIXError(.ENOENT) }
            return List(file, limit: limit)
        }
        func mappings(_ count: Int, _ rest: String = "") -> String {
            (1...count).map { number in
                let (start, end) = (String(number << 13, radix: 16), String(number << 13 + 4096, radix: 16))
                let path = "/" + String(repeating: "p", count: number % 300)
                return "\(start)-\(end) r-xp 00000000 fe:00 7  \(path)\n\(rest)"
            }.joined()
        }
        let text = mappings(ExecutableMemory.maximumMappings)
        let memory = try #require(try read(text, as: ExecutableMemory.self))
        #expect(memory.unwritten.count == ExecutableMemory.maximumMappings)
        #expect(memory == ExecutableMemory(text: Array(text.utf8)))
        #expect(try read(mappings(ExecutableMemory.maximumMappings + 1), as: ExecutableMemory.self) == nil)
        #expect(errno == EFBIG)
        #expect(try read(text, limit: text.utf8.count - 1, as: ExecutableMemory.self) == nil && errno == EFBIG)
        let copied = mappings(20_000, "Anonymous: 4 kB\n")
        let copies = try #require(try read(copied, as: CopiedMappings.self))
        #expect(copies == CopiedMappings(text: Array(copied.utf8)))
        for number in [1, 2, 9_999, 20_000] as [UInt64] {
            #expect(copies.overlap(number << 13..<number << 13 + 1))
            #expect(copies.overlap(number << 13 - 1..<number << 13 + 1))
            #expect(!copies.overlap(number << 13 + 4096..<(number + 1) << 13))
        }
        let long = "1000-2000 r-xp 00000000 fe:00 7  /" + String(repeating: "p", count: 1 << 17)
        #expect(try read(long, as: ExecutableMemory.self) == nil)
    }

    private static func copies() throws -> CopiedMappings {
        // Foundation reads a part of it.
        guard let file = Descriptor("/proc/self/smaps", O_RDONLY) else { throw POSIXError(.EACCES) }
        let copies = CopiedMappings(file, limit: 1 << 26)
        return try #require(copies)
    }
}
