// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Functions of CKeychainSupport, whose headers describe them.
///
/// For why they are declared here, see Architecture, "Three ways in".
enum CSupport {
    @_extern(c, "keychain_wipe") static func wipe(_ bytes: UnsafeMutableRawPointer?, _ count: Int)

    @_extern(c, "keychain_open_lock_file")
    static func openLockFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32

    @_extern(c, "keychain_close_private") static func closeLockFile(_ descriptor: Int32)

    @_extern(c, "keychain_is_traced") static func isTraced() -> Int32

    @_extern(c, "keychain_set_traced") static func setTraced(_ state: Int32)

    @_extern(c, "keychain_return_addresses")
    static func returnAddresses(_ addresses: UnsafeMutablePointer<UInt>?, _ most: Int) -> Int

    @_extern(c, "keychain_image_of")
    static func image(
        of address: UInt,
        _ path: UnsafeMutablePointer<UnsafePointer<CChar>?>,
        _ base: UnsafeMutablePointer<UInt>
    ) -> Int32
}
