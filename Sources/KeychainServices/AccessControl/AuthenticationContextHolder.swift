// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// An object that a query takes as `kSecUseAuthenticationContext`: an `LAContext`, which this module cannot name.
package protocol AuthenticationContextHolder: AnyObject {
    /// What was shown in it, and how the person is asked.
    var authenticationContext: AuthenticationContext { get }
}
