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
        for module in imported.sorted() where !Self.files(of: module).isEmpty {
            #expect(map.contains("    *\(module.utf8.count)\(module)*;"), "\(module) is imported by the testing kit")
        }
        #expect(imported.contains("KeychainFiles"))
    }

    /// The Swift files of a module of ours; none for others.
    private static func files(of module: String) -> [String] {
        let folder = "\(Repository.root)/Sources/\(module)"
        return (FileManager.default.subpaths(atPath: folder) ?? []).filter { $0.hasSuffix(".swift") }
            .map { "\(folder)/\($0)" }
    }

    private static func imports(of module: String) throws -> [String] {
        try files(of: module).flatMap { file in
            try String(contentsOfFile: file, encoding: .utf8)
                .matches(of: /(?m)^(?:@\S+ )*(?:public |package |internal )?import ([A-Za-z]+)/).map { String($0.1) }
        }
    }
}
