/** The widget's only request. It never throws: every problem becomes a failure with a code. */
import type { WidgetCheckoutRequest, WidgetCheckoutResponse } from '../server/contract/widget.ts'
import { httpOrigin, type WidgetConfig } from './config.ts'
import type { Amount } from './price.ts'
import { unpolluted } from './unpolluted.ts'

/** `message` is for the site builder. The buyer reads a text of messages.ts. `retryable`: the same click may work later. */
export type Failure = { code: string; message: string; retryable: boolean }
export type CheckoutResult = { url: string; amount: Amount; failure?: undefined } | { failure: Failure }

/** The response body as it may arrive. Every field is checked before it is used. */
type Answer = Partial<WidgetCheckoutResponse> & {
  error?: Partial<Failure>
  errors?: Record<string, string>
}

export async function postCheckout(
  { apiOrigin, publicKey, productId, returnUrl, locale }: WidgetConfig,
  clientReference: string,
  signal: AbortSignal,
): Promise<CheckoutResult> {
  const body = { publicKey, productId, clientReference, returnUrl } satisfies WidgetCheckoutRequest
  try {
    const response = await fetch(`${apiOrigin}/api/widget/checkout`, {
      // Without a prototype: a page may have put a `mode` or a `cache` on Object.prototype.
      __proto__: null,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': locale },
      body: unpolluted(() => JSON.stringify(body)),
      credentials: 'omit',
      redirect: 'error',
      signal,
    } as RequestInit)
    const answer: Answer | null = await response.json().catch(() => null)
    return unpolluted(() =>
      response.ok ? accept(answer, apiOrigin, locale) : refuse(answer, response.status),
    )
  } catch (error) {
    return failed('unreachable', String(error), true)
  }
}

/**
 * Accepts only an http(s) address on exactly the API's origin. A comparison by suffix can be fooled. The checkout page opens in
 * the button's language.
 */
function accept(answer: Answer | null, apiOrigin: string, locale: string): CheckoutResult {
  const { checkoutUrl: url, amountMinor, currency } = answer ?? {}
  if (!url || httpOrigin(url) !== apiOrigin)
    return failed('checkout_url_refused', `The checkout address ${url} is not on ${apiOrigin}`, true)
  const page = new URL(url)
  page.searchParams.set('locale', locale)
  return { url: page.href, amount: { amountMinor, currency } as Amount }
}

function refuse(answer: Answer | null, status: number): CheckoutResult {
  const { code = `http_${status}`, message, retryable = status === 429 || status > 499 } = answer?.error ?? {}
  const fields = Object.entries(answer?.errors ?? {}).map((field) => field.join(': '))
  return failed(code, [message, ...fields].join('; '), retryable)
}

function failed(code: string, message: string, retryable: boolean): CheckoutResult {
  return { failure: { code, message, retryable } }
}
