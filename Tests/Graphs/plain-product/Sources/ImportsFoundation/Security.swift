// SPDX-License-Identifier: Apache-2.0

// The one added file: every file of this target now sees the API, as Apple's Foundation has it.
#if canImport(Security)
@_exported import Security
#endif
