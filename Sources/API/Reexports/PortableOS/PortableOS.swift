// SPDX-License-Identifier: Apache-2.0

// Re-exports the declarations of os and OSLog under a name that no other package tests for; on Apple platforms, the
// system's.
#if canImport(Darwin)
@_exported public import OSLog
@_exported public import os
#else
@_exported public import OSServices
#endif
