// SPDX-License-Identifier: Apache-2.0

/// Something that the keychain under test cannot do yet, and for which a case is skipped instead of failed.
///
/// Remove a member when the capability arrives: the cases then run.
package enum Capability: String, Sendable, CaseIterable {
    /// Making, importing, exporting and inspecting keys.
    case keyOperations = "key operations"
    /// A certificate as a value.
    case certificate
    /// A key as a value.
    case key
    /// An identity as a value.
    case identity
    /// A key, certificate or identity as a result.
    case reference
}
