/**
 * A page can put names on Object.prototype. Every plain object inherits them, and then Preact's loops over props and
 * the browser's option bags read them as ours. This file removes the names for a moment.
 */

/** Removes the page's names from Object.prototype. Returns the function that puts them back, which works once. */
export function removeNames(): () => void {
  const prototype: object = Object.prototype
  let removed: PropertyDescriptorMap = {}
  for (const name of Object.keys(prototype)) {
    const found = Object.getOwnPropertyDescriptor(prototype, name)
    if (found && Reflect.deleteProperty(prototype, name)) removed[name] = found
  }
  return () => {
    defineProperties(prototype, removed)
    removed = {}
  }
}

/** Runs `task` at once, without the page's names. No code of the page may run in it, because it may need its names. */
export function unpolluted<Result>(task: () => Result): Result {
  const putBack = removeNames()
  try {
    return task()
  } finally {
    putBack()
  }
}

/**
 * The build replaces Object.defineProperty and Object.defineProperties with these two. A descriptor inherits
 * from Object.prototype too: with the page's `get` there, `{ value: 1 }` is invalid and the libraries cannot load.
 * This helps even if the page has made a name impossible to remove.
 */
export function defineProperty<Target extends object>(
  target: Target,
  name: PropertyKey,
  descriptor: PropertyDescriptor,
): Target {
  Reflect.defineProperty(target, name, Object.setPrototypeOf(descriptor, null))
  return target
}

export function defineProperties<Target extends object>(target: Target, all: PropertyDescriptorMap): Target {
  for (const [name, descriptor] of Object.entries(all)) defineProperty(target, name, descriptor)
  return target
}
