// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CKeychainSupport

/// The environment of this process, as far as it may be trusted: a set-user-ID program sees none.
///
/// A variable that is empty counts as not set.
public enum ProcessEnvironment {
    /// Returns the value of a variable.
    public static func value(_ name: String) -> String? {
        keychain_environment(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
