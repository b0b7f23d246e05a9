// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no message: the connection on which they came ends.
package enum BusFailure: Error, Sendable, Hashable {
    /// They are not as the D-Bus Specification says.
    case malformed
    /// They are more than the bus passes on.
    case tooLong
}
