/**
 * A page can put names on Object.prototype, where every plain object inherits them: Preact's loops over props and the
 * browser's option bags would read them as ours. So what reads such objects runs while those names are lifted off.
 */

/** Runs `task` at once, and puts everything back as it was. The page runs nothing meanwhile: give it no page code. */
export function unpolluted<Result>(task: () => Result): Result {
  const prototype: object = Object.prototype
  const lifted: PropertyDescriptorMap = {}
  for (const name of Object.keys(prototype)) {
    const found = Object.getOwnPropertyDescriptor(prototype, name)
    if (found && Reflect.deleteProperty(prototype, name)) lifted[name] = Object.setPrototypeOf(found, null)
  }
  try {
    return task()
  } finally {
    Object.defineProperties(prototype, lifted)
  }
}
