// SPDX-License-Identifier: Apache-2.0

import Testing

/// A call with three bare arguments says nothing of what they are, and nothing of two that were swapped.
///
/// Functions of C keep the shape of C (`@_cdecl`, `@_extern`, `@_silgen_name`), and Apple's keep Apple's.
@Suite("Labels of arguments")
struct ArgumentLabelTests {
    private static let folders = ["Sources", "Tests", "Benchmarks", "Fuzzing", "Examples", "Plugins"]

    nonisolated(unsafe) private static let declaration =
        /^ *(?:[\w@]+(?:\([^)]*\))? )*(?:func (?<name>[^ (<]+) ?|init[?!]?|subscript)(?:<[^(]*>)?(?=\()/
    nonisolated(unsafe) private static let shapeOfC = /^ *@_(?:cdecl|extern|silgen_name)\(/
    nonisolated(unsafe) private static let nameOfApple = /^(?:Sec|CMS|CF|os_)/
    nonisolated(unsafe) private static let bare = /^(?:@\w+(?:\([^)]*\))? )*_(?: \w+)?:/

    @Test("no function takes more than two arguments without labels")
    func labels() throws {
        var count = 0
        for file in try Self.folders.flatMap({ try Repository.files(in: [$0], ending: "swift") }) {
            let lines = try Repository.lines(of: file)
            for (number, line) in lines.enumerated() where !line.contains("//") {
                guard line.contains("func ") || line.contains("init") || line.contains("subscript"),
                    let match = line.prefixMatch(of: Self.declaration)
                else { continue }
                count += 1
                if number > 0, lines[number - 1].contains(Self.shapeOfC) { continue }
                if match.name?.contains(Self.nameOfApple) == true { continue }
                let text = ([String(line[match.range.upperBound...])] + lines[(number + 1)...].prefix(30))
                    .joined(separator: " ")
                let bare = Nesting.list(text[...]).elements.filter { $0.contains(Self.bare) }
                #expect(bare.count <= 2, "\(file):\(number + 1)")
            }
        }
        #expect(count > 8000)
    }
}
