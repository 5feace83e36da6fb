/** Pages that put names on built-in prototypes. Every plain object inherits the names on Object.prototype. */

/** Names that some code between the script tag and the request could read, grouped by the reader. */
export const NAMES = {
  page: [
    'publicKey',
    'productId',
    'returnUrl',
    'clientReference',
    'target',
    'endpoint',
    'base',
    'label',
    'locale',
    'price',
  ],
  browser: ['mode', 'cache', 'referrer', 'integrity', 'method', 'body', 'signal', 'slotAssignment', 'detail'],
  /** Fields of a property descriptor. The libraries define properties while they load. */
  descriptor: ['get', 'set', 'value', 'writable', 'enumerable', 'configurable'],
  answer: ['checkoutUrl', 'error', 'errors', 'code', 'message', 'retryable', 'url', 'redirect', 'onSuccess'],
  vnode: [
    'type',
    'props',
    'key',
    'ref',
    'children',
    'constructor',
    'is',
    'dangerouslySetInnerHTML',
    'defaultValue',
  ],
  element: [
    'onClick',
    'onclick',
    'onFocus',
    'class',
    'className',
    'style',
    'lang',
    'dir',
    'part',
    'role',
    'hidden',
    'aria-busy',
  ],
  component: [
    'render',
    'shouldComponentUpdate',
    'componentWillUpdate',
    'getChildContext',
    'contextType',
    'state',
    'context',
  ],
  options: ['event', 'vnode', 'diffed', 'unmount', 'debounceRendering', 'requestAnimationFrame'],
  signals: ['name', 'watched', 'unwatched', 'displayName', 'data', 'brand', '__$u', '__$f', '__np'],
  locales: ['idle', 'ar', 'en'],
  minified: [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((letter) => [
    letter,
    `__${letter}`,
  ]),
}

/** What the page stores under a name: a text, a function, or a text that no assignment can replace. */
export const KINDS = {
  text: "value: 'https://evil.invalid/', writable: true",
  function: 'value() { return evil }, writable: true',
  locked: "value: 'https://evil.invalid/', writable: false",
}

export type Kind = keyof typeof KINDS

/** The script of a page that puts the names on Object.prototype. */
export function putNames(names: readonly string[], kind: Kind): string {
  return `
      const evil = 'https://evil.invalid/'
      for (const name of ${JSON.stringify(names)})
        Object.defineProperty(Object.prototype, name, { __proto__: null, ${KINDS[kind]}, enumerable: true, configurable: true })`
}

/** Methods that old libraries add, and the fields of a property descriptor. */
const METHODS = [
  ...NAMES.descriptor,
  'extend',
  'each',
  'clone',
  'size',
  'first',
  'last',
  'watch',
  'merge',
  'inspect',
]

/** Scripts of pages whose names the button cannot remove: they are locked, or they are not on Object.prototype. */
export const STUBBORN = {
  'adds hidden methods to every object and freezes Object.prototype': `
      for (const name of ${JSON.stringify(METHODS)}) Object.defineProperty(Object.prototype, name, { __proto__: null, value() {} })
      Object.freeze(Object.prototype)`,
  'adds methods to arrays, functions, texts and numbers': `
      for (const { prototype } of [Array, Function, String, Number, Promise, Map])
        for (const name of ${JSON.stringify([...METHODS, 'toJSON', 'contextType'])})
          prototype[name] = function () { return 'https://evil.invalid/' }`,
}

/** A page with two buttons, after a script of the page. */
export function pageAfter(script: string): string {
  return `<!doctype html><html lang="en"><title>Polluted</title><h1>Polluted</h1>
    <script>${script}
    </script>
    <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea" data-price="$15.00"></script>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="locker"></kassa-pay></html>`
}
