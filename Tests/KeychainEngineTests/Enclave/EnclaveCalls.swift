// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport

extension KeyEnclave {
    /// The status that a call fails with; `nil` for success.
    func failure<Result>(_ call: (KeyEnclave) throws -> Result) -> Status? {
        thrownStatus { _ = try call(self) }
    }

    /// A signature of some digest.
    func sign(_ key: EnclaveKey, _ context: AuthenticationContext? = nil) throws(KeychainError) -> SecretBytes {
        try perform(.sign(digest: [UInt8](repeating: 3, count: 32)), with: key.sealed, context)
    }
}

extension AccessControl {
    /// An access control of flags.
    static func of(_ protection: Accessibility, _ flags: AccessControlFlags) -> AccessControl {
        guard let constraints = AccessConstraints(flags) else { preconditionFailure("the flags contradict each other") }
        return AccessControl(protection: protection, constraints: constraints)
    }
}
