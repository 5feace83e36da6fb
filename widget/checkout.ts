/** From a click to the hosted page: one state machine per button. It knows no DOM; the element hands it the page. */
import { type ReadonlySignal, signal } from '@preact/signals'
import { type CheckoutResult, type Failure, postCheckout } from './api.ts'
import { renewReference, takeReference } from './client-reference.ts'
import type { WidgetConfig } from './config.ts'
import { unpolluted } from './unpolluted.ts'

export type Phase = 'idle' | 'loading' | 'redirecting' | 'error'

export type Checkout = {
  phase: ReadonlySignal<Phase>
  /** The click. Ignored while an attempt is on its way. */
  start(): Promise<void>
  /** Drops what is on its way and returns to idle: Back, removal, another product. */
  reset(): void
}

/** What the page does for a checkout. `announce` answers false when a listener cancelled the event. */
export type Page = {
  /** As the attributes are at this moment. */
  config(): WidgetConfig | undefined
  announce(name: 'click' | 'state' | 'redirect' | 'error', detail?: object): boolean
  explain(failure: Failure, config: WidgetConfig): void
  /** @throws where the browser does not let the page leave */
  go(url: string, target: string | undefined): void
}

const ANSWER_LIMIT_MS = 15_000
/** A redirect that has not happened by now was stopped, or was a download: give the button back. */
const REDIRECT_LIMIT_MS = 20_000

export function createCheckout(page: Page): Checkout {
  const phase = signal<Phase>('idle')
  let attempt: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function enter(next: Phase): void {
    clearTimeout(timer)
    if (next === phase.peek()) return
    unpolluted(() => {
      phase.value = next
    })
    page.announce('state', { phase: next })
  }

  function reset(): void {
    attempt?.abort()
    attempt = undefined
    enter('idle')
  }

  async function start(): Promise<void> {
    if (isBusy(phase.peek()) || !page.announce('click')) return
    // Read only now: a listener may have said just then what is to be paid.
    const config = page.config()
    if (!config) return
    const mine = new AbortController()
    attempt = mine
    enter('loading')
    timer = setTimeout(() => {
      // Not left to the request: the page's own fetch, where it has one, may know nothing of signals.
      attempt = undefined
      mine.abort()
      fail({ code: 'timeout', message: 'No answer in time', retryable: true }, config)
    }, ANSWER_LIMIT_MS)
    const result = await request(config, mine.signal)
    // Back, removal or another product came first: this answer belongs to nobody.
    if (attempt !== mine) return
    attempt = undefined
    if (!result.ok) fail(result.failure, config)
    else if (page.announce('redirect', { url: result.url })) {
      enter('redirecting')
      timer = setTimeout(reset, REDIRECT_LIMIT_MS)
      try {
        page.go(result.url, config.target)
      } catch (error) {
        fail({ code: 'redirect_refused', message: String(error), retryable: true }, config)
      }
    } else {
      enter('idle')
    }
  }

  function fail(failure: Failure, config: WidgetConfig): void {
    enter('error')
    page.explain(failure, config)
    page.announce('error', failure)
  }

  return { phase, start, reset }
}

export function isBusy(phase: Phase): boolean {
  return phase === 'loading' || phase === 'redirecting'
}

async function request(config: WidgetConfig, signal: AbortSignal): Promise<CheckoutResult> {
  const result = await postCheckout(config, takeReference(config), signal)
  if (result.ok || result.failure.code !== 'idempotency_key_reused') return result
  return postCheckout(config, renewReference(config), signal)
}
