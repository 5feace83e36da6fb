import { signal } from '@preact/signals'
import { h, options, render } from 'preact'
import { PayButton } from './button.tsx'
import { createCheckout, type Page } from './checkout.ts'
import { attemptKey } from './client-reference.ts'
import { ATTRIBUTES, explainUnreachable, parseConfig, type WidgetConfig, warnSiteBuilder } from './config.ts'
import { loadTexts } from './language.ts'
import css from './styles.css?inline'
import { unpolluted } from './unpolluted.ts'

const TAG = 'kassa-pay'

// Preact reads its options at every event, also while the page's names are on Object.prototype.
Object.setPrototypeOf(options, null)
// @preact/signals asks Preact to redraw, and Preact does it in a task of its own. The page's names must be off there.
options.debounceRendering = (redraw) => queueMicrotask(() => unpolluted(redraw))

let scriptOrigin: string | undefined
let sheet: CSSStyleSheet | undefined

/** `<kassa-pay>`. A link inside it is the fallback: where the shadow tree has no slot, nobody sees or reaches the link. */
class KassaPay extends HTMLElement {
  static observedAttributes = ATTRIBUTES

  readonly #config = signal<WidgetConfig | undefined>(undefined)
  readonly #checkout = createCheckout(pageOf(this, () => this.#read()))
  readonly #root = unpolluted(() => this.attachShadow({ mode: 'open', delegatesFocus: true }))
  #waiting = false

  connectedCallback(): void {
    this.#update()
  }

  disconnectedCallback(): void {
    this.#update()
  }

  attributeChangedCallback(): void {
    this.#update()
  }

  /**
   * Waits until the current script is done, which is still before the next paint. Attributes change one at a time, and
   * a move is a removal and an insertion: the button reacts once.
   */
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
    const parsed = parseConfig((name) => this.getAttribute(name), scriptOrigin, [
      this.closest('[lang]')?.getAttribute('lang'),
      navigator.language,
    ])
    const config = typeof parsed === 'string' ? undefined : parsed
    if (!config) warnSiteBuilder(parsed as string)
    unpolluted(() => {
      this.#config.value = config
    })
    return config
  }

  #show(): void {
    const last = this.#config.peek()
    const config = this.#read()
    if (last && (!config || attemptKey(config) !== attemptKey(last))) this.#checkout.reset()
    if (config) loadTexts(config)
    addEventListener('pageshow', this.#onPageShow)
    // The first call draws the button. Later calls change nothing, because the signals decide what is redrawn.
    unpolluted(() => render(h(PayButton, { config: this.#config, checkout: this.#checkout }), this.#root))
    // A style sheet works only in the document that made it. A button that moves into a frame keeps the frame's style.
    if (this.ownerDocument === document) this.#root.adoptedStyleSheets = [styleSheet()]
  }

  #leave(): void {
    removeEventListener('pageshow', this.#onPageShow)
    this.#checkout.reset()
  }

  /** Back can restore the page from the browser's page cache. The button would still be busy, with no request open. */
  readonly #onPageShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#checkout.reset()
  }
}

/** Defines the element once per page. Returns the class in use, which an earlier load of the script may have defined. */
export function defineElement(origin: string | undefined): CustomElementConstructor | undefined {
  // Checked before any shadow root exists: in a browser that cannot construct style sheets the fallback link stays.
  if ('adoptedStyleSheets' in Document.prototype && !customElements.get(TAG)) {
    scriptOrigin = origin
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
      warnSiteBuilder(
        `${code}: ${/^(unreachable|origin_not_trusted)$/.test(code) ? explainUnreachable(used, location.origin) : message}`,
      ),
    go: (url, target) => {
      // The checkout page refuses to be framed. So a shop inside a frame moves the whole tab, unless target="_self".
      const place = (target !== '_self' && window.top) || window
      place.location.href = url
      return place === window
    },
  }
}
