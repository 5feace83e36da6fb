/** From a click to the hosted page: one state machine per button. It does not touch the DOM. The element gives it a Page. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type CheckoutResult, type Failure, postCheckout } from './api.ts'
import { renewReference, takeReference } from './client-reference.ts'
import type { WidgetConfig } from './config.ts'
import { type Amount, currentPrice, findNewPrice, type NewPrice } from './price.ts'
import { unpolluted } from './unpolluted.ts'

export type Phase = 'idle' | 'loading' | 'redirecting' | 'changed' | 'error' | 'blocked'

export type Checkout = {
  phase: ReadonlySignal<Phase>
  /** Whether another press may work after the last failure. It changes together with the phase. */
  canRetry(): boolean
  /** The checkout's address in the phase `blocked`: the page may be unable to leave, and a link can open a new tab. */
  link(): string | undefined
  /** The last new price that the button has shown. See currentPrice. */
  newPrice: ReadonlySignal<NewPrice | undefined>
  /** Handles a click. Does nothing while an attempt is running. */
  start(): Promise<void>
  /** Stops the running attempt and returns to idle: after Back, a removal or a change of product. */
  reset(): void
}

/** What the page does for a checkout. `announce` returns false if a listener cancelled the event. */
export type Page = {
  /** Reads the attributes as they are now. */
  config(): WidgetConfig | undefined
  announce(name: 'click' | 'state' | 'redirect' | 'error', detail?: object): boolean
  explain(failure: Failure, config: WidgetConfig): void
  /** Returns false in a frame: browsers do not say there whether the tab moves. @throws if it is certain that it does not */
  go(url: string, target: string | undefined): boolean
}

const ANSWER_LIMIT_MS = 15_000
/** The request may never end, because a page can replace fetch with a function that ignores the abort signal. */
const TIMEOUT: Failure = {
  code: 'timeout',
  message: 'No answer within 15 seconds',
  retryable: true,
}
/** After this time the buyer has stopped the redirect, or it was a download. The button can be pressed again. */
const REDIRECT_LIMIT_MS = 20_000

export function createCheckout(page: Page): Checkout {
  const phase = signal<Phase>('idle')
  let last: { canRetry: boolean; link?: string | undefined } = { canRetry: false }
  const newPrice = signal<NewPrice>()
  let attempt: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function enter(next: Phase): void {
    clearTimeout(timer)
    if (next === phase.peek()) return
    set(phase, next)
    page.announce('state', { phase: next })
  }

  function reset(): void {
    attempt?.abort()
    attempt = undefined
    enter('idle')
  }

  async function start(): Promise<void> {
    if (isBusy(phase.peek()) || !page.announce('click')) return
    // Read after the event, because a listener may have just changed the attributes.
    const config = page.config()
    if (!config) return
    const mine = new AbortController()
    attempt = mine
    enter('loading')
    timer = setTimeout(() => {
      attempt = undefined
      mine.abort()
      fail(TIMEOUT, config)
    }, ANSWER_LIMIT_MS)
    const result = await request(config, mine.signal)
    // Back, a removal or another product ended this attempt. Ignore its result.
    if (attempt !== mine) return
    attempt = undefined
    if (result.failure) fail(result.failure, config)
    else if (showNewPrice(newPrice, result.amount, { page, config })) enter('changed')
    else if (!page.announce('redirect', { url: result.url })) enter('idle')
    else {
      enter('redirecting')
      last.link = result.url
      timer = setTimeout(reset, REDIRECT_LIMIT_MS)
      try {
        if (!page.go(result.url, config.target)) enter('blocked')
      } catch (error) {
        fail({ code: 'redirect_refused', message: String(error), retryable: true }, config, result.url)
      }
    }
  }

  function fail(failure: Failure, config: WidgetConfig, link?: string): void {
    last = { canRetry: failure.retryable, link }
    enter(link ? 'blocked' : 'error')
    report(page, failure, config)
  }

  return { phase, canRetry: () => last.canRetry, link: () => last.link, newPrice, start, reset }
}

export function isBusy(phase: Phase): boolean {
  return phase === 'loading' || phase === 'redirecting'
}

function report(page: Page, failure: Failure, config: WidgetConfig): void {
  page.explain(failure, config)
  page.announce('error', failure)
}

/** Writes a signal. The button is redrawn without the page's names. */
function set<Value>(target: Signal<Value>, value: Value): void {
  unpolluted(() => {
    target.value = value
  })
}

/** Shows a price that the buyer has not seen yet. The next press sends the same reference, so it leads to the same payment. */
function showNewPrice(
  shown: Signal<NewPrice | undefined>,
  amount: Amount,
  { page, config }: { page: Page; config: WidgetConfig },
): boolean {
  const found = unpolluted(() => findNewPrice(amount, config, currentPrice(shown.peek(), config)))
  if (found) {
    set(shown, found)
    const message = `The button says ${config.price}, the checkout ${found.text}`
    page.explain({ code: 'price_changed', message, retryable: true }, config)
  }
  return !!found
}

async function request(config: WidgetConfig, signal: AbortSignal): Promise<CheckoutResult> {
  const result = await postCheckout(config, takeReference(config), signal)
  if (result.failure?.code !== 'idempotency_key_reused') return result
  return postCheckout(config, renewReference(config), signal)
}
