// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What a build needs of the system.
@Suite("Build dependencies")
struct BuildDependencyTests {
    private static let packages = ["libsqlite3-dev", "libssl-dev"]

    @Test("README names the packages that a build needs, and Scripts/setup installs them", arguments: packages)
    func named(_ package: String) throws {
        for file in ["README.md", "Scripts/setup"] {
            #expect(try Repository.lines(of: file).contains { $0.contains(package) }, "\(file)")
        }
    }

    @Test("a build without the headers of OpenSSL says which package has them")
    func missingHeaders() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let target = "\(Repository.root)/Sources/Certificates/CKeychainOpenSSL"
        // No folder of the system is searched.
        process.arguments =
            ["clang", "-fsyntax-only", "-nostdlibinc", "-I", "\(target)/include", "\(target)/x509.c"]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        let first = text.split(separator: "\n").first { $0.contains("error:") }
        #expect(first?.contains("install libssl-dev") == true, "\(text)")
    }
}
