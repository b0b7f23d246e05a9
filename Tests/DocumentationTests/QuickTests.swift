// SPDX-License-Identifier: Apache-2.0

import Testing

/// What `Scripts/test --quick` leaves out.
struct QuickTests {
    @Test("each suite or module that the quick run leaves out exists")
    func suites() throws {
        let files = try Repository.files(in: ["Tests"], ending: "swift")
        let names = try Repository.lines(of: "Scripts/slow-tests.txt").filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map { $0.split(separator: " ")[0].split(separator: ".") }
        #expect(names.count > 20)
        for name in names {
            let module = files.filter { $0.hasPrefix("Tests/\(name[0])/") }
            #expect(!module.isEmpty, "\(name)")
            guard name.count == 2 else { continue }
            let isThere = try module.contains { file in
                try Repository.lines(of: file).contains {
                    $0.contains("struct \(name[1])") || $0.contains("class \(name[1])")
                }
            }
            #expect(isThere, "\(name)")
        }
    }
}
