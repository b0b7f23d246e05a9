// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// The functions of the system's libcrypto (OpenSSL 3, the manual pages of their names), found when they are first
/// needed: who judges no certificate loads no library.
///
/// The library is used in a context of its own, so that neither the configuration of the system nor that of the program
/// changes what is accepted, and nothing here changes what the program gets of a libcrypto that it uses itself.
struct OpenSSLLibrary: @unchecked Sendable {
    // What protects the value is that it never changes: addresses of functions, and a context that is thread-safe.

    typealias Pointer = OpaquePointer
    typealias Bytes = UnsafePointer<UInt8>
    typealias Text = UnsafePointer<CChar>
    typealias Callback = @convention(c) (Int32, Pointer?) -> Int32

    /// The context (`OSSL_LIB_CTX`), which stays for as long as the process.
    let context: Pointer

    // Certificates.
    let newCertificate: @convention(c) (Pointer?, Text?) -> Pointer?
    let freeCertificate: @convention(c) (Pointer?) -> Void
    let decodeCertificate:
        @convention(c) (UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Bytes?>, Int) -> Pointer?
    let encodeCertificate: @convention(c) (Pointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    let readPEMCertificate:
        @convention(c) (Pointer?, UnsafeMutablePointer<Pointer?>?, UnsafeRawPointer?, UnsafeRawPointer?) -> Pointer?
    let certificateAuthorityKind: @convention(c) (Pointer?) -> Int32
    let checkEmailAddress: @convention(c) (Pointer?, Text?, Int, UInt32) -> Int32

    // Lists.
    let newList: @convention(c) () -> Pointer?
    let append: @convention(c) (Pointer?, Pointer?) -> Int32
    let count: @convention(c) (Pointer?) -> Int32
    let element: @convention(c) (Pointer?, Int32) -> Pointer?
    let freeList: @convention(c) (Pointer?) -> Void

    // Chains.
    let newStore: @convention(c) () -> Pointer?
    let addAnchor: @convention(c) (Pointer?, Pointer?) -> Int32
    let parametersOfStore: @convention(c) (Pointer?) -> Pointer?
    let freeStore: @convention(c) (Pointer?) -> Void
    let newVerification: @convention(c) (Pointer?, Text?) -> Pointer?
    let beginVerification: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Int32
    let freeVerification: @convention(c) (Pointer?) -> Void
    let parameters: @convention(c) (Pointer?) -> Pointer?
    let setFlags: @convention(c) (Pointer?, UInt) -> Int32
    let setTime: @convention(c) (Pointer?, Int) -> Void
    let objectIdentifier: @convention(c) (Text?, Int32) -> Pointer?
    /// Takes the object identifier over.
    let addPolicy: @convention(c) (Pointer?, Pointer?) -> Int32
    let setSecurityLevel: @convention(c) (Pointer?, Int32) -> Void
    let setCallback: @convention(c) (Pointer?, Callback?) -> Void
    let setCallbackData: @convention(c) (Pointer?, Int32, UnsafeMutableRawPointer?) -> Int32
    let callbackData: @convention(c) (Pointer?, Int32) -> UnsafeMutableRawPointer?
    let verify: @convention(c) (Pointer?) -> Int32
    let error: @convention(c) (Pointer?) -> Int32
    let errorDepth: @convention(c) (Pointer?) -> Int32
    let chain: @convention(c) (Pointer?) -> Pointer?

    // Stapled answers about revocation (OCSP, RFC 6960).
    let decodeAnswer: @convention(c) (UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Bytes?>, Int) -> Pointer?
    let freeAnswer: @convention(c) (Pointer?) -> Void
    let basicAnswer: @convention(c) (Pointer?) -> Pointer?
    let freeBasicAnswer: @convention(c) (Pointer?) -> Void
    let verifyAnswer: @convention(c) (Pointer?, Pointer?, Pointer?, UInt) -> Int32
    let identifier: @convention(c) (Pointer?, Pointer?, Pointer?) -> Pointer?
    let freeIdentifier: @convention(c) (Pointer?) -> Void
    let findStatus:
        @convention(c) (
            Pointer?, Pointer?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?,
            UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Pointer?>?
        ) -> Int32
    let compareTime: @convention(c) (Pointer?, UnsafeMutablePointer<time_t>?) -> Int32

    // Bytes to read from, and the errors of the thread.
    let newReader: @convention(c) (UnsafeRawPointer?, Int32) -> Pointer?
    let freeReader: @convention(c) (Pointer?) -> Int32
    let forgetErrors: @convention(c) () -> Void

    /// The library, or why there is none.
    private static let loaded = Result { () throws(KeychainError) in try OpenSSLLibrary(fileName) }

    /// The library.
    ///
    /// - Throws: `errSecNotAvailable` where it is not installed.
    static var shared: OpenSSLLibrary {
        get throws(KeychainError) { try loaded.get() }
    }

    /// The name under which distributions install OpenSSL 3.
    static let fileName = "libcrypto.so.3"

    init(_ fileName: String) throws(KeychainError) {
        let symbols = try Symbols(fileName)
        newCertificate = try symbols["X509_new_ex"]
        freeCertificate = try symbols["X509_free"]
        decodeCertificate = try symbols["d2i_X509"]
        encodeCertificate = try symbols["i2d_X509"]
        readPEMCertificate = try symbols["PEM_read_bio_X509"]
        certificateAuthorityKind = try symbols["X509_check_ca"]
        checkEmailAddress = try symbols["X509_check_email"]
        newList = try symbols["OPENSSL_sk_new_null"]
        append = try symbols["OPENSSL_sk_push"]
        count = try symbols["OPENSSL_sk_num"]
        element = try symbols["OPENSSL_sk_value"]
        freeList = try symbols["OPENSSL_sk_free"]
        newStore = try symbols["X509_STORE_new"]
        addAnchor = try symbols["X509_STORE_add_cert"]
        parametersOfStore = try symbols["X509_STORE_get0_param"]
        freeStore = try symbols["X509_STORE_free"]
        newVerification = try symbols["X509_STORE_CTX_new_ex"]
        beginVerification = try symbols["X509_STORE_CTX_init"]
        freeVerification = try symbols["X509_STORE_CTX_free"]
        parameters = try symbols["X509_STORE_CTX_get0_param"]
        setFlags = try symbols["X509_VERIFY_PARAM_set_flags"]
        setTime = try symbols["X509_VERIFY_PARAM_set_time"]
        objectIdentifier = try symbols["OBJ_txt2obj"]
        addPolicy = try symbols["X509_VERIFY_PARAM_add0_policy"]
        setSecurityLevel = try symbols["X509_VERIFY_PARAM_set_auth_level"]
        setCallback = try symbols["X509_STORE_CTX_set_verify_cb"]
        setCallbackData = try symbols["X509_STORE_CTX_set_ex_data"]
        callbackData = try symbols["X509_STORE_CTX_get_ex_data"]
        verify = try symbols["X509_verify_cert"]
        error = try symbols["X509_STORE_CTX_get_error"]
        errorDepth = try symbols["X509_STORE_CTX_get_error_depth"]
        chain = try symbols["X509_STORE_CTX_get0_chain"]
        decodeAnswer = try symbols["d2i_OCSP_RESPONSE"]
        freeAnswer = try symbols["OCSP_RESPONSE_free"]
        basicAnswer = try symbols["OCSP_response_get1_basic"]
        freeBasicAnswer = try symbols["OCSP_BASICRESP_free"]
        verifyAnswer = try symbols["OCSP_basic_verify"]
        identifier = try symbols["OCSP_cert_to_id"]
        freeIdentifier = try symbols["OCSP_CERTID_free"]
        findStatus = try symbols["OCSP_resp_find_status"]
        compareTime = try symbols["X509_cmp_time"]
        newReader = try symbols["BIO_new_mem_buf"]
        freeReader = try symbols["BIO_free"]
        forgetErrors = try symbols["ERR_clear_error"]
        let newContext: @convention(c) () -> Pointer? = try symbols["OSSL_LIB_CTX_new"]
        guard let context = newContext() else { throw Self.missing("it cannot be started") }
        self.context = context
    }

    private static func missing(_ reason: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "certificates are judged by OpenSSL 3 (\(fileName)), which cannot be used: \(reason)",
            kind: .request
        )
    }

    /// A library that is loaded, and stays so.
    private struct Symbols {
        private let handle: UnsafeMutableRawPointer

        init(_ file: String) throws(KeychainError) {
            guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
                throw OpenSSLLibrary.missing(dlerror().map { String(cString: $0) } ?? "it is not there")
            }
            self.handle = handle
        }

        /// The function of a name, as what the caller takes it for.
        subscript<Function>(name: String) -> Function {
            get throws(KeychainError) {
                guard let address = dlsym(handle, name) else { throw OpenSSLLibrary.missing("it has no \(name)") }
                return unsafeBitCast(address, to: Function.self)
            }
        }
    }
}
