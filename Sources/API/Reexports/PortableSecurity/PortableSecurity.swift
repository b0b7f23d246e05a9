// SPDX-License-Identifier: Apache-2.0

// As on Apple platforms, importing Security also imports Foundation. The declarations themselves come without it, so
// that the toolset can import them into every file: an import of Foundation would change what a file may do with Glibc.
#if canImport(Darwin)
@_exported public import Security
#else
@_exported public import Foundation
@_exported public import KeychainServices
#endif
