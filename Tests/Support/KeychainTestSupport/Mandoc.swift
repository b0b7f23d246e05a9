// SPDX-License-Identifier: Apache-2.0

/// The checker of manual pages.
package enum Mandoc {
    /// What it finds in a page, one line each.
    ///
    /// - Parameter page: a page in the language of mdoc(7).
    /// - Returns: Its warnings and errors.
    /// - Throws: If there is no `mandoc`, which `Scripts/setup tests` installs.
    package static func warnings(in page: String) throws -> [String] {
        let outcome = try Shell(environment: [:]).run("/usr/bin/mandoc", ["-T", "lint", "-W", "warning"], input: page)
        return (outcome.output + outcome.errors).split(separator: "\n").map(String.init)
    }
}
