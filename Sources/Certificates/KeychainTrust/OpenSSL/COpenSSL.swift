// SPDX-License-Identifier: Apache-2.0

/// Functions of CKeychainOpenSSL, whose header describes them.
///
/// Architecture, "Three ways in", explains why they are declared here.
enum COpenSSL {
    @_extern(c, "keychain_program_is_static") static func isStaticProgram() -> Int32

    @_extern(c, "keychain_openssl_load")
    static func load(
        _ file: UnsafePointer<CChar>,
        _ reason: UnsafeMutablePointer<CChar>,
        _ capacity: Int
    ) -> OpaquePointer?

    @_extern(c, "keychain_x509_parse")
    static func parse(_ openssl: OpaquePointer, _ der: UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer?

    @_extern(c, "keychain_x509_free")
    static func free(_ openssl: OpaquePointer, _ certificate: OpaquePointer)

    @_extern(c, "keychain_x509_each_pem")
    static func eachPEM(
        _ openssl: OpaquePointer,
        _ pem: UnsafePointer<UInt8>?,
        _ count: Int,
        _ take: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void,
        _ context: UnsafeMutableRawPointer
    )

    @_extern(c, "keychain_x509_der")
    static func der(
        _ openssl: OpaquePointer,
        _ certificate: OpaquePointer,
        _ der: UnsafeMutablePointer<UInt8>?,
        _ capacity: Int
    ) -> Int

    @_extern(c, "keychain_x509_has_email")
    static func hasEmail(
        _ openssl: OpaquePointer,
        _ certificate: OpaquePointer,
        _ address: UnsafePointer<CChar>,
        _ length: Int
    ) -> Int32

    @_extern(c, "keychain_x509_verify")
    static func verify(
        _ openssl: OpaquePointer,
        _ leaf: OpaquePointer,
        _ untrusted: UnsafePointer<OpaquePointer>,
        _ untrustedCount: Int,
        _ anchors: UnsafePointer<OpaquePointer>,
        _ anchorCount: Int,
        _ time: Int64,
        _ securityLevel: Int32,
        _ note: @convention(c) (UnsafeMutableRawPointer?, Int32, Int32) -> Void,
        _ add: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, Int32) -> Void,
        _ context: UnsafeMutableRawPointer
    ) -> Int32

    @_extern(c, "keychain_x509_defect") static func defect(_ error: Int32) -> UnsafePointer<CChar>

    @_extern(c, "keychain_ocsp_status")
    static func ocspStatus(
        _ openssl: OpaquePointer,
        _ der: UnsafePointer<UInt8>?,
        _ count: Int,
        _ certificate: OpaquePointer,
        _ issuer: OpaquePointer,
        _ time: Int64
    ) -> Int32
}
