// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Lines of a name and a value, as the commands that show a status print them.
enum StatusRows {
    static func text(_ rows: [(name: String, value: String)]) -> String {
        rows.map { name, value in
            "\(name):\(String(repeating: " ", count: max(0, 17 - name.count)))\(value)"
        }.joined(separator: "\n")
    }
}
