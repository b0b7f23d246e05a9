// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// A value of `-T`: a program that may read an item, by its path, or an application group.
extension TrustedApplication {
    /// Programs of macOS that scripts name, and that do not exist on Linux: names without a meaning.
    private static let wellKnown: Set<String> = [
        "/usr/bin/codesign", "/usr/bin/productsign", "/usr/bin/productbuild", "/usr/bin/pkgbuild",
        "/usr/bin/xcodebuild", "/usr/bin/security",
    ]

    /// This program, as scripts know it.
    static let securityTool = TrustedApplication(path: "/usr/bin/security")

    /// Whether the path names a group, or a program that exists or is well known.
    var isKnown: Bool {
        path.hasPrefix("group://") || Self.wellKnown.contains(path) || access(path, F_OK) == 0
    }

    /// Creates a program from a value of `-T`; `nil` for the empty value, which means none.
    ///
    /// - Throws: ``CommandFailure`` with 1 for a path that does not exist.
    init?(_ word: Word) throws(CommandFailure) {
        if word.isEmpty { return nil }
        let code = word.withCString { access($0, F_OK) == 0 ? 0 : errno }
        let text = word.text
        guard let text, code == 0 || text.hasPrefix("group://") || Self.wellKnown.contains(text) else {
            throw CommandFailure(
                "security: SecTrustedApplicationCreateFromPath \(word): \(Status.text(ofSystemError: code))"
            )
        }
        self.init(path: code == 0 ? Self.absolute(text) : text)
    }

    private static func absolute(_ path: String) -> String {
        guard !path.isAbsolutePath, let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }
}
