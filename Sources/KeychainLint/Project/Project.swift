// SPDX-License-Identifier: Apache-2.0

/// Files other than Swift's, and the programs that the Swift files make up.
package struct Project: Sendable {
    package var files: [TextFile]
    package var modules: [ModuleFacts]
    package let parser: any SourceParser

    /// A file that is read as text.
    package struct TextFile: Sendable {
        package var path: String
        package var text: String

        package var lines: [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.hasSuffix("\r") ? $0.dropLast() : $0
            }
        }

        package var name: Substring { path.split(separator: "/").last ?? "" }
    }
}
