// SPDX-License-Identifier: Apache-2.0

/// Says of a subject of the contract that its functions may be called from several threads at once.
///
/// The rules about concurrency are run only for such subjects: they would crash a class that guards nothing.
public protocol ConcurrentContractSubject: Sendable {}
