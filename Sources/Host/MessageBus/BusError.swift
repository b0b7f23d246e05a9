// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failure of a message bus or of a service on it.
package struct BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the system error (`errno.h`).
    package let code: Int32

    /// The name of the error on the bus, such as `org.freedesktop.DBus.Error.ServiceUnknown`; `nil` for an error of the
    /// connection.
    package let name: String?

    /// A failure by sd-bus's result, which is a negative error number.
    package init(_ result: Int32, name: String? = nil) {
        code = -result
        self.name = name
    }

    /// The name of the error on the bus, or the system's text for its number.
    package var description: String { name ?? String(cString: strerror(code)) }

    /// Returns the result of an sd-bus function unless it stands for a failure.
    @discardableResult
    package static func check(_ result: Int32) throws(BusError) -> Int32 {
        if result < 0 { throw BusError(result) }
        return result
    }
}
