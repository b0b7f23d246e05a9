// SPDX-License-Identifier: Apache-2.0

/// Closures of one expression whose value nobody gets.
enum VoidContext {
    /// Functions that take a closure without a result, by their names.
    private static let takers: Set<String> = [
        "async", "asyncAfter", "asyncUnsafe", "Button", "onAppear", "onDisappear", "onTapGesture", "onLongPressGesture",
        "onChange", "onReceive", "onSubmit", "onDelete", "onOpenURL", "task", "refreshable", "swipeActions",
        "addOperation",
        "addExecutionBlock", "BlockOperation", "scheduledTimer", "animate", "withAnimation", "UIAction",
        "UIAlertAction",
        "forEach", "addObserver", "sink", "notify", "detachNewThread", "Thread", "addBarrierBlock", "concurrentPerform",
        "dataTask", "DispatchWorkItem", "addTask", "detached", "immediate", "Task", "background", "perform",
    ]

    /// Labels of arguments that are such closures.
    private static let labels: Set<String> = [
        "action", "perform", "execute", "completion", "completionHandler", "onDismiss", "handler", "onCompletion",
    ]

    /// Functions that give back what their closure gives.
    private static let givers: Set<String> = [
        "withLock", "withLockUnchecked", "withLockIfAvailable", "sync", "performAndWait", "autoreleasepool",
        "withExtendedLifetime", "run", "locked", "synchronized", "withCriticalRegion", "asyncAndWait", "assumeIsolated",
    ]

    /// Whether the value of a closure argument is lost.
    static func drops(_ argument: CallArgument, of callee: Expression, isStatement: Bool) -> Bool {
        guard case .closure(let closure) = argument.value.kind, closure.body.count == 1,
            let name = callee.lastName ?? callee.memberName
        else { return false }
        if argument.label.map(labels.contains) ?? false { return true }
        return takers.contains(name) || (isStatement && givers.contains(name))
    }
}

extension Expression {
    /// The only expression of a closure.
    var singleExpression: Expression? {
        guard case .closure(let closure) = kind, closure.body.count == 1,
            case .expression(let only) = closure.body[0].kind
        else { return nil }
        return only
    }

    /// The last name of a path whose base is no plain path: `async` of `DispatchQueue.global().async`.
    fileprivate var memberName: String? {
        if case .member(_, let name) = bare.kind { name } else { nil }
    }
}
