/** The bundle's entry: finds its own script tag, registers `<kassa-pay>`, places the tag's button, offers `Kassa`. */
import './load.ts'
import { ATTRIBUTES, httpOrigin, tellBuilder } from './config.ts'
import { defineElement } from './element.ts'
import { putNamesBack } from './load.ts'
import { unpolluted } from './unpolluted.ts'

declare const __KASSA_VERSION__: string

/** The element's attributes in camel case. */
type MountOptions = {
  publicKey: string
  productId: string
  returnUrl?: string
  clientReference?: string
  price?: string
  label?: string
  locale?: string
  target?: string
  endpoint?: string
}

type Given<T> = { [K in keyof T]?: T[K] | undefined }

// Through the prototype's getter: an <img name="currentScript"> stands in front of document.currentScript.
const current: unknown = Reflect.get(Document.prototype, 'currentScript', document)
const script = current instanceof HTMLScriptElement ? current : undefined
const origin = httpOrigin(script?.src)
const KassaPay = defineElement(origin)

if (script && KassaPay) placeButton(script)
// Own properties only: an element with id="Kassa" shows up as window.Kassa, but is not an earlier load of ours.
if (!Object.hasOwn(window, 'Kassa'))
  Object.defineProperty(window, 'Kassa', { value: Object.freeze({ mount, version: __KASSA_VERSION__ }) })
putNamesBack()

/** Appends a button to an element, or to the first match of a selector, and answers it. */
function mount(target: string | Element, options: MountOptions): HTMLElement {
  const place = typeof target === 'string' ? find(target) : target
  if (!place) throw new Error(`Kassa.mount: nothing matches ${target}`)
  return unpolluted(() => place.appendChild(createButton(options)))
}

function createButton(options: Given<MountOptions>): HTMLElement {
  if (!KassaPay) throw new Error('Kassa: this browser is too old')
  const element = new KassaPay()
  for (const name of ATTRIBUTES) {
    const value = options[name.replace(/-./g, (pair) => pair.charAt(1).toUpperCase()) as keyof MountOptions]
    if (value !== undefined) element.setAttribute(name, value)
  }
  return element
}

/** `<script data-public-key=...>` puts its button behind itself, or into the element that `data-target` selects. */
function placeButton(tag: HTMLScriptElement): void {
  const { target, ...options }: Given<MountOptions> = tag.dataset
  if (!target && !options.publicKey && !options.productId) return
  // The endpoint said outright: the class in force may belong to an earlier load from another server.
  const element = createButton({ endpoint: origin, ...options })
  if (target) {
    const append = () => {
      const place = find(target)
      if (place) place.append(element)
      else tellBuilder(`data-target="${target}" matches nothing.`)
    }
    if (Reflect.get(Document.prototype, 'readyState', document) !== 'loading') append()
    else addEventListener('DOMContentLoaded', append)
  } else if (tag.closest('head')) {
    tellBuilder('A button cannot show in <head>: add data-target="#pay", or move the tag.')
  } else if (!element.isEqualNode(tag.nextElementSibling)) {
    // A router that restores a copy of the page runs its tags again, beside the buttons that they made.
    tag.after(element)
  }
}

function find(selector: string): Element | null {
  return Document.prototype.querySelector.call(document, selector)
}
