// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// What is wrong with a request: all of it, and what counts.
struct RequestFaultTests {
    /// One thing that can be wrong with a request.
    struct Flaw: Sendable, CustomTestStringConvertible {
        let check: RequestCheck
        var part = RequestPart.query
        /// What is in the dictionary then.
        var entries: [String: PropertyValue] = [:]
        var foreignKeys: Set<PropertyDictionary.ForeignKey> = []
        /// Which functions have the check.
        var functions = ItemFunction.allCases
        var client: (@Sendable (inout Client) -> Void)?

        var testDescription: String { "\(check.rawValue) of \(part.rawValue)" }

        func apply(to request: inout ItemRequest) {
            switch part {
            case .query:
                request.dictionary.entries.merge(entries) { $1 }
                request.dictionary.foreignKeys.formUnion(foreignKeys)
            case .attributes:
                request.attributes.entries.merge(entries) { $1 }
                request.attributes.foreignKeys.formUnion(foreignKeys)
            }
            var changed = request.client
            client?(&changed)
            request = ItemRequest(
                function: request.function,
                client: changed,
                dictionary: request.dictionary,
                attributes: request.attributes
            )
        }
    }

    private static let writing: [ItemFunction] = [.add, .update, .delete]
    private static let guarded: [String: PropertyValue] = .access([.userPresence])
    private static let foreign = PropertyValue.string("TEAMID.foreign")

