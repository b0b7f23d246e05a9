// SPDX-License-Identifier: Apache-2.0

import Conformance
import KeychainCore

extension Mistake {
    private static let app = "TEAMID.com.example.app"
    private static let shared = "TEAMID.com.example.shared"

    private static func guarded(_ flag: String) -> JSONValue {
        .object([
            "accessControl": .object([
                "protection": .string("kSecAttrAccessibleWhenUnlocked"), "flags": .array([.string(flag)]),
            ])
        ])
    }

    /// Makes the mistake.
    func seed(into draft: inout ScenarioDraft) {
        switch self {
        case .none, .label, .letterCase, .space, .twoAttributes, .otherClass, .synchronizable: seedQuery(&draft)
        case .otherGroup, .foreignGroup, .removedGroup, .prefix: seedGroup(&draft)
        case .locked, .beforeFirstUnlock, .background, .lockedAdd, .biometry: seedProtection(&draft)
        case .unsupported, .limitInDelete, .returnInUpdate, .noFlag, .wrongCast, .ignoredUpdate: seedEntry(&draft)
        case .duplicate, .missedLookUp, .deleted, .dangling, .wideDelete, .anyOfThree, .neverStored: seedStore(&draft)
        }
    }

    private func seedQuery(_ draft: inout ScenarioDraft) {
        switch self {
        case .label: draft.query["kSecAttrLabel"] = .string("token")
        case .letterCase: draft.query["kSecAttrAccount"] = .string(draft.account.uppercased())
        case .space: draft.query["kSecAttrService"] = .string(draft.service + " ")
        case .twoAttributes:
            draft.query["kSecAttrLabel"] = .string("token")
            draft.query["kSecAttrComment"] = .string("of the app")
        case .otherClass:
            draft.query["kSecClass"] = .string("kSecClassInternetPassword")
            draft.query["kSecAttrService"] = nil
            if draft.hasSecondMistake { draft.query["kSecAttrLabel"] = .string("token") }
        case .synchronizable: draft.item["kSecAttrSynchronizable"] = .boolean(true)
        default: break
        }
    }

    private func seedGroup(_ draft: inout ScenarioDraft) {
        switch self {
        case .otherGroup:
            draft.item["kSecAttrAccessGroup"] = .string(Self.shared)
            draft.query["kSecAttrAccessGroup"] = .string(Self.app)
            if draft.hasSecondMistake { draft.query["kSecAttrLabel"] = .string("token") }
        case .foreignGroup:
            draft.before.append(ScenarioDraft.groups("TEAMID.com.example.other"))
            draft.steps.append(ScenarioDraft.groups(Self.app, Self.shared))
            if draft.hasSecondMistake { draft.query["kSecAttrLabel"] = .string("token") }
        case .removedGroup:
            draft.before.append(ScenarioDraft.groups("TEAMID.com.example.old", Self.app))
            draft.steps.append(ScenarioDraft.groups(Self.app, Self.shared))
            draft.options["previousGroups"] = .array([.string("TEAMID.com.example.old"), .string(Self.app)])
        default:
            draft.operation = "add"
            draft.isStored = false
            draft.query = draft.item
            draft.query["kSecAttrAccessGroup"] = .string("com.example.shared")
        }
    }

    private func seedProtection(_ draft: inout ScenarioDraft) {
        switch self {
        case .locked: draft.steps.append(ScenarioDraft.step("lock"))
        case .beforeFirstUnlock:
            draft.item["kSecAttrAccessible"] = .string("kSecAttrAccessibleAfterFirstUnlock")
            draft.steps.append(ScenarioDraft.step("reboot"))
        case .background:
            draft.item["kSecAttrAccessControl"] = Self.guarded("userPresence")
            draft.options["background"] = .boolean(true)
        case .lockedAdd:
            draft.operation = "add"
            draft.isStored = false
            draft.query = draft.item
            draft.steps.append(ScenarioDraft.step("lock"))
        default:
            draft.item["kSecAttrAccessControl"] = Self.guarded("biometryCurrentSet")
            draft.steps.append(
                ScenarioDraft.step("setBiometry", ["kind": .string("touchID"), "set": .integer(2)])
            )
        }
    }

    private func seedEntry(_ draft: inout ScenarioDraft) {
        switch self {
        case .unsupported: draft.query["kSecAttrApplicationTag"] = .object(["data": .string(Base64.text("tag"))])
        case .limitInDelete:
            draft.operation = "delete"
            draft.query["kSecReturnData"] = nil
            draft.query["kSecMatchLimit"] = .string("kSecMatchLimitOne")
        case .returnInUpdate:
            draft.operation = "update"
            draft.update = ["kSecAttrLabel": .string("new")]
        case .noFlag:
            draft.query["kSecReturnData"] = nil
            draft.options["usedAs"] = .string("data")
        case .wrongCast:
            draft.query["kSecReturnAttributes"] = .boolean(true)
            draft.options["usedAs"] = .string("data")
        default:
            draft.operation = "update"
            draft.query["kSecReturnData"] = nil
            draft.update = ["kSecAttrSynchronizable": .string("kSecAttrSynchronizableAny")]
        }
    }

    private func seedStore(_ draft: inout ScenarioDraft) {
        let others = ["second", "third"].map { account in
            draft.item.merging(["kSecAttrAccount": .string(account)]) { $1 }
        }
        switch self {
        case .duplicate, .missedLookUp:
            if self == .missedLookUp {
                var lookUp = draft.query
                lookUp["kSecAttrLabel"] = .string("token")
                draft.steps.append(ScenarioDraft.step("copy", lookUp, expect: "errSecItemNotFound"))
                draft.options["history"] = .boolean(true)
            }
            draft.operation = "add"
            draft.query = draft.item
        case .deleted:
            let byService = draft.query.filter { ["kSecClass", "kSecAttrService"].contains($0.key) }
            draft.steps = others.map { ScenarioDraft.step("add", $0) } + [ScenarioDraft.step("delete", byService)]
            draft.options["history"] = .boolean(true)
        case .dangling:
            draft.item["kSecReturnPersistentRef"] = .boolean(true)
            draft.saves = "reference"
            let whole = draft.query.filter { $0.key != "kSecReturnData" }
            draft.steps.append(ScenarioDraft.step("delete", whole))
            draft.query = [
                "kSecValuePersistentRef": .object(["var": .string("reference")]), "kSecReturnData": .boolean(true),
            ]
        case .wideDelete, .anyOfThree:
            draft.steps = others.map { ScenarioDraft.step("add", $0) }
            draft.query["kSecAttrAccount"] = nil
            if self == .wideDelete {
                draft.operation = "delete"
                draft.query["kSecReturnData"] = nil
            }
        default: draft.isStored = false
        }
    }
}
