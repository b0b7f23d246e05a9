// SPDX-License-Identifier: Apache-2.0

import Keychain
import Testing

/// The error of a call that has to fail.
func failure<Result>(
    of call: () throws(KeychainItemError) -> Result,
    _ sourceLocation: SourceLocation = #_sourceLocation
) -> KeychainItemError? {
    do throws(KeychainItemError) {
        _ = try call()
        Issue.record("the call succeeds", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error
    }
}
