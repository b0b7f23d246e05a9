// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// `withUnsafeBytes(_:)` with typed throws, which the standard library's lacks.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
