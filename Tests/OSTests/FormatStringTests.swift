// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import OSServices

/// What os_log writes of a format and its values.
struct FormatStringTests {
    @Test("a string of counted bytes needs no NUL, and none of what follows is read")
    func countedBytes() {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let pages = mmap(nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        defer { munmap(pages, 2 * size) }
        memset(pages, 0x61, size)
        mprotect(pages + size, size, PROT_NONE)
        let last = UnsafePointer((pages + size - 3).assumingMemoryBound(to: CChar.self))
        #expect(FormatString("%{public}.*s|%{public}.2s", [3, last, last]).text == "aaa|aa")
        let long = String(repeating: "x", count: 2_000)
        #expect(FormatString("%{public}s", [long]).text == long)
    }

    @Test(
        arguments: [
            ("plain", "plain"), ("100%%", "100%"), ("%d", "7"), ("%{public}d", "7"), ("%{private}d", "<private>"),
            ("%5d|", "    7|"), ("%-5d|", "7    |"), ("%05ld", "00007"), ("%+lld", "+7"), ("%zu", "7"), ("%x", "7"),
            ("%{sensitive}d", "<private>"), ("%{public, private}d", "<private>"), ("%f", "<decode: mismatch for [%f]>"),
            ("%d %d", "7 <decode: missing data>"), ("%", ""), ("%{public", "<decode: mismatch for [%{]>public"),
            ("%p", "<decode: mismatch for [%p]>"),
        ]
    )
    func `a number`(_ format: String, _ text: String) { #expect(FormatString(format, [7]).text == text) }

    @Test(
        arguments: [
            ("%@", "<private>"), ("%s", "<private>"), ("%S", "<private>"), ("%{public}@", "s3cret"),
            ("%{public}s", "s3cret"), ("%{sensitive}@", "<private>"), ("%{private}s", "<private>"),
            ("%{public,private}@", "<private>"), ("%p", "<decode: mismatch for [%p]>"),
            ("%d", "<decode: mismatch for [%d]>"), ("%x", "<decode: mismatch for [%x]>"),
            ("%c", "<decode: mismatch for [%c]>"), ("%g", "<decode: mismatch for [%g]>"),
            ("%y", "<decode: mismatch for [%y]>"),
        ]
    )
    func `a text`(_ format: String, _ text: String) {
        #expect(FormatString(format, ["s3cret"]).text == text)
        #expect(FormatString(format, [NSString(string: "s3cret")]).text == text)
    }

    @Test func `other values`() {
        #expect(FormatString("%x %X %u", [Int32(-1), UInt8(255), Int8(-1)]).text == "ffffffff FF 255")
        #expect(FormatString("%.2f %g %e", [1.255, 0.5, Float(1)]).text == "1.25 0.5 1.000000e+00")
        #expect(FormatString("%*d|%.*f", [4, 7, 1, 0.25]).text == "   7|0.2")
        #expect(FormatString("%{public}5s|%{public}-5s|", ["abc", "abc"]).text == "  abc|abc  |")
        #expect(FormatString("%c%%", [65]).text == "A%")
        let masked = FormatString("%{mask.hash}@", ["s3cret"]).text
        #expect(masked.hasPrefix("<mask.hash: '") && !masked.contains("s3cret"))
    }

    @Test func `the functions write to their log, at their level`() {
        let record = Record()
        let log = record.log()
        os_log("%{public}@ %d", log: log, type: .error, "text", 7)
        os_log("%@", log: log, "s3cret")
        os_log(.debug, log: log, "%d", 7)
        os_log(.info, log: log, "\("s3cret") and \(7)")
        #expect(record.take() == ["error: text 7", "notice: <private>", "debug: 7", "info: <private> and 7"])
    }
}
