// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus

/// Calls of the portal for secrets.
extension SecretService {
    /// Takes the portal's name on a connection that takes descriptors, and learns who may call.
    func startPortal(_ portal: SecretPortal, on passing: Bus) throws(BusError) {
        portal.front = (try? bus.callDriver("GetNameOwner", SecretPortal.frontName).string()) ?? ""
        // Another back end may have it, which serves the portal then.
        _ = try passing.requestName(SecretPortal.name)
    }

    /// Carries out a call of the portal, or begins to.
    func carryOut(
        _ call: ServiceCall,
        _ store: ProgramStore,
        for portal: SecretPortal
    ) throws(ServiceError) {
        guard !portal.front.isEmpty, call.client.name == portal.front else { throw .accessDenied }
        let request = portal.requests[call.message.path]
        guard request != nil || call.message.path == SecretPortal.path else { throw .unknownObject }
        let interface = call.message.interface
        switch (interface, call.message.member, request) {
        case (SecretPortal.interface, "RetrieveSecret", nil): try retrieveSecret(call, store, for: portal)
        case (SecretPortal.requestInterface, "Close", let request?):
            guard call.message.has(signature: "") else { throw .invalidArguments }
            request.questions.end()
            answer(call.number)
        case (Interface.properties.rawValue, "Get", nil):
            try readInterface(call, "ss")
            guard call.message.name() == "version" else { throw .unknownProperty }
            answer(call.number) { reply throws(BusError) in try reply.appendVariant(SecretPortal.version) }
        case (Interface.properties.rawValue, "GetAll", nil):
            try readInterface(call, "s")
            answer(call.number) { reply throws(BusError) in
                try reply.append("a", of: "{sv}") { () throws(BusError) in
                    try reply.append("e", of: "sv") { () throws(BusError) in
                        try reply.append("version")
                        try reply.appendVariant(SecretPortal.version)
                    }
                }
            }
        default:
            let own = request == nil ? SecretPortal.interface : SecretPortal.requestInterface
            let isKnown = interface.isEmpty || interface == own || Interface(rawValue: interface)?.isCommon == true
            throw isKnown ? .unknownMethod : .unknownInterface
        }
    }

    /// Reads the interface whose properties are asked for.
    private func readInterface(_ call: ServiceCall, _ signature: String) throws(ServiceError) {
        guard call.message.has(signature: signature) else { throw .invalidArguments }
        guard call.message.name() == SecretPortal.interface else { throw .unknownInterface }
    }

    private func retrieveSecret(
        _ call: ServiceCall,
        _ store: ProgramStore,
        for portal: SecretPortal
    ) throws(ServiceError) {
        guard call.message.has(signature: "osha{sv}"), let handle = call.message.objectPath(),
            let application = call.message.string(), let descriptor = call.message.descriptor()
        else { throw .invalidArguments }
        guard handle.hasPrefix("\(SecretPortal.path)/"), portal.requests[handle] == nil else { throw .invalidArguments }
        let ofApplication = portal.requests.values.count { $0.application.hasSameBytes(as: application) }
        guard portal.requests.count < SecretPortal.maximum.total, ofApplication < SecretPortal.maximum.ofApplication,
            let pipe = PortalPipe(copying: descriptor), let admission = surroundings.options.portal
        else { return answerPortal(call.number, .failed) }
        let questions = PromptQuestions()
        portal.requests[handle] = SecretPortal.Request(application: application, questions: questions)
        let source = PortalSecretSource(
            server: surroundings.server,
            admission: admission,
            prompter: surroundings.options.prompter
        )
        let (mailbox, number) = (mailbox, call.number)
        let isStarted = surroundings.prompts.start {
            let response = source.answer(for: application, askedBy: store, on: pipe, until: questions)
            mailbox.post { service in
                service.portal?.requests[handle] = nil
                service.answerPortal(number, response)
            }
        }
        guard !isStarted else { return }
        portal.requests[handle] = nil
        answerPortal(number, .failed)
    }

    private func answerPortal(_ number: UInt64, _ response: PortalResponse) {
        answer(number) { reply throws(BusError) in
            try reply.append(response.rawValue)
            try reply.append("a", of: "{sv}") { () throws(BusError) in }
        }
    }
}

extension BusMessage {
    fileprivate func appendVariant(_ number: UInt32) throws(BusError) {
        try append("v", of: "u") { () throws(BusError) in try append(number) }
    }
}
