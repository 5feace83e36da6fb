/** The bundle's entry. It finds its own script tag, defines `<kassa-pay>`, places the tag's button and adds `Kassa`. */
import './load.ts'
import { ATTRIBUTES, type AttributeName, httpOrigin, warnSiteBuilder } from './config.ts'
import { defineElement } from './element.ts'
import { putNamesBack } from './load.ts'
import { unpolluted } from './unpolluted.ts'

declare const __KASSA_VERSION__: string

/** The element's attributes, in camel case. */
type MountOptions = {
  publicKey: string
  productId: string
  productName?: string
  returnUrl?: string
  clientReference?: string
  price?: string
  label?: string
  locale?: string
  target?: string
  endpoint?: string
  texts?: string
}

// With the prototype's getter, because an <img name="currentScript"> hides document.currentScript.
const current: unknown = Reflect.get(Document.prototype, 'currentScript', document)
const script = current instanceof HTMLScriptElement ? current : undefined
const origin = httpOrigin(script?.src)
const KassaPay = defineElement(origin)

if (script && KassaPay) placeButton(script)
// Only an own property is an earlier load of this script. An element with id="Kassa" is visible as window.Kassa too.
if (!Object.hasOwn(window, 'Kassa'))
  Object.defineProperty(window, 'Kassa', { value: Object.freeze({ mount, version: __KASSA_VERSION__ }) })
putNamesBack()

/** Appends a button to an element, or to the first match of a selector. Returns the button. */
function mount(target: string | Element, options: MountOptions): HTMLElement {
  const place = typeof target === 'string' ? find(target) : target
  if (!place) throw new Error(`Kassa.mount: no element matches ${target}`)
  const camelCase = (name: string) => name.replace(/-./g, (pair) => pair.charAt(1).toUpperCase())
  return unpolluted(() =>
    place.appendChild(createButton((name) => options[camelCase(name) as keyof MountOptions])),
  )
}

function createButton(read: (name: AttributeName) => string | null | undefined): HTMLElement {
  if (!KassaPay) throw new Error('Kassa: this browser is too old')
  const element = new KassaPay()
  for (const name of ATTRIBUTES) {
    const value = read(name)
    if (value != null) element.setAttribute(name, value)
  }
  return element
}

/** Places the button of `<script data-public-key=...>`: after the tag, or in the element that `data-target` selects. */
function placeButton(tag: HTMLScriptElement): void {
  const read = (name: string) => tag.getAttribute(`data-${name}`)
  const target = read('target')
  if (!target && !read('public-key') && !read('product-id')) return
  const element = createButton((name) => {
    if (name === 'target') return null
    // The endpoint is explicit, because an earlier load from another server may have defined the class.
    return read(name) ?? (name === 'endpoint' ? origin : null)
  })
  if (target) {
    const append = () => {
      const place = find(target)
      if (place) place.append(element)
      else warnSiteBuilder(`data-target: no element matches ${target}`)
    }
    if (Reflect.get(Document.prototype, 'readyState', document) !== 'loading') append()
    else addEventListener('DOMContentLoaded', append)
  } else if (tag.closest('head')) {
    warnSiteBuilder('A button in <head> needs data-target="#pay".')
  } else if (!element.isEqualNode(tag.nextElementSibling)) {
    // Some routers restore a copy of the page and run its scripts again. The copy already has this tag's button.
    tag.after(element)
  }
}

function find(selector: string): Element | null {
  return Document.prototype.querySelector.call(document, selector)
}
