// SPDX-License-Identifier: Apache-2.0

/// An object for `kSecUseAuthenticationContext` in a query: an `LAContext`, which this module cannot name.
package protocol AuthenticationContextHolder: AnyObject {
    /// Its storage.
    var authenticationContext: ClientContext { get }
}
