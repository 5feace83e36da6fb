/**
 * A page that waits for the bank reloads itself, without a script, with growing waits, and only for a limited time. The address
 * counts the reloads. Readers who need a page that does not change (a screen reader, slow reading) can stop it.
 */
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import { type Locale, unbroken } from '../words/locale.ts'

/** Half an hour in all. After that the buyer can reload, and the shop gets the result anyway. */
const WAITS_SECONDS = [5, 5, 10, 15, 30, 60, 60, 120, 300, 600, 600]
const STOPPED = 'off'
/** The query parameter of a buyer who returned from the provider. */
export const RETURNED = 'returned'
/** The query parameter of a buyer who wanted to pay in another way, and whose open order is kept. */
export const KEPT = 'kept'

export type Refresh = { seconds: number; address: string }

/** `next`: absent once the page has stopped. */
export type RefreshPlan = { address: string; stopAddress: string; next?: Refresh }

type Query = { [Name in 'looked' | 'locale' | 'returned' | 'kept']?: string | undefined }

/** `looked`: the query parameter with the count. The other parameters stay in every address. */
export function lookAgain(path: string, { looked, locale, returned, kept: isKept }: Query): RefreshPlan {
  const kept = {
    ...(locale !== undefined && { locale }),
    ...(returned !== undefined && { [RETURNED]: '1' }),
    ...(isKept !== undefined && { [KEPT]: '1' }),
  }
  const at = (count: string) => `${path}?${new URLSearchParams({ ...kept, looked: count })}`
  const count = /^\d{1,2}$/.test(looked ?? '')
    ? Number(looked)
    : looked === undefined
      ? 0
      : WAITS_SECONDS.length
  const seconds = WAITS_SECONDS[count]
  return {
    address: Object.keys(kept).length === 0 ? path : `${path}?${new URLSearchParams(kept)}`,
    stopAddress: at(STOPPED),
    ...(seconds !== undefined && { next: { seconds, address: at(String(count + 1)) } }),
  }
}

/** What the page says about it: when it reloads, how to stop it, and a link to reload now. */
export function lookingAgain(locale: Locale, { address, stopAddress, next }: RefreshPlan): Markup {
  return html`<div class="looking" data-testid="looking">
    <a class="button quiet" href=${address} data-testid="check-again">${translate(locale, 'pages.checkAgain')}</a>
    <p class="note" role="status">${next ? translate(locale, 'pages.looksAgain', { wait: duration(locale, next.seconds) }) : translate(locale, 'pages.looksNoMore')}</p>
    ${next ? html`<a class="way small" href=${stopAddress} data-testid="stop-looking">${translate(locale, 'pages.stopLooking')}</a>` : null}
  </div>`
}

function duration(locale: Locale, seconds: number): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [seconds / 60, 'minute']
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return unbroken(format.format(value))
}
