/** Pages that put names on Object.prototype, where every plain object inherits them. */

/** Names that something on the way from the tag to the request could read, by who would read them. */
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
  browser: [
    'mode',
    'cache',
    'referrer',
    'integrity',
    'method',
    'body',
    'signal',
    'slotAssignment',
    'get',
    'detail',
  ],
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
  options: ['event', 'vnode', 'diffed', 'unmount', 'name', 'watched', 'unwatched', 'idle', 'ar', 'en'],
  minified: [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((letter) => [
    letter,
    `__${letter}`,
  ]),
}

/** What stands under a name: a text, something that can be called, or a lock that no assignment opens. */
export const KINDS = {
  text: "value: 'https://evil.invalid/', writable: true",
  function: 'value() { return evil }, writable: true',
  locked: "value: 'https://evil.invalid/', writable: false",
}

export type Kind = keyof typeof KINDS

export function pollutedPage(names: readonly string[], kind: Kind): string {
  return `<!doctype html><html lang="en"><title>Polluted</title><h1>Polluted</h1>
    <script>
      const evil = 'https://evil.invalid/'
      for (const name of ${JSON.stringify(names)})
        Object.defineProperty(Object.prototype, name, { __proto__: null, ${KINDS[kind]}, enumerable: true, configurable: true })
    </script>
    <script src="__API__/widget/v1/kassa.js" data-public-key="__PUBLIC_KEY__" data-product-id="tea" data-price="$15.00"></script>
    <kassa-pay public-key="__PUBLIC_KEY__" product-id="locker"></kassa-pay></html>`
}
