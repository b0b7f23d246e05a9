// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// Decides what a portal may do for a sandboxed program.
package protocol PortalAdmission: Sendable {
    /// The program for which a portal asks: its process is that of the portal, and its items are its own.
    ///
    /// - Parameters:
    ///   - application: the identifier that the portal gives the program.
    ///   - portal: the portal, as it was admitted.
    /// - Returns: The program.
    /// - Throws: ``KeychainError`` for an identifier of no sandbox.
    func admit(
        application: String,
        askedBy portal: any ConnectedPeer
    ) throws(KeychainError) -> any ConnectedPeer
}
