// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Methods of mutable dictionaries that keychain code uses and Foundation on Linux lacks.
extension NSMutableDictionary {
    /// Sets or, for `nil`, removes the value of a key.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: NSString(string: key))
        } else {
            removeObject(forKey: NSString(string: key))
        }
    }

    /// Sets the value for a key given as a copying object.
    @_disfavoredOverload
    public func setObject(_ object: Any, forKey key: any NSCopying) {
        if let key = key as? AnyHashable { setObject(object, forKey: key) }
    }

    /// A dictionary with the entries of another one.
    public convenience init(dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            if let key = key as? AnyHashable { setObject(value, forKey: key) }
        }
    }
}
