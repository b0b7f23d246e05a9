// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What holds for every declaration of the module.
struct DeclarationTests {
    @Test("every public function that returns something may be called for its effect, as imported C functions may")
    func resultsAreDiscardable() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/API/KeychainServices").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        var functions = 0
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            for declaration in text.components(separatedBy: "\npublic func ").dropFirst() {
                let head = declaration.prefix { $0 != "{" }
                guard head.components(separatedBy: ")").last?.contains("->") ?? false else { continue }
                functions += 1
                let marked = text.contains("@discardableResult\npublic func \(head)")
                #expect(marked, "\(file.lastPathComponent): \(head.prefix { $0 != "(" })")
            }
        }
        #expect(functions > 60)
    }
}
