/** The benchmark's reference: a button with the same texts, style, request and states, written without a library. */
import { postCheckout } from '../../widget/api.ts'
import { takeReference } from '../../widget/client-reference.ts'
import { ATTRIBUTES, httpOrigin, parseConfig, tellBuilder, type WidgetConfig } from '../../widget/config.ts'
import { MESSAGES, splitLabel } from '../../widget/messages.ts'
import css from '../../widget/styles.css?inline'

const origin = httpOrigin((document.currentScript as HTMLScriptElement).src)
const sheet = new CSSStyleSheet()
sheet.replaceSync(css)

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Record<string, string>) {
  const element = document.createElement(name)
  for (const attribute in attributes) element.setAttribute(attribute, attributes[attribute] ?? '')
  return element
}

class VanillaPay extends HTMLElement {
  static observedAttributes = ATTRIBUTES
  root = this.attachShadow({ mode: 'open', delegatesFocus: true })
  box = make('div', { 'data-phase': 'idle' })
  button = make('button', { type: 'button', part: 'button' })
  text = make('span', {})
  message = make('p', { role: 'status', part: 'message' })
  config: WidgetConfig | undefined
  phase = 'idle'
  attempt: AbortController | undefined
  timer: ReturnType<typeof setTimeout> | undefined

  connectedCallback() {
    this.root.adoptedStyleSheets = [sheet]
    this.button.append(this.text)
    this.button.addEventListener('click', () => this.start())
    this.box.append(this.button, this.message)
    this.root.replaceChildren(this.box)
    addEventListener('pageshow', this)
    this.attributeChangedCallback()
  }

  disconnectedCallback() {
    removeEventListener('pageshow', this)
    this.reset()
  }

  handleEvent(event: PageTransitionEvent) {
    if (event.persisted) this.reset()
  }

  attributeChangedCallback() {
    if (!this.isConnected) return
    const languages = [this.closest('[lang]')?.getAttribute('lang'), navigator.language]
    const parsed = parseConfig((name) => this.getAttribute(name), origin, languages)
    if (typeof parsed === 'string') return tellBuilder(parsed)
    this.config = parsed
    this.draw()
  }

  enter(phase: string) {
    clearTimeout(this.timer)
    this.phase = phase
    this.draw()
    this.announce('state', { phase })
  }

  announce(name: string, detail?: object) {
    const init = { bubbles: true, composed: true, cancelable: true, detail }
    return this.dispatchEvent(new CustomEvent(`vanilla-pay:${name}`, init))
  }

  reset() {
    this.attempt?.abort()
    this.attempt = undefined
    if (this.phase !== 'idle') this.enter('idle')
  }

  draw() {
    if (!this.config) return
    const { locale, label, price } = this.config
    const words = MESSAGES[locale]
    const busy = this.phase === 'loading' || this.phase === 'redirecting'
    const [before = '', after] = splitLabel(label ?? words.pay, price)
    const told = busy ? words.opening : words.retry
    const bold = make('bdi', {})
    bold.textContent = price ?? ''
    if (this.phase !== 'idle') this.text.textContent = told
    else this.text.replaceChildren(before, ...(after === undefined ? [] : [bold, after]))
    this.message.textContent = this.phase === 'error' ? words.failed : busy ? told : ''
    this.box.lang = locale
    this.box.dir = locale === 'ar' ? 'rtl' : 'ltr'
    this.box.dataset.phase = this.phase
    this.button.ariaDisabled = this.button.ariaBusy = busy ? 'true' : null
  }

  async start() {
    const { config } = this
    if (!config || this.phase === 'loading' || this.phase === 'redirecting' || !this.announce('click')) return
    const mine = new AbortController()
    this.attempt = mine
    this.enter('loading')
    this.timer = setTimeout(() => mine.abort(), 15_000)
    const result = await postCheckout(config, takeReference(config), mine.signal)
    if (this.attempt !== mine) return
    if (!result.ok) {
      this.enter('error')
      tellBuilder(result.failure.message)
      this.announce('error', result.failure)
    } else if (this.announce('redirect', { url: result.url })) {
      this.enter('redirecting')
      this.timer = setTimeout(() => this.reset(), 20_000)
      location.href = result.url
    } else this.enter('idle')
  }
}
customElements.define('vanilla-pay', VanillaPay)
