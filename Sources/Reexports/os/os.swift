// SPDX-License-Identifier: Apache-2.0

// Apple's name for what OSServices declares; OSLog is the same. No target has this file: Scripts/install compiles it outside of
// the folder where the package manager keeps modules, in which it would change what other packages compile.
@_exported public import OSServices
