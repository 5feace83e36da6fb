/** The buyer has finished at the provider, and the provider is still working. The page never says that no money was taken. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { translate } from '../../messages/translate.ts'
import { snapshotOf } from '../../providers/stripe/snapshot.ts'
import { readPage } from '../../testing/calls.ts'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'

const MINUTE_MS = 60_000
const LOCALES = ['en', 'hy', 'ru'] as const

let scene: PaypalScene
beforeAll(async () => {
  scene = await setPaypalScene({ webhook: false })
})
afterAll(() => scene.close())

/** The buyer has paid, and PayPal is still reviewing. */
async function payForReview(): Promise<string> {
  const id = await scene.pay('late_paid')
  scene.server.paypal.world.agenda.length = 0
  return id
}
const page = async (id: string, locale: (typeof LOCALES)[number]) =>
  (await readPage(`${scene.kassa.url}/checkout/${id}?locale=${locale}`)).html

async function expectAtWork(id: string): Promise<void> {
  for (const locale of LOCALES) {
    const html = await page(id, locale)
    expect(html).toContain(translate(locale, 'pages.processingTitle'))
    for (const key of ['nothingTaken', 'nothingHeld', 'expiredText', 'tryAgain'] as const)
      expect(html).not.toContain(translate(locale, `pages.${key}`))
  }
}

describe('a payment that PayPal is reviewing', () => {
  test('says so before its expiry, at it and after it, until it is paid', async () => {
    const id = await payForReview()
    expect(await scene.status(id)).toBe('pending_payment')
    await expectAtWork(id)
    await scene.later(91 * MINUTE_MS)
    await expectAtWork(id)
    await scene.later(31 * MINUTE_MS)
    expect(await scene.status(id)).toBe('pending_payment')
    await expectAtWork(id)
    for (const { captures } of await scene.orders(id))
      for (const capture of captures) capture.status = 'COMPLETED'
    await scene.later(60 * MINUTE_MS)
    expect(await scene.status(id)).toBe('paid')
    expect(await page(id, 'en')).toContain(translate('en', 'pages.paidTitle'))
  })

  test('says that no money was taken once PayPal has refused it', async () => {
    const id = await payForReview()
    await scene.later(125 * MINUTE_MS)
    for (const { captures } of await scene.orders(id))
      for (const capture of captures) Object.assign(capture, { status: 'DECLINED' })
    await scene.later(60 * MINUTE_MS)
    expect(await scene.status(id)).toBe('failed')
    expect(await page(id, 'en')).toContain(translate('en', 'pages.nothingTaken'))
  })
})

test('a payment that waits elsewhere has its own sentence, and nothing of a bank that works or of money not taken', async () => {
  const { world } = scene.server.paypal
  world.isFull = true
  const id = await payForReview()
  for (const { captures } of await scene.orders(id))
    for (const capture of captures)
      Object.assign(capture, { reason: 'TRANSACTION_APPROVED_AWAITING_FUNDING' })
  await scene.later(60 * MINUTE_MS)
  expect((await scene.payment(id)).attempt.facts).toMatchObject({ waitsElsewhere: true })
  expect(await scene.status(id)).toBe('pending_payment')
  for (const locale of LOCALES) {
    const html = await page(id, locale)
    for (const key of ['waitsElsewhereTitle', 'waitsElsewhereText', 'waitsElsewhereNext'] as const)
      expect(html).toContain(translate(locale, `pages.${key}`))
    for (const key of [
      'processingTitle',
      'processingText',
      'nothingTaken',
      'nothingHeld',
      'expiredText',
    ] as const)
      expect(html).not.toContain(translate(locale, `pages.${key}`))
  }
})

test('Stripe is working on a bank debit once the buyer has finished the session', () => {
  const intent = { status: 'processing', amount: 1900, currency: 'usd', amount_received: 0 }
  const session = { status: 'complete', client_reference_id: 'order', amount_total: 1900, currency: 'usd' }
  const picture = { session, intent, refunds: [], disputes: [] } as unknown as Parameters<
    typeof snapshotOf
  >[0]
  expect(snapshotOf(picture)).toMatchObject({ order: 'reached', isUnderWay: true })
  expect(snapshotOf(picture)).not.toHaveProperty('waitsElsewhere')
  // The buyer has a voucher.
  Object.assign(intent, { status: 'requires_action' })
  expect(snapshotOf(picture)).toMatchObject({ isUnderWay: true, waitsElsewhere: true })
  Object.assign(session, { status: 'open' })
  Object.assign(intent, { status: 'requires_action' })
  expect(snapshotOf(picture)).not.toHaveProperty('isUnderWay')
})
