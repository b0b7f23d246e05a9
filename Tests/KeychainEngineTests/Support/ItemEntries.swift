// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// Entries of dictionaries that have to do with the device.
extension [String: PropertyValue] {
    /// A level.
    static func level(_ level: Accessibility) -> [String: PropertyValue] { ["pdmn": .string(level.rawValue)] }

    /// An access control.
    static func access(
        _ flags: AccessControlFlags,
        _ level: Accessibility = .whenUnlocked
    ) -> [String: PropertyValue] {
        guard let constraints = AccessConstraints(flags) else { preconditionFailure("the flags contradict each other") }
        return ["accc": .accessControl(AccessControl(protection: level, constraints: constraints))]
    }

    /// In which context the owner is asked.
    static func context(_ context: AuthenticationContext) -> [String: PropertyValue] {
        [PropertyKey.useAuthenticationContext: .authenticationContext(context)]
    }

    /// That nobody may be asked.
    static let withoutAsking: [String: PropertyValue] = [
        PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUIFail)
    ]

    /// Both.
    static func + (left: Self, right: Self) -> Self { left.merging(right) { $1 } }
}

/// The bytes of a file; none when it does not exist.
struct FileBytes {
    private let data: Data

    init(path: String) throws {
        data = FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(fileURLWithPath: path)) : Data()
    }

    func contain(_ bytes: [UInt8]) -> Bool { data.range(of: Data(bytes)) != nil }
}
