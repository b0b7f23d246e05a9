// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lines of a name and a value, as the commands that show a status print them.
enum StatusRows {
    static func text(_ rows: [(name: String, value: String)]) -> String {
        rows.map { name, value in
            "\(name):".padding(toLength: 18, withPad: " ", startingAt: 0) + value
        }.joined(separator: "\n")
    }
}
