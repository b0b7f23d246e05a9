// SPDX-License-Identifier: Apache-2.0

import CommonCrypto

/// Receives the number of written bytes.
public typealias ByteCountPointer = UnsafeMutablePointer<Int>

/// `CCCryptorCreate`.
@_cdecl("CCCryptorCreate")
public func cryptorCreate(
    _ operation: CCOperation,
    _ algorithm: CCAlgorithm,
    _ options: CCOptions,
    _ key: UnsafeRawPointer?,
    _ keyCount: Int,
    _ initializationVector: UnsafeRawPointer?,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> CCCryptorStatus {
    create(result) { () throws(CryptorError) in
        try cryptor(
            for: operation,
            algorithm: algorithm,
            options: options,
            key: key,
            keyCount: keyCount,
            initializationVector: initializationVector
        )
    }
}

/// `CCCryptorCreateWithMode`.
@_cdecl("CCCryptorCreateWithMode")
public func cryptorCreateWithMode(
    _ operation: CCOperation,
    _ mode: CCMode,
    _ algorithm: CCAlgorithm,
    _ padding: CCPadding,
    _ initializationVector: UnsafeRawPointer?,
    _ key: UnsafeRawPointer?,
    _ keyCount: Int,
    _ tweak: UnsafeRawPointer?,
    _ tweakCount: Int,
    _ rounds: CInt,
    _ options: CCModeOptions,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> CCCryptorStatus {
    create(result) { () throws(CryptorError) in
        guard padding == ccNoPadding || padding == ccPKCS7Padding else { throw CryptorError(kCCParamError) }
        guard Int(options) & kCCModeOptionCTR_LE == 0 else { throw CryptorError(kCCUnimplemented) }
        return try Cryptor(
            operation: operation,
            mode: Int(mode),
            algorithm: algorithm,
            pads: padding == ccPKCS7Padding,
            key: try bytes(key, keyCount),
            initializationVector: initializationVector
        )
    }
}

/// `CCCryptorRelease`.
@_cdecl("CCCryptorRelease")
public func cryptorRelease(_ cryptor: OpaquePointer?) -> CCCryptorStatus {
    guard let cryptor else { return CCCryptorStatus(kCCParamError) }
    Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(cryptor)).release()
    return CCCryptorStatus(kCCSuccess)
}

/// `CCCryptorUpdate`.
@_cdecl("CCCryptorUpdate")
public func cryptorUpdate(
    _ cryptor: OpaquePointer?,
    _ input: UnsafeRawPointer?,
    _ inputCount: Int,
    _ output: UnsafeMutableRawPointer?,
    _ outputCount: Int,
    _ moved: ByteCountPointer?
) -> CCCryptorStatus {
    run(cryptor, moved: moved) { (cryptor) throws(CryptorError) in
        try cryptor.update(try bytes(input, inputCount), to: try room(output, outputCount))
    }
}

/// `CCCryptorFinal`.
@_cdecl("CCCryptorFinal")
public func cryptorFinal(
    _ cryptor: OpaquePointer?,
    _ output: UnsafeMutableRawPointer?,
    _ outputCount: Int,
    _ moved: ByteCountPointer?
) -> CCCryptorStatus {
    run(cryptor, moved: moved) { (cryptor) throws(CryptorError) in
        try cryptor.finish(to: try room(output, outputCount))
    }
}

/// `CCCryptorGetOutputLength`.
@_cdecl("CCCryptorGetOutputLength")
public func cryptorGetOutputLength(_ cryptor: OpaquePointer?, _ inputCount: Int, _ final: Bool) -> Int {
    guard let cryptor, inputCount >= 0 else { return 0 }
    return Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(cryptor)).takeUnretainedValue()
        .outputByteCount(adding: inputCount, final: final)
}

/// `CCCryptorReset`.
@_cdecl("CCCryptorReset")
public func cryptorReset(_ cryptor: OpaquePointer?, _ initializationVector: UnsafeRawPointer?) -> CCCryptorStatus {
    run(cryptor, moved: nil) { cryptor in
        cryptor.reset(initializationVector: initializationVector)
        return 0
    }
}

