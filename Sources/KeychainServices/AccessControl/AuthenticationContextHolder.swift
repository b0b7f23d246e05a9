// SPDX-License-Identifier: Apache-2.0

/// An object that a query takes as `kSecUseAuthenticationContext`: an `LAContext`, which this module cannot name.
package protocol AuthenticationContextHolder: AnyObject {
    /// What it is made of.
    var authenticationContext: ClientContext { get }
}
