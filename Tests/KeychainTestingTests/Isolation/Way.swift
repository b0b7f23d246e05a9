// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import Synchronization
import Testing

/// How work comes to run elsewhere than in the task of a test: a row of the table in TestingKeychainCode.
///
/// Each call stands on a line of its own, by which a complaint about it is known.
enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
    // By itself.
    case task, asyncLet, taskGroup, mainActor, asyncStream, notification, subject, contextReply
    // By one line.
    case queue, queues, delayed, groupNotify, source, delegate, receiver
    case operationQueue, notificationQueue
    case detached, thread, globalQueue, mainQueue, timer, concurrentPerform, taskOnQueue
    // Not.
    case outOfReach

    enum Following: Sendable {
        case byItself
        /// By `app.bind(to:)` or `app.carry { … }`.
        case byOneLine
        /// By a process-wide app only.
        case not
    }

    var following: Following {
        switch self {
        case .task, .asyncLet, .taskGroup, .mainActor, .asyncStream, .notification, .subject, .contextReply: .byItself
        case .outOfReach: .not
        default: .byOneLine
        }
    }

    /// What the table calls it.
    var row: String {
        switch self {
        case .task: "`Task { }`"
        case .asyncLet: "`async let`"
        case .taskGroup: "a task group"
        case .mainActor: "`MainActor.run`, and any other actor"
        case .asyncStream: "`for await` over a stream that is fed from elsewhere"
        case .notification: "an observer of a notification that the code posts"
        case .subject: "a subscriber that is called by the sender (Combine-like)"
        case .contextReply: "the reply of an `LAContext`"
        case .queue: "`queue.async`"
        case .queues: "several queues, one after the other"
        case .delayed: "`queue.asyncAfter`"
        case .groupNotify: "`DispatchGroup.notify`"
        case .source: "a Dispatch source, such as a timer"
        case .delegate: "a delegate that is called on a queue"
        case .receiver: "`receive(on:)` with a queue (Combine-like)"
        case .operationQueue: "an `OperationQueue`, such as a delegate queue"
        case .notificationQueue: "an observer of a notification on an `OperationQueue`"
        case .detached: "`Task.detached`, also in `app.carry`"
        case .thread: "`Thread`"
        case .globalQueue: "`DispatchQueue.global()`"
        case .mainQueue: "`DispatchQueue.main`"
        case .timer: "a `Timer` of a run loop"
        case .concurrentPerform: "`DispatchQueue.concurrentPerform`"
        case .taskOnQueue: "`Task { }` on a bound queue"
        case .outOfReach: "a thread of a library, out of reach"
        }
    }

    var testDescription: String { rawValue }

    typealias Call = @Sendable () -> OSStatus

    /// Makes the call as this app, and lets it go along with the work where `isCarried`.
    func call(as app: App, isCarried: Bool) async -> OSStatus {
        switch following {
        case .byItself: await callByItself()
        case .byOneLine: await isOnQueue ? callOnQueues(app, isCarried) : callInClosure(app, isCarried)
        case .not: await Library().call { SecItemAdd(Items.query(), nil) }
        }
    }

    private func callByItself() async -> OSStatus {
        switch self {
        case .task: return await Task { SecItemAdd(Items.query(), nil) }.value
        case .asyncLet:
            async let status = SecItemAdd(Items.query(), nil)
            return await status
        case .taskGroup:
            return await withTaskGroup(of: OSStatus.self) { group in
                group.addTask { SecItemAdd(Items.query(), nil) }
                return await group.next() ?? errSecInternalError
            }
        case .mainActor: return await MainActor.run { SecItemAdd(Items.query(), nil) }
        case .asyncStream:
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            Thread { continuation.yield("account") }.start()
            for await account in stream { return SecItemAdd(Items.query(account), nil) }
            return errSecInternalError
        case .notification:
            return await Self.result { done in
                let name = Notification.Name(UUID().uuidString)
                let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    done(SecItemAdd(Items.query(), nil))
                }
                NotificationCenter.default.post(name: name, object: nil)
                NotificationCenter.default.removeObserver(token)
            }
        case .subject:
            return await Self.result { done in
                let subject = Subject()
                subject.sink { done(SecItemAdd(Items.query(), nil)) }
                subject.send()
            }
        default:
            return await Self.result { done in
                LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "test") { _, _ in
                    done(SecItemAdd(Items.query(), nil))
                }
            }
        }
    }

    private var isOnQueue: Bool {
        switch self {
        case .queue, .queues, .delayed, .groupNotify, .source, .delegate, .receiver, .operationQueue,
            .notificationQueue:
            true
        default: false
        }
    }

    private func callOnQueues(_ app: App, _ isCarried: Bool) async -> OSStatus {
        let (queue, next) = (DispatchQueue(label: "of the app"), DispatchQueue(label: "next", attributes: .concurrent))
        let operations = OperationQueue()
        if isCarried {
            app.bind(to: queue, next)
            app.bind(to: operations)
        }
        return await Self.result { done in
            switch self {
            case .queue: queue.async { done(SecItemAdd(Items.query(), nil)) }
            case .queues: queue.async { next.async { done(SecItemAdd(Items.query(), nil)) } }
            case .delayed: queue.asyncAfter(deadline: .now() + 0.001) { done(SecItemAdd(Items.query(), nil)) }
            case .groupNotify:
                let group = DispatchGroup()
                next.async(group: group) {}
                group.notify(queue: queue) { done(SecItemAdd(Items.query(), nil)) }
            case .source:
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.setEventHandler {
                    timer.cancel()
                    done(SecItemAdd(Items.query(), nil))
                }
                timer.schedule(deadline: .now())
                timer.activate()
            case .delegate:
                let service = Service(delegateQueue: queue)
                service.delegate = Delegate { done(SecItemAdd(Items.query(), nil)) }
                service.start()
            case .receiver:
                let subject = Subject()
                subject.sink(on: queue) { done(SecItemAdd(Items.query(), nil)) }
                subject.send()
            case .operationQueue: operations.addOperation { done(SecItemAdd(Items.query(), nil)) }
            default:
                let name = Notification.Name(UUID().uuidString)
                let center = NotificationCenter()
                _ = center.addObserver(forName: name, object: nil, queue: operations) { _ in
                    done(SecItemAdd(Items.query(), nil))
                }
                center.post(name: name, object: nil)
            }
        }
    }

    private func callInClosure(_ app: App, _ isCarried: Bool) async -> OSStatus {
        func carried(_ call: @escaping Call) -> Call { isCarried ? app.carry(call) : call }
        switch self {
        case .detached:
            let call: @Sendable () async -> OSStatus = { SecItemAdd(Items.query(), nil) }
            // What an app goes along with is its own task; one that is detached in it needs a line of its own.
            let start = app.carry { Task.detached(operation: isCarried ? app.carry(call) : call) }
            return await start().value
        case .thread:
            let call = carried { SecItemAdd(Items.query(), nil) }
            return await Self.result { done in Thread { done(call()) }.start() }
        case .globalQueue:
            let call = carried { SecItemAdd(Items.query(), nil) }
            return await Self.result { done in DispatchQueue.global().async { done(call()) } }
        case .mainQueue:
            let call = carried { SecItemAdd(Items.query(), nil) }
            return await Self.result { done in DispatchQueue.main.async { done(call()) } }
        case .timer:
            let call = carried { SecItemAdd(Items.query(), nil) }
            return await Self.result { done in Thread { Self.runTimer { done(call()) } }.start() }
        case .concurrentPerform:
            let call = carried { SecItemAdd(Items.query(), nil) }
            return await Self.result { done in
                Thread { DispatchQueue.concurrentPerform(iterations: 1) { _ in done(call()) } }.start()
            }
        default:
            let call = carried { SecItemAdd(Items.query(), nil) }
            let queue = DispatchQueue(label: "bound")
            app.bind(to: queue)
            return await Self.result { done in queue.async { Task { done(call()) } } }
        }
    }

    private static func runTimer(_ body: @escaping @Sendable () -> Void) {
        let isDone = Mutex(false)
        let timer = Timer(timeInterval: 0, repeats: false) { _ in
            body()
            isDone.withLock { $0 = true }
        }
        RunLoop.current.add(timer, forMode: .default)
        while !isDone.withLock(\.self) {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
        }
    }

    /// What `start` says to be done.
    private static func result(_ start: (_ done: @escaping @Sendable (OSStatus) -> Void) -> Void) async -> OSStatus {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }
}

/// Sends to its subscribers, on the sender's thread or on a queue.
private final class Subject: Sendable {
    private let subscribers = Mutex<[@Sendable () -> Void]>([])

    func sink(_ body: @escaping @Sendable () -> Void) { subscribers.withLock { $0.append(body) } }

    func sink(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { sink { queue.async(execute: body) } }

    func send() { for subscriber in subscribers.withLock(\.self) { subscriber() } }
}

/// Works on a queue of its own, and calls its delegate on one that it is given.
private final class Service {
    private let work = DispatchQueue(label: "service")
    private let delegateQueue: DispatchQueue
    var delegate: Delegate?

    init(delegateQueue: DispatchQueue) { self.delegateQueue = delegateQueue }

    func start() { work.async { [delegate, delegateQueue] in delegateQueue.async { delegate?.serviceDidFinish() } } }
}

private struct Delegate: Sendable {
    let serviceDidFinish: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { serviceDidFinish = body }
}

/// Does what it is told on a thread that nobody else can reach.
private struct Library {
    func call(_ body: @escaping Way.Call) async -> OSStatus {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }
}
