// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire

/// Messages with every case of every value.
package enum WireSamples {
    /// Every message there is, but for what its values hold.
    package static let all: [WireMessage] =
        commands.map { .command(7, $0) } + replies.map { .reply(.max, $0) } + errors.map { .failure(0, $0) }
        + prompts.map { .prompt(1, WirePrompt($0)) } + authenticationReplies.map { .promptReply(2, $0) }
        + biometries.flatMap { biometry in
            [true, false].map { .authenticator(3, biometry, canAskForSecrets: $0) }
        } + [
            .endPrompt(4), .authenticatorStatus(5), .working(6), .goodbye(8),
            .observe(9, Client(accessGroups: ["a", "*"], appClipIdentifier: "clip")), .changed(1, .unknown),
            .changed(2, .changed([ChangedItems(.certificate, in: "a"), ChangedItems(.key, in: "")])),
            .command(9, .device(.status), canAskForSecrets: true),
        ]

    /// The UTF-8 of a text.
    package static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    static let identifier = Bytes16(high: 1)

    // MARK: Values of requests

    static let numbers: [KeychainNumber] = [
        .integer(0), .integer(.min), .integer(.max), .unsigned(.max), .real(0.1), .real(-0.0), .real(.infinity),
    ]

    static let contexts: [AuthenticationContext] = {
        var settings = AuthenticationContext.Settings()
        settings.interactionNotAllowed = true
        settings.localizedReason = "pour l’été"
        settings.localizedFallbackTitle = ""
        settings.localizedCancelTitle = "No"
        settings.reuseDurationSeconds = 12.5
        return [
            AuthenticationContext(identifier: identifier),
            AuthenticationContext(
                identifier: identifier,
                settings: settings,
                applicationPassword: secret("password"),
                isInvalid: true
            ),
        ]
    }()

    /// Access controls with every protection, and with constraints.
    package static let accessControls: [AccessControl] = {
        let flags: [AccessControlFlags] = [
            [], .userPresence, [.biometryAny, .or, .devicePasscode], [.privateKeyUsage, .biometryCurrentSet],
            [.companion, .and, .applicationPassword],
        ]
        var bound = AccessControl(synthesizedFor: .always)
        bound.enrolledSet = identifier
        return Accessibility.allCases.map(AccessControl.init(synthesizedFor:)) + [bound]
            + flags.compactMap { AccessConstraints($0) }.map {
                AccessControl(protection: .whenUnlocked, constraints: $0)
            }
    }()

    static let references: [ItemReference] = {
        let key = KeyReference(
            attributes: ["type": .string("73"), "bsiz": .number(.integer(256))],
            data: secret("key"),
            context: contexts[0]
        )
        let certificate = CertificateReference(attributes: ["subj": .data(secret("name"))], data: secret("der"))
        let named = CertificateReference(data: SecretBytes(), subjectSummary: "summary")
        return [
            .key(key), .key(KeyReference(attributes: [:], data: nil)), .certificate(certificate), .certificate(named),
            .identity(IdentityReference(certificate: certificate, key: key)),
            .keychainItem(
                KeychainItemReference(keychain: "/a.keychain", itemClass: .internetPassword, identifier: identifier)
            ),
            .keychainItem(
                KeychainItemReference(
                    keychain: "",
                    itemClass: .key,
                    identifier: .zero,
                    dataProtectionReference: secret("keys")
                )
            ),
        ]
    }()

    static let properties: [PropertyValue] =
        [
            .null, .boolean(true), .boolean(false), .string(""), .string("e\u{301}\0\u{1F511}"), .data(SecretBytes()),
            .data(secret("hunter2")), .date(.referenceDate), .date(Timestamp(secondsSinceReferenceDate: -1.5)),
            .uuid("6F1D4F7E-3B7C-4D2B-9E0A-0123456789AB"), .array([]),
            .array([.string("a"), .array([.null]), .boolean(true)]), .policy(.basicX509),
            .policy(.tls(isServer: true, host: "example.com")), .policy(.tls(isServer: false, host: nil)),
            .policy(.purpose(.emailProtection, isServer: false, name: "a@example.com")), .policy(.revocation(7)),
            .nested(.encodable), .nested(.fractional), .nested(.unencodable), .oversizedData(1 << 40),
            .object("NSObject"), .keychain("/home/anna/a.keychain"), .keychain(""),
        ] + FileSamples.accesses.map { .access($0) } + numbers.map { .number($0) }
        + accessControls.map { .accessControl($0) }
        + contexts.map { .authenticationContext($0) } + references.map { .reference($0) }

    static let dictionary = PropertyDictionary(
        Dictionary(uniqueKeysWithValues: properties.enumerated().map { ("key \($0.offset)", $0.element) }),
        foreignKeys: Set(numbers.map { .number($0) } + [.other])
    )

    /// Clients with few and with all properties.
    package static let clients: [Client] = [
        Client(accessGroups: []),
        Client(accessGroups: ["a", "*"], profile: .macOS, appClipIdentifier: "clip", isNetworkExtension: true),
    ]

    static let operations: [KeychainRequest.Operation] =
        properties.map { .add(["v": $0]) } + [
            .add([:]), .copyMatching(dictionary), .update(["a": .null], attributes: ["b": .null]), .delete(dictionary),
            .set(["a": .null], attributes: ["b": .null], addition: ["c": .null]),
        ]

    static let demands: [KeychainCommand.Authentication.Demand] =
        AuthenticationPolicy.allCases.map { .policy($0) } + accessControls.map { .accessControl($0) }

    static let enclaveOperations: [EnclaveOperation] = [
        .sign(digest: [1, 2]), .agree(publicKey: [4]), .decapsulate([]), .signMessage([1], context: [2]),
    ]

    static let policies = [DevicePolicy(), DevicePolicy(autoLockAfterSeconds: 1, eraseAfterFailedAttempts: .max)]

    static let recoveryKey: RecoveryKey = {
        guard let key = RecoveryKey(secret("0123456789abcdef")) else { preconditionFailure("it has 16 bytes") }
        return key
    }()

    /// Every command.
    package static let commands: [KeychainCommand] =
        operations.flatMap { operation in clients.map { .items(KeychainRequest(operation, client: $0)) } }
        + ([
            .status, .lock, .lockThisProcess, .unlock(secret("1234")), .setPasscode(SecretBytes()),
            .changePasscode(from: secret("1"), to: secret("2")), .removePasscode(secret("3")),
            .summary, .checkRecoveryKey(recoveryKey), .removeRecoveryKey(passcode: nil), .erase,
            .createRecoveryKey(recoveryKey, passcode: secret("4")),
            .useRecoveryKey(recoveryKey, newPasscode: secret("5"), newRecoveryKey: recoveryKey),
        ] + policies.map { .setPolicy($0) }).map { .device($0) }
        + ([
            .biometry, .status(of: identifier), .forgetPassword(of: identifier), .invalidate(identifier),
            .release(identifier),
        ]
        + AuthenticationPolicy.allCases.map { .check($0, contexts[1]) }
        + demands.map { .evaluate($0, reason: "to test", contexts[0]) }).map { .authentication($0) }
        + ([.kind, .key(secret("sealed"))]
        + EnclaveAlgorithm.allCases.map { .makeKey($0, accessControls[0], nil) }
        + enclaveOperations.map { .use($0, secret("sealed"), contexts[1]) }).map { .enclave($0) }
        + [
            .check, .recover, .takeOver, .giveBack(onlyIfEmpty: true),
            .giveBack(onlyIfEmpty: false), .auditLog(after: 0), .auditLog(after: 1_700_000_000_000_000),
            .rootKeyStatus, .replaceRootKey(kind: nil, passcode: nil),
            .replaceRootKey(kind: .tpm, passcode: secret("1234")), .storeStatus, .downgradeStore(revision: 0),
            .downgradeStore(revision: .max), .moveGroup(GroupMove(from: "a", to: "b")),
            .moveGroup(GroupMove(from: "", to: "b", isRehearsal: true, isPartial: true, client: clients[1])),
        ].map { .maintenance($0) } + backupCommands.map { .maintenance($0) }
        + MoveSamples.commands.map { .maintenance(.move($0)) }
        + FileSamples.commands.map { .files($0) } + LookupSamples.requests.map { .lookup($0) }
        + HistorySamples.requests.map { .history($0) }
        + ExplanationSamples.requests.flatMap { [.explain($0), .itemsExplained($0)] }

    // MARK: Backups

    private static let backupCommands: [KeychainCommand.Maintenance] =
        [
            BackupRequest(to: .path("/tmp/a"), secret: .given(secret("s")), files: backedUpFiles),
            BackupRequest(to: .reply, secret: .given(SecretBytes())),
            BackupRequest(to: .path(""), secret: .ofSchedule),
            BackupRequest(to: .reply, secret: .ofSchedule, files: backedUpFiles),
        ].map { .createBackup($0) }
        + ([nil, BackupMerge()]
        + BackupMerge.Conflicts.allCases.map { BackupMerge($0, isTrial: true, items: [identifier]) })
        .flatMap { merge in
            [
                RestoreRequest(from: .path(""), secret: SecretBytes(), merge: merge),
                RestoreRequest(from: .contents(secret("bytes")), secret: secret("s"), merge: merge),
            ].map { .restoreBackup($0) }
        } + [.setBackupSecret(nil), .setBackupSecret(secret("s"))]

    private static let backedUpFiles = [
        BackedUpFile(name: "~/Library/Keychains/login.keychain-db", mode: 0o600, contents: secret("file")),
        BackedUpFile(name: "", mode: 0, contents: SecretBytes()),
    ]

    private static let mergeReport: BackupMergeReport = {
        var report = BackupMergeReport()
        report.isApplied = true
        report.equal = 3
        report.added.add(
            BackedUpItem(
                itemClass: .key,
                identifier: identifier,
                service: "é",
                account: "",
                accessGroup: "group",
                accessibility: .whenUnlocked,
                created: Timestamp(secondsSinceReferenceDate: 1),
                modified: nil
            )
        )
        report.differing.add(BackedUpItem(.genericPassword, identifier, attributes: Attributes()))
        return report
    }()

    // MARK: Values of replies

    /// Biometries of every kind.
    package static let biometries: [Biometry] = [
        .none, Biometry(.touchID, enrolledSet: identifier), Biometry(.faceID, isLockedOut: true), Biometry(.opticID),
    ]

    static let version = FileVersion(version: 0x0305, readerRevision: 1, writerRevision: 2)

    static let features: [UsedFeature] = [
        UsedFeature(name: "a", title: nil, version: version, removal: .unknown),
        UsedFeature(name: "b", title: "a feature", version: .base, removal: .automatic),
        UsedFeature(name: "c", title: "another", version: .base, removal: .command("keychainctl x")),
    ]

    static let movedItems: [GroupMoveReport.Item] = [
        GroupMoveReport.Item(itemClass: .genericPassword, persistentReference: [1, 2], name: "service/account"),
        GroupMoveReport.Item(itemClass: .key, persistentReference: [], name: ""),
    ]

    static let obstacles: [GroupMoveReport.Obstacle] = [
        .exists, .neverReadable, .damaged, .unauthenticated(.notInteractive),
    ]
    .map { GroupMoveReport.Obstacle(movedItems[0], $0) }

    static let results: [ResultValue] =
        [.data(secret("data")), .dictionary(dictionary.entries.dictionary)] + references.map { .reference($0) }

    /// Every reply.
    package static let replies: [KeychainReply] =
        [
            .done, .answer(.nothing), .answer(.list(results)), .answer(.list([])), .secret(secret("secret")),
            .count(-1), .context(.init()),
            .context(.init(shown: [.passcode, .biometry(enrolledSet: identifier)], hasApplicationPassword: true)),
            .backup(BackupReport(items: 1, files: 2, leftOut: [.always: 2, .whenUnlocked: 3], damaged: 4)),
            .sentBackup(BackupReport(items: 0, leftOut: [:], damaged: 0), secret("bytes")),
            .merge(mergeReport), .merge(BackupMergeReport()),
            .integrity(integrity), .integrity(IntegrityReport()), .fileItems([]), .fileItems(FileSamples.items),
        ] + FileSamples.accesses.map { .itemAccess($0) } + MoveSamples.statuses.map { .moveStatus($0) }
        + MoveSamples.devices.map { .movedDevice($0) } + [.movedRows([]), .movedRows(MoveSamples.rows)]
        + [.auditPage(AuditPage(isOn: false)), .auditPage(AuditPage(isOn: true, lines: ["{}"], end: 7, unreadable: 1))]
        + [
            .rootKeyStatus(RootKeyStatus()), .deviceSummary(DeviceSummary()),
            .deviceSummary(
                DeviceSummary(
                    exists: true,
                    hasPasscode: true,
                    recoveryKeyDate: .referenceDate,
                    itemCount: 3,
                    hasRootKey: true
                )
            ),
            .rootKeyStatus(
                RootKeyStatus(kind: .software, path: "/a", replacements: [.software, .tpm], isUnsettled: true)
            ),
        ]
        + [
            .storeStatus(StoreStatus()), .storeStatus(StoreStatus(file: version, program: 0x0301, features: features)),
            .storeDowngrade(StoreDowngrade(former: version, version: .base, removed: features)),
            .storeDowngrade(StoreDowngrade(former: version, version: version, obstacles: features)),
            .groupMove(GroupMoveReport()),
            .groupMove(GroupMoveReport(moved: movedItems, obstacles: obstacles, isDone: true)),
        ]
        + LookupSamples.replies + HistorySamples.replies + FileSamples.details.map { .fileDetails($0) }
        + FileSamples.settings.map { .fileStatus(KeychainFileStatus(isLocked: $0.locksOnSleep, settings: $0)) }
        + results.map { .answer(.single($0)) } + biometries.map { .biometry($0) }
        + KeyEnclaveKind.allCases.map { .enclave($0) }
        + LockState.allCases.flatMap { state in
            policies.map { policy in
                .deviceStatus(
                    DeviceStatus(
                        lockState: state,
                        hasPasscode: state != .unlocked,
                        failedAttempts: 3,
                        secondsUntilNextAttempt: 59.5,
                        policy: policy
                    )
                )
            }
        }
        + EnclaveAlgorithm.allCases.map {
            .enclaveKey(
                EnclaveKey(algorithm: $0, publicKey: [4, 1], accessControl: accessControls[0], sealed: secret("s"))
            )
        }
        + ExplanationSamples.explanations.map { .explanation($0) }
        + [
            .explained(ExplainedOutcome(ExplanationSamples.explanations[0], .success(.nothing))),
            .explained(ExplainedOutcome(ExplanationSamples.explanations[0], .failure(errors[0]))),
            .explained(ExplainedOutcome(nil, .success(.nothing))),
        ]

    private static var integrity: IntegrityReport {
        var report = IntegrityReport()
        (report.intactRows, report.lockedRows, report.destroyedRows) = (1, 2, 3)
        report.keysAreLocked = false
        report.structuralDefects = ["a page", "another"]
        report.damagedRows = ItemClass.allCases.map {
            .init(itemClass: $0, persistentReference: [1, 2, 3], damage: "secret", isQuarantined: $0 == .key)
        }
        return report
    }

    static let errors: [KeychainError] = {
        let device: [DeviceError] = [
            .noPasscode, .passcodeAlreadySet, .emptyPasscode,
            .wrongPasscode(failedAttempts: 5, secondsUntilNextAttempt: 60),
            .attemptTooSoon(secondsUntilNextAttempt: 0.5), .erased, .locked, .unusablePolicy,
            .noRecoveryKey, .wrongRecoveryKey,
        ]
        let kinds: [KeychainError.Kind] =
            [
                .request, .unavailable, .transport, .foreignOwner(.daemon), .foreignOwner(StoreOwner(rawValue: 9)),
                .lostIdentity,
            ]
            + device.map { .device($0) } + KeychainError.ServiceFailure.allCases.map { .service($0) }
            + AuthenticationFailure.allCases.map { .authentication($0) }
            + KeychainError.StorageFailure.allCases.map { .storage($0) }
            + KeychainError.KeyFailure.allCases.map { .keys($0) }
        return kinds.map { KeychainError(.io, "a reason", kind: $0) } + [
            KeychainError(Status(rawValue: .min), "", subject: "acct", facts: ["errno": "13", "path": "/tmp"])
        ]
    }()

    // MARK: Questions

    static let prompts: [AuthenticationPrompt] =
        ([.passcode, .biometry, .applicationPassword, .newApplicationPassword] as [AuthenticationPrompt.Kind]).map {
            AuthenticationPrompt($0, reason: "")
        } + [
            AuthenticationPrompt(
                .passcode,
                reason: "to test",
                label: "New passcode",
                cancelTitle: "No",
                fallbackTitle: "",
                problem: "The passcode is wrong.",
                timeoutSeconds: 1
            )
        ]

    static let authenticationReplies: [AuthenticationReply] = [
        .secret(secret("typed")), .recognized, .notRecognized, .fallback, .cancelled, .ended, .unavailable,
    ]
}

extension Bytes16 {
    /// Sixteen different bytes.
    fileprivate init(high first: UInt8) {
        let bytes = (0..<UInt8(Bytes16.count)).map { first + $0 }
        self = bytes.withUnsafeBytes { Bytes16($0) } ?? .zero
    }
}