/// `CCCrypt`.
@_cdecl("CCCrypt")
public func crypt(
    _ operation: CCOperation,
    _ algorithm: CCAlgorithm,
    _ options: CCOptions,
    _ key: UnsafeRawPointer?,
    _ keyCount: Int,
    _ initializationVector: UnsafeRawPointer?,
    _ input: UnsafeRawPointer?,
    _ inputCount: Int,
    _ output: UnsafeMutableRawPointer?,
    _ outputCount: Int,
    _ moved: ByteCountPointer?
) -> CCCryptorStatus {
    status(moved) { () throws(CryptorError) in
        let cryptor = try cryptor(
            for: operation,
            algorithm: algorithm,
            options: options,
            key: key,
            keyCount: keyCount,
            initializationVector: initializationVector
        )
        let source = try bytes(input, inputCount)
        let room = try room(output, outputCount)
        // The length of an encrypted message is known in advance; that of a decrypted one depends on the padding.
        let maximum = cryptor.outputByteCount(adding: source.count, final: true)
        if operation == kCCEncrypt, room.count < maximum { throw CryptorError(kCCBufferTooSmall, needed: maximum) }
        return try wholeMessage(source, through: cryptor, atMost: maximum, to: room)
    }
}

/// Transforms a message in a separate buffer, so that nothing is written on failure, and input and output may be the
/// same memory.
private func wholeMessage(
    _ input: UnsafeRawBufferPointer,
    through cryptor: Cryptor,
    atMost maximum: Int,
    to output: UnsafeMutableRawBufferPointer
) throws(CryptorError) -> Int {
    var scratch = [UInt8](repeating: 0, count: maximum)
    defer { scratch.wipe() }
    do {
        return try scratch.withUnsafeMutableBytes { scratch throws in
            let first = try cryptor.update(input, to: scratch)
            let last = try cryptor.finish(to: UnsafeMutableRawBufferPointer(rebasing: scratch[first...]))
            guard first + last <= output.count else { throw CryptorError(kCCBufferTooSmall, needed: first + last) }
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[..<(first + last)]))
            return first + last
        }
    } catch let error as CryptorError {
        throw error
    } catch {
        throw CryptorError(kCCUnspecifiedError)
    }
}

private func cryptor(
    for operation: CCOperation,
    algorithm: CCAlgorithm,
    options: CCOptions,
    key: UnsafeRawPointer?,
    keyCount: Int,
    initializationVector: UnsafeRawPointer?
) throws(CryptorError) -> Cryptor {
    guard Int(options) & ~(kCCOptionPKCS7Padding | kCCOptionECBMode) == 0 else { throw CryptorError(kCCParamError) }
    return try Cryptor(
        operation: operation,
        mode: Int(options) & kCCOptionECBMode != 0 ? kCCModeECB : kCCModeCBC,
        algorithm: algorithm,
        pads: Int(options) & kCCOptionPKCS7Padding != 0,
        key: try bytes(key, keyCount),
        initializationVector: initializationVector
    )
}

private func bytes(_ start: UnsafeRawPointer?, _ count: Int) throws(CryptorError) -> UnsafeRawBufferPointer {
    guard count == 0 || (start != nil && count > 0) else { throw CryptorError(kCCParamError) }
    return UnsafeRawBufferPointer(start: start, count: count)
}

private func room(
    _ output: UnsafeMutableRawPointer?,
    _ count: Int
) throws(CryptorError) -> UnsafeMutableRawBufferPointer {
    guard count >= 0 else { throw CryptorError(kCCParamError) }
    return UnsafeMutableRawBufferPointer(start: output, count: output == nil ? 0 : count)
}

private func create(
    _ result: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: () throws(CryptorError) -> Cryptor
) -> CCCryptorStatus {
    guard let result else { return CCCryptorStatus(kCCParamError) }
    return status(nil) { () throws(CryptorError) in
        result.pointee = OpaquePointer(Unmanaged.passRetained(try body()).toOpaque())
        return 0
    }
}

private func run(
    _ cryptor: OpaquePointer?,
    moved: ByteCountPointer?,
    _ body: (Cryptor) throws(CryptorError) -> Int
) -> CCCryptorStatus {
    guard let cryptor else { return CCCryptorStatus(kCCParamError) }
    return status(moved) { () throws(CryptorError) in
        try body(Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(cryptor)).takeUnretainedValue())
    }
}

private func status(_ moved: ByteCountPointer?, _ body: () throws(CryptorError) -> Int) -> CCCryptorStatus {
    do {
        let count = try body()
        moved?.pointee = count
        return CCCryptorStatus(kCCSuccess)
    } catch {
        moved?.pointee = error.needed ?? 0
        return error.status
    }
}
