/** What buyers read on our page, in each language, when Stripe or PayPal declines a payment. */
import { expect, test } from 'vitest'
import { type PlainKey, translate } from '../messages/translate.ts'
import { LOCALES } from '../pages/words/locale.ts'
import { lookUp, readPage } from '../testing/calls.ts'
import {
  type BothProviders,
  type ProviderName,
  setBothProviders,
} from '../testing/providers/both-providers.ts'
import { actAsBuyer } from '../testing/providers/paypal-server.ts'
import { closeAfter } from '../testing/scene.ts'

/** The provider's code, and the message that the buyer reads. Both providers have each of the five categories. */
const DECLINES: [provider: ProviderName, code: string, message: PlainKey][] = [
  ['stripe', 'insufficient_funds', 'pages.declinedCard'],
  ['stripe', 'expired_card', 'pages.declinedCard'],
  ['stripe', 'a_code_of_tomorrow', 'pages.declinedCard'],
  ['stripe', 'do_not_honor', 'pages.declinedAskBank'],
  ['stripe', 'restricted_card', 'pages.declinedAskBank'],
  ['stripe', 'try_again_later', 'pages.declinedLater'],
  ['stripe', 'processing_error', 'pages.declinedTechnical'],
  ['stripe', 'stolen_card', 'pages.declinedAskBank'],
  ['paypal', 'INSTRUMENT_DECLINED', 'pages.declinedCard'],
  ['paypal', 'PAYER_ACCOUNT_RESTRICTED', 'pages.declinedAskBank'],
  ['paypal', 'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED', 'pages.declinedLater'],
  ['paypal', 'COMPLIANCE_VIOLATION', 'pages.declinedAskBank'],
]
/** The page asks the provider again after this time. */
const STALE_MS = 5_000

const both = closeAfter(await setBothProviders())

type Opened = Awaited<ReturnType<BothProviders['open']>>

const DECLINING = {
  stripe(opened: Opened, code: string) {
    const { stripe } = both
    stripe.buyer(opened, 'declined')
    const intent = stripe.account.intents.get(String(stripe.sessionAt(opened).payment_intent))
    Object.assign(intent?.last_payment_error ?? {}, { decline_code: code })
  },
  async paypal(opened: Opened, code: string) {
    both.orderAt(opened).refusal = code
    await fetch(await actAsBuyer(opened.url, 'decline'), { redirect: 'manual' })
  },
}

test.each(DECLINES)('%s says %s: the buyer reads %s, and may try again', async (provider, code, message) => {
  const { kassa, shop, open } = both
  const opened = await open(provider)
  await DECLINING[provider](opened, code)
  kassa.clock.advance(STALE_MS)
  for (const locale of LOCALES) {
    const { html } = await readPage(opened.page, locale)
    const control = `data-testid="pay">${translate(locale, 'pages.tryAgain')}<`
    for (const text of [translate(locale, message), translate(locale, 'pages.nothingTaken'), control])
      expect([locale, html.includes(text) || text]).toEqual([locale, true])
  }
  expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('pending_payment')
})

test('a decline at Stripe is forgotten as soon as another card is being charged', async () => {
  const { kassa, stripe, open } = both
  const opened = await open('stripe')
  Object.assign(stripe.account.plans.get(stripe.sessionAt(opened).id) ?? {}, { name: 'simulate late_paid' })
  stripe.buyer(opened, 'declined')
  kassa.clock.advance(STALE_MS)
  const shows = async (key: PlainKey) => (await readPage(opened.page)).html.includes(translate('en', key))
  expect(await shows('pages.declinedAskBank')).toBe(true)
  stripe.buyer(opened, 'visa')
  kassa.clock.advance(STALE_MS)
  expect([await shows('pages.processingTitle'), await shows('pages.nothingTaken')]).toEqual([true, false])
})

test('a buyer who is declined at Stripe and then pays with another card is sent on to the shop at once', async () => {
  const { stripe, open } = both
  const opened = await open('stripe')
  const press = async (part: 'return' | 'continue') => {
    const method = part === 'continue' ? 'POST' : 'GET'
    const answer = await fetch(`${opened.page}/${part}`, { method, redirect: 'manual' })
    return answer.headers.get('location')
  }
  stripe.buyer(opened, 'declined')
  expect(await press('return')).toBe(`${opened.page}?returned=1`)
  expect(await press('continue')).toBe(opened.url)
  stripe.buyer(opened, 'visa')
  expect(await press('return')).toContain('https://shop.example/thanks')
})
