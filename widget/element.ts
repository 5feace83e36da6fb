import { effect, signal } from '@preact/signals-core'
import { h, render } from 'preact'
import { PayButton } from './button.tsx'
import { createCheckout, type Page } from './checkout.ts'
import { attemptKey } from './client-reference.ts'
import { ATTRIBUTES, explainUnreachable, parseConfig, tellBuilder, type WidgetConfig } from './config.ts'
import css from './styles.css?inline'
import { unpolluted } from './unpolluted.ts'

const TAG = 'kassa-pay'

let sheet: CSSStyleSheet | undefined

/** `<kassa-pay>`: a child link is its fallback; without a slot in the shadow tree it is neither seen nor focusable. */
class KassaPay extends HTMLElement {
  static observedAttributes = ATTRIBUTES
  static scriptOrigin: string | undefined

  readonly #config = signal<WidgetConfig | undefined>(undefined)
  readonly #checkout = createCheckout(pageOf(this, () => this.#read()))
  readonly #root = unpolluted(() => this.attachShadow({ mode: 'open', delegatesFocus: true }))
  #waiting = false
  #stopDrawing: (() => void) | undefined

  connectedCallback(): void {
    this.#update()
  }

  disconnectedCallback(): void {
    this.#update()
  }

  attributeChangedCallback(): void {
    this.#update()
  }

  /** Once per turn, before the paint: attributes come one by one, and a move is a removal and an insertion. */
  #update(): void {
    if (this.#waiting) return
    this.#waiting = true
    queueMicrotask(() => {
      this.#waiting = false
      if (this.isConnected) this.#show()
      else this.#leave()
    })
  }

  #read(): WidgetConfig | undefined {
    const parsed = parseConfig((name) => this.getAttribute(name), KassaPay.scriptOrigin, [
      this.closest('[lang]')?.getAttribute('lang'),
      navigator.language,
    ])
    const config = typeof parsed === 'string' ? undefined : parsed
    if (!config) tellBuilder(parsed as string)
    this.#config.value = config
    return config
  }

  #show(): void {
    const last = this.#config.peek()
    const config = this.#read()
    if (last && (!config || attemptKey(config) !== attemptKey(last))) this.#checkout.reset()
    addEventListener('pageshow', this.#onPageShow)
    this.#stopDrawing ??= effect(this.#draw)
    // A sheet is good for the document that made it: a button moved into a frame wears the frame's own.
    if (this.ownerDocument === document) this.#root.adoptedStyleSheets = [styleSheet()]
  }

  #leave(): void {
    removeEventListener('pageshow', this.#onPageShow)
    this.#checkout.reset()
    this.#stopDrawing?.()
    this.#stopDrawing = undefined
  }

  /** The one place that reads signals: whatever they change, this draws again. */
  readonly #draw = (): void => {
    const { phase, start } = this.#checkout
    const onClick = (event: Event): void => {
      // Where a page builder wrapped the button in a link, the browser would follow that.
      event.preventDefault()
      void start()
    }
    const props = { config: this.#config.value, phase: phase.value, onClick }
    unpolluted(() => render(h(PayButton, props), this.#root))
  }

  /** Back, out of the browser's page cache, revives the page as it was left: busy, with nothing on its way. */
  readonly #onPageShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#checkout.reset()
  }
}

/** Defines the element once per page and answers the class in force, which an earlier load may have brought. */
export function defineElement(scriptOrigin: string | undefined): CustomElementConstructor | undefined {
  // Before any shadow root: where style sheets cannot be constructed, the fallback link stays.
  if ('adoptedStyleSheets' in Document.prototype && !customElements.get(TAG)) {
    KassaPay.scriptOrigin = scriptOrigin
    customElements.define(TAG, KassaPay)
  }
  return customElements.get(TAG)
}

function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
  }
  return sheet
}

function pageOf(element: HTMLElement, config: Page['config']): Page {
  return {
    config,
    announce: (name, detail) =>
      element.dispatchEvent(
        new CustomEvent(`${TAG}:${name}`, { bubbles: true, composed: true, cancelable: true, detail }),
      ),
    explain: ({ code, message }, used) =>
      tellBuilder(
        code === 'unreachable' || code === 'origin_not_trusted'
          ? explainUnreachable(used, location.origin)
          : `${code}: ${message}`,
      ),
    go: (url, target) => {
      // The checkout page refuses frames, so a framed shop sends the whole tab, unless it asks otherwise.
      ;((target !== '_self' && window.top) || window).location.href = url
    },
  }
}
