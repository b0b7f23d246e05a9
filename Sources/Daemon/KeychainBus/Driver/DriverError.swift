// SPDX-License-Identifier: Apache-2.0

/// A failure of a call that the bus reports.
package struct DriverError: Error, Sendable, Hashable {
    /// Its name.
    package let name: Name
    /// What happened.
    package let message: String

    /// The errors of the specification, without what their names begin with.
    package enum Name: String, Sendable, Hashable {
        case accessDenied = "AccessDenied"
        case invalidArguments = "InvalidArgs"
        case failed = "Failed"
        case limitsExceeded = "LimitsExceeded"
        case matchRuleInvalid = "MatchRuleInvalid"
        case matchRuleNotFound = "MatchRuleNotFound"
        case nameHasNoOwner = "NameHasNoOwner"
        case noReply = "NoReply"
        case notSupported = "NotSupported"
        case propertyReadOnly = "PropertyReadOnly"
        case serviceUnknown = "ServiceUnknown"
        case unknownInterface = "UnknownInterface"
        case unknownMethod = "UnknownMethod"
        case unknownProperty = "UnknownProperty"

        var whole: String { "org.freedesktop.DBus.Error.\(rawValue)" }
    }

    init(_ name: Name, _ message: String) {
        self.name = name
        self.message = message
    }

    /// More of something than a program may have.
    static func limit(_ what: String, _ count: Int) -> DriverError {
        DriverError(.limitsExceeded, "a program may have at most \(count) \(what)")
    }

    /// Nobody has a name.
    static func noService(_ name: String, mayStart: Bool) -> DriverError {
        DriverError(mayStart ? .serviceUnknown : .nameHasNoOwner, "no program on this bus has the name \(name)")
    }
}
