// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Scripts/install` links the testing kit into libraries of its own, which find our other modules in the library of
/// `Security`.
@Suite("Installed libraries")
struct InstallationTests {
    /// The modules of the kit's libraries.
    private static let kit = ["KeychainSimulation", "KeychainDoctor", "KeychainTesting"]

    @Test("the library of Security shows what the testing kit is built on")
    func symbols() throws {
        let map = try Repository.lines(of: "Scripts/Installation/Security-symbols.map")
        let imported = try Set(Self.kit.flatMap { try Self.imports(of: $0) }).subtracting(Self.kit)
        for module in imported.sorted() where Self.isOurs(module) {
            #expect(map.contains("    *\(module.utf8.count)\(module)*;"), "\(module) is imported by the testing kit")
        }
        #expect(imported.contains("KeychainFiles"))
    }

    @Test("a program's own C functions replace none of the library's, but those that the testing kit calls")
    func functionsInC() throws {
        let shown = try Repository.lines(of: "Scripts/Installation/Security-symbols.map").compactMap { line in
            line.firstMatch(of: /^ +(keychain_[a-z_*]+);$/).map { String($0.1) }
        }
        let sources = try Repository.files(in: Self.kit.map { "Sources/Testing/\($0)" }, ending: "swift")
        let called = try sources.flatMap(Repository.lines).flatMap { line in
            line.matches(of: /\b(keychain_[a-z_]+)\(/).map { String($0.1) }
        }
        #expect(Set(shown) == Set(called))
        for file in ["Package.swift", "Scripts/Installation/build.sh"] {
            #expect(try Repository.lines(of: file).contains { $0.contains("-Bsymbolic-functions") })
        }
    }

    /// Whether a module is in this package and in Swift; the functions of those in C have a common prefix.
    private static func isOurs(_ module: String) -> Bool {
        let files = (try? Repository.files(in: ["Sources"], ending: "swift")) ?? []
        return files.contains { $0.split(separator: "/").dropFirst(2).first == module[...] }
    }

    private static func imports(of module: String) throws -> [String] {
        try Repository.files(in: ["Sources/Testing/\(module)"], ending: "swift").flatMap(Repository.lines).compactMap {
            line in
            line.firstMatch(of: /^(?:@\S+ )*(?:public |package |internal )?import ([A-Za-z]+)/).map { String($0.1) }
        }
    }
}
