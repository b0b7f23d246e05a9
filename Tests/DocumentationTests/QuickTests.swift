// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `Scripts/test --quick` leaves out.
struct QuickTests {
    @Test("the script leaves out what each line names, also with digits in it")
    func lines() throws {
        let script = try Repository.lines(of: "Scripts/test")
        let command = try #require(script.first { $0.contains("slow=$(") }).components(separatedBy: "slow=")[1]
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cd \"$0\" && printf %s \"\(command)\"", Repository.root]
        process.standardOutput = output
        try process.run()
        let pattern = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let names = try Self.names()
        #expect(pattern == names.map { "^" + $0.replacing(".", with: "[.]") + "[./]" }.joined(separator: "|"))
        #expect(names.contains { $0.contains { $0.isNumber } })
    }

    private static func names() throws -> [String] {
        try Repository.lines(of: "Scripts/slow-tests.txt").filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map { String($0.prefix { $0 != " " }) }
    }

    @Test("each suite or module that the quick run leaves out exists")
    func suites() throws {
        let files = try Repository.files(in: ["Tests"], ending: "swift")
        let names = try Self.names().map { $0.split(separator: ".") }
        #expect(names.count > 20)
        for name in names {
            // The files of a module may be links, which are not listed.
            #expect(FileManager.default.fileExists(atPath: "\(Repository.root)/Tests/\(name[0])"), "\(name)")
            guard name.count == 2 else { continue }
            let module = files.filter { $0.hasPrefix("Tests/\(name[0])/") }
            let isThere = try module.contains { file in
                try Repository.lines(of: file).contains {
                    $0.contains("struct \(name[1])") || $0.contains("class \(name[1])")
                }
            }
            #expect(isThere, "\(name)")
        }
    }
}
