// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import generate_constants

/// The map of the modules, which is made of the manifest.
struct ModuleMapTests {
    private static let root = #filePath.components(separatedBy: "/Tests/KeychainCoreTests/")[0]

    private let map: ModuleMap

    init() throws {
        map = ModuleMap(manifest: try String(contentsOfFile: "\(Self.root)/Package.swift", encoding: .utf8))
    }

    @Test("the map of the architecture's page is that of the manifest")
    func upToDate() throws {
        let page = try String(contentsOfFile: "\(Self.root)/\(ModuleMap.page)", encoding: .utf8)
        #expect(map.written(into: page) == page, "run `Scripts/module-map`")
    }

    @Test("a module depends on none of a group above its own")
    func order() throws {
        for module in map.modules {
            let group = try #require(map.group(of: module.name))
            for dependency in module.dependencies {
                #expect(try #require(map.group(of: dependency)) <= group, "\(module.name) depends on \(dependency)")
            }
        }
        let services = try #require(map.modules.first { $0.name == "KeychainServices" })
        #expect(services.dependencies.contains("KeychainRouting"))
    }

    @Test("each folder below Sources is a group, with a folder for each module and a line that says what it is")
    func folders() throws {
        let files = FileManager.default
        #expect(try Set(files.contentsOfDirectory(atPath: "\(Self.root)/Sources")) == Set(map.groups.map(\.folder)))
        for group in map.groups {
            let folders = try Set(files.contentsOfDirectory(atPath: "\(Self.root)/Sources/\(group.folder)"))
            // Those that pass on others are together in one.
            let modules = Set(group.modules.map(\.name))
            #expect(folders.subtracting(modules).subtracting(["Reexports"]) == [])
            #expect(group.modules.allSatisfy { $0.summary.hasSuffix(".") })
        }
    }

    /// Those whose declarations a product passes on (Architecture, "What is public"), by name.
    private static let publicModules: Set = [
        "KeychainServices", "PortableSecurity", "Security", "LocalAuthenticationServices",
        "PortableLocalAuthentication", "LocalAuthentication", "CryptoKit", "CommonCryptoFunctions", "OSServices",
        "PortableOS", "Keychain",
        "KeychainRecipes", "KeychainSimulation", "KeychainCloud", "KeychainTesting", "KeychainTestingProduct",
        "SecurityProduct",
        "LocalAuthenticationProduct", "CryptoKitProduct", "CommonCryptoProduct", "KeychainLint", "KeychainLintParsing",
    ]

    @Test("a module that no product passes on declares nothing public")
    func access() throws {
        let declaration = /^ *(?:@\w+(?:\([^)]*\))? |static |final |nonisolated(?:\(unsafe\))? )*public\b/
        for group in map.groups {
            for module in group.modules where !Self.publicModules.contains(module.name) {
                let folder = "\(Self.root)/Sources/\(group.folder)/\(module.name)"
                let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
                for file in files where file.hasSuffix(".swift") {
                    let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                    let inText = Self.linesOfTexts(text)
                    let found = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter {
                        !inText.contains($0.offset) && $0.element.prefixMatch(of: declaration) != nil
                    }
                    #expect(found.isEmpty, "\(module.name)/\(file): \(found.map { $0.offset + 1 })")
                }
            }
        }
    }

    /// The numbers of the lines within texts of several lines, such as the source that a generator writes.
    private static func linesOfTexts(_ text: String) -> Set<Int> {
        var isText = false
        var numbers: Set<Int> = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if isText { numbers.insert(number) }
            if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) { isText.toggle() }
        }
        return numbers
    }

    @Test("README's table names the products that the manifest promises")
    func products() throws {
        let manifest = try String(contentsOfFile: "\(Self.root)/Package.swift", encoding: .utf8)
        let list = try #require(manifest.components(separatedBy: "let supportedProducts").dropFirst().first)
        let promised = list.components(separatedBy: "\n]\n")[0].matches(of: /name: "([^"]+)"/).map { String($0.1) }
        let readme = try String(contentsOfFile: "\(Self.root)/README.md", encoding: .utf8)
        let table = try #require(readme.components(separatedBy: "| product | what it is |\n").dropFirst().first)
        let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
        let named = rows.flatMap { row in row.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } }
        #expect(Set(named) == Set(promised) && named.count == promised.count)
    }
}