    /// Flaws that leave each other alone, in no order.
    static let flaws: [Flaw] = [
        Flaw(check: .issuerType, entries: ["issr": .string("name")]),
        Flaw(
            check: .contextAndCredential,
            entries: [
                PropertyKey.useAuthenticationContext: .authenticationContext(AuthenticationContext()),
                PropertyKey.useCredentialReference: .data(SecretBytes()),
            ]
        ),
        Flaw(
            check: .authenticationUISkip,
            entries: [PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUISkip)],
            functions: writing
        ),
        Flaw(check: .valueReference, entries: [PropertyKey.valueReference: .string("no reference")]),
        Flaw(check: .tokenType, entries: ["tkid": .number(.integer(1))]),
        Flaw(check: .policyType, entries: [PropertyKey.matchPolicy: .string("policy")]),
        Flaw(check: .sharingGroup, entries: ["ggrp": .string("a")], functions: [.copyMatching, .update, .delete]),
        Flaw(check: .encoding, entries: ["icmt": .number(.real(1.5))]),
        Flaw(check: .privateAttribute, entries: ["sysb": .number(.integer(1))], functions: [.add, .update]),
        Flaw(check: .closedAttribute, entries: ["clip": .number(.integer(1))]),
        Flaw(check: .accessGroup, entries: ["agrp": foreign]),
        Flaw(check: .keyType, foreignKeys: [.other]),
        Flaw(check: .numberAsKey, foreignKeys: [.number(.integer(1))]),
        Flaw(check: .attributeName, entries: ["srvr": .string("example.com")]),
        Flaw(check: .attributeValue, entries: ["labl": .null]),
        Flaw(check: .matchValue, entries: [PropertyKey.matchTrustedOnly: .string("true")]),
        Flaw(check: .returnValue, entries: [PropertyKey.returnAttributes: .string("true")]),
        Flaw(check: .useValue, entries: [PropertyKey.useKeychain: .string("login")]),
        Flaw(check: .secretType, entries: [PropertyKey.valueData: .string("secret")]),
        Flaw(check: .keyKind, entries: ["service": .string("name")]),
        Flaw(check: .matchKeys, entries: [PropertyKey.matchLimit: .string("m_LimitOne")], functions: writing),
        Flaw(check: .returnKeys, entries: [PropertyKey.returnData: .boolean(true)], functions: [.update]),
        Flaw(
            check: .itemList,
            entries: [PropertyKey.useItemList: .array([])],
            functions: [.add, .copyMatching, .update]
        ),
        Flaw(
            check: .matchClass,
            entries: [PropertyKey.matchHostOrSubdomainOfHost: .string("example.com")],
            functions: [.copyMatching]
        ),
        Flaw(check: .encoding, part: .attributes, entries: ["icmt": .number(.real(1.5))], functions: [.update]),
        Flaw(
            check: .privateAttribute,
            part: .attributes,
            entries: ["pcss": .number(.integer(1))],
            functions: [.update]
        ),
        Flaw(check: .closedAttribute, part: .attributes, entries: ["clip": .number(.integer(1))], functions: [.update]),
        Flaw(check: .accessGroup, part: .attributes, entries: ["agrp": foreign], functions: [.update]),
        Flaw(check: .keyKind, part: .attributes, entries: ["data": .number(.integer(1))], functions: [.update]),
        Flaw(check: .policyType, part: .attributes, entries: [PropertyKey.matchPolicy: .null], functions: [.update]),
        Flaw(check: .keyType, part: .attributes, foreignKeys: [.number(.integer(1))], functions: [.update]),
        Flaw(check: .attributeName, part: .attributes, entries: ["class": .string("genp")], functions: [.update]),
        Flaw(check: .attributeValue, part: .attributes, entries: ["labl": .null], functions: [.update]),
        Flaw(check: .sharingGroupChange, part: .attributes, entries: ["ggrp": .string("a")], functions: [.update]),
        Flaw(
            check: .accessControlSynchronizable,
            part: .attributes,
            entries: guarded + ["sync": .boolean(true)],
            functions: [.update]
        ),
        Flaw(check: .protectionConflict, entries: guarded + ["pdmn": .string("ck")]),
    ]

    private static let client = Client(accessGroups: ["TEAMID.own"])

    private static func request(_ function: ItemFunction) -> ItemRequest {
        ItemRequest(function: function, client: client, dictionary: ["class": .string("genp")])
    }

    private static func place(_ flaw: Flaw, _ function: ItemFunction) -> Int? {
        RequestCheck.order(of: function).firstIndex { $0.check == flaw.check && $0.part == flaw.part }
    }

    @Test("a request without a flaw has none", arguments: ItemFunction.allCases)
    func faultless(_ function: ItemFunction) throws {
        #expect(Self.request(function).faults().isEmpty)
        #expect(try Self.request(function).checked().query.itemClass == .genericPassword)
    }

    @Test("each flaw is found by its own check", arguments: flaws)
    func single(_ flaw: Flaw) throws {
        for function in flaw.functions {
            var request = Self.request(function)
            flaw.apply(to: &request)
            let faults = request.faults()
            #expect(faults.first?.check == flaw.check, "\(function.rawValue)")
            #expect(faults.first?.part == flaw.part)
        }
    }

    @Test("of two flaws both are found, and the first in Apple's order is the answer", arguments: flaws)
    func pairs(_ flaw: Flaw) throws {
        for function in flaw.functions {
            for other in Self.flaws where other.functions.contains(function) {
                var request = Self.request(function)
                flaw.apply(to: &request)
                other.apply(to: &request)
                let faults = request.faults()
                for wanted in [flaw, other] {
                    let isFound = faults.contains { $0.check == wanted.check && $0.part == wanted.part }
                    #expect(isFound, "\(function.rawValue): \(flaw.testDescription), \(other.testDescription)")
                }
                let places = faults.compactMap { fault in
                    Self.place(Flaw(check: fault.check, part: fault.part), function)
                }
                let first = try #require(faults.first)
                let isAmongKeys = (RequestCheck.ofQueryKeys + RequestCheck.ofAttributeKeys).contains(first.check)
                #expect(isAmongKeys || places.first == places.min())
                #expect(throws: KeychainError.self) { try request.checked() }
                do { _ = try request.checked() } catch { #expect(error.reason == first.error.reason) }
            }
        }
    }

    @Test("many flaws at once: the statuses come in Apple's order")
    func many() throws {
        var request = Self.request(.update)
        request.dictionary[PropertyKey.returnData] = .boolean(true)
        request.dictionary[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        request.dictionary["srvr"] = .string("example.com")
        request.dictionary["labl"] = .null
        request.attributes["agrp"] = Self.foreign
        request.attributes["path"] = .string("/")
        let faults = request.faults()
        #expect(
            faults.map(\.check)
                == [.attributeValue, .attributeName, .returnKeys, .accessGroup, .matchKeys, .attributeName]
        )
        #expect(faults.map(\.key) == ["labl", "srvr", nil, nil, nil, "path"])
        #expect(faults.map(\.part) == [.query, .query, .query, .attributes, .query, .attributes])
        let statuses: [Status] = [
            .parameter, .noSuchAttribute, .parameter, .missingEntitlement, .parameter, .noSuchAttribute,
        ]
        #expect(faults.map(\.error.status) == statuses)
        #expect(#expect(throws: KeychainError.self) { try request.checked() }?.subject == "labl")
    }

    @Test("a token that is not there comes before what is encoded, and after what the client judges")
    func token() {
        var request = Self.request(.add)
        request.dictionary["tkid"] = .string("com.example.token")
        request.dictionary["icmt"] = .number(.real(1.5))
        #expect(request.faults().map(\.check) == [.token, .encoding])
        request.dictionary["issr"] = .null
        #expect(request.faults().first?.check == .issuerType)
        #expect(request.faults().dropFirst().first?.error.status == .itemNotFound)
    }

    @Test("what depends on a class that is not known is left out")
    func unknownClass() {
        var request = Self.request(.copyMatching)
        request.dictionary["class"] = .string("card")
        request.dictionary["srvr"] = .string("example.com")
        request.dictionary["clip"] = .number(.integer(1))
        #expect(request.faults().map(\.check) == [.closedAttribute, .className])
    }

    @Test("a keychain answers with the first fault", arguments: flaws)
    func answer(_ flaw: Flaw) throws {
        let keychain = EmbeddedKeychain.inMemory()
        for function in flaw.functions {
            var request = Self.request(function)
            flaw.apply(to: &request)
            let operation: KeychainRequest.Operation =
                switch function {
                case .add: .add(request.dictionary)
                case .copyMatching: .copyMatching(request.dictionary)
                case .update: .update(request.dictionary, attributes: request.attributes)
                case .delete: .delete(request.dictionary)
                }
            let fault = try #require(request.faults().first)
            do {
                _ = try keychain.perform(KeychainRequest(operation, client: Self.client))
                Issue.record("\(function.rawValue) succeeded")
            } catch {
                #expect(error.status == fault.error.status)
                #expect(error.reason == fault.error.reason)
            }
        }
    }
}
