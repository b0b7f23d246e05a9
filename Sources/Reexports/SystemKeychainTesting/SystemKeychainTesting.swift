// SPDX-License-Identifier: Apache-2.0

// The testing kit is there on Linux only: `#if canImport(KeychainTesting)` around what uses it.
