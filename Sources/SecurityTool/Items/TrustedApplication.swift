// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// A value of `-T`: a program that macOS would let read an item.
///
/// There is no code signature on Linux to recognize a program by. So the value is checked as on macOS, and not stored.
enum TrustedApplication {
    /// Programs of macOS that scripts name, and that are not there on Linux.
    private static let wellKnown: Set<String> = [
        "/usr/bin/codesign", "/usr/bin/productsign", "/usr/bin/productbuild", "/usr/bin/pkgbuild",
        "/usr/bin/xcodebuild", "/usr/bin/security",
    ]

    /// Checks a value.
    ///
    /// - Throws: ``CommandFailure`` with 1 for the path of nothing.
    static func check(_ word: Word) throws(CommandFailure) {
        if word.isEmpty || word.hasPrefix("group://") || word.text.map(wellKnown.contains) ?? false { return }
        let code = word.withCString { access($0, F_OK) == 0 ? 0 : errno }
        guard code != 0 else { return }
        throw CommandFailure(
            "security: SecTrustedApplicationCreateFromPath \(word): \(Status.text(ofSystemError: code))"
        )
    }
}
