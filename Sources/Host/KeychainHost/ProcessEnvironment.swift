// SPDX-License-Identifier: Apache-2.0

import KeychainSupport

/// The environment of this process, as far as it may be trusted: empty for a set-user-ID program.
///
/// A variable that is empty counts as not set.
package enum ProcessEnvironment {
    /// Returns the value of a variable.
    package static func value(_ name: String) -> String? {
        CSupport.environment(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns those of some variables that are set, as `NAME=VALUE`, for a program that gets no others.
    package static func assignments(_ names: [String]) -> [String] {
        names.compactMap { name in value(name).map { "\(name)=\($0)" } }
    }

    /// Returns the value of a variable that holds a path.
    ///
    /// - Throws: ``FileError/unusablePath(_:_:)`` for one that is not UTF-8: as a string it would be a different path.
    package static func path(_ name: String) throws(FileError) -> String? {
        guard let value = CSupport.environment(name) else { return nil }
        guard let path = String(validatingCString: value) else { throw .notUTF8(name, String(cString: value)) }
        return path.isEmpty ? nil : path
    }
}
