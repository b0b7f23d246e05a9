// SPDX-License-Identifier: Apache-2.0

/// Functions of CKeychainSupport, whose header describes them.
///
/// For why they are declared here, see Architecture, "Three ways in".
enum CSupport {
    @_extern(c, "keychain_wipe") static func wipe(_ bytes: UnsafeMutableRawPointer?, _ count: Int)

    @_extern(c, "keychain_wipe_stack") static func wipeStack(_ count: Int)
}
