// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint

extension Linter {
    /// A linter that parses with SwiftSyntax and Yams.
    public init() { self.init(parser: SyntaxParser()) }
}
#endif
