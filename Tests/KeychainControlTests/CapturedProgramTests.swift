// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Testing

/// Programs whose output is read.
struct CapturedProgramTests {
    private static func shell(_ script: String, atMost milliseconds: Int32? = nil) throws -> CapturedProgram {
        try CapturedProgram(
            ["sh", "-c", script],
            environment: ["PATH=/usr/bin:/bin", "WORD=ä"],
            input: .null,
            errors: .null,
            atMost: milliseconds
        )
    }

    @Test("its output and its exit status are had, and its variables are those that were given")
    func output() throws {
        let program = try Self.shell("printf '%s' \"$WORD\"; echo hidden >&2; exit 3")
        #expect(String(decoding: program.output, as: UTF8.self) == "ä")
        #expect(program.status == 3)
        #expect(try Self.shell("kill -TERM $$").status == 128 + SIGTERM)
    }

    @Test("its standard input is empty, and a megabyte of output is read")
    func streams() throws {
        let program = try Self.shell("cat; head -c 1048576 /dev/zero")
        #expect(program.output.count == 1 << 20)
        #expect(program.status == 0)
    }

    @Test("it is killed where it takes too long")
    func overdue() throws {
        #expect(try Self.shell("exec sleep 600", atMost: 50).status == 128 + SIGKILL)
        #expect(try Self.shell("exec >&-; exec sleep 600", atMost: 50).status == 128 + SIGKILL)
    }

    @Test("what cannot be started is an error")
    func missing() {
        #expect(throws: FileError.self) { try CapturedProgram(["/nonexistent/program"], errors: .null) }
    }
}
