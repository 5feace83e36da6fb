/** The sentence that somebody reads out, for each state of a payment. */
import { expect, test } from 'vitest'
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import { setBranding } from '../merchants/branding.ts'
import type { Story } from '../operator/story/story.ts'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { operateHere, operateJson } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { storyText } from './story-text.ts'

const at = (time: string) => new Date(`2026-03-03T${time}:00Z`)
const STORY: Story = {
  status: 'paid',
  currency: 'USD',
  amountMinor: 4500,
  heldMinor: 4500,
  takenMinor: 4500,
  returnedMinor: 500,
  disputedMinor: 4000,
  createdAt: at('10:00'),
  heldAt: at('10:01'),
  takenAt: at('10:02'),
  returnedAt: at('20:30'),
  changedAt: at('10:03'),
  isUnderWay: false,
  approvalStands: false,
  instrument: { kind: 'card', brand: 'visa', last4: '4242' },
  timeZone: 'Asia/Yerevan',
}
const PAID = '45.00 USD paid on 3 March 2026 at 14:02 by card ending 4242'
const REQUESTED = '45.00 USD asked for on 3 March 2026 at 14:00'

test('each state has its sentence, with the time of the shop', () => {
  const sentences = Object.fromEntries(
    PAYMENT_STATUSES.map((status) => [status, storyText({ ...STORY, status })]),
  )
  expect(sentences).toEqual({
    created: `${REQUESTED}; nothing is paid yet.`,
    pending_redirect: `${REQUESTED}; nothing is paid yet.`,
    pending_payment: `${REQUESTED}; nothing is paid yet.`,
    authorized: '45.00 USD held on 3 March 2026 at 14:01 by card ending 4242; nothing is taken yet.',
    paid: `${PAID}.`,
    partially_refunded: `${PAID}; 5.00 USD returned.`,
    refunded: `${PAID}; all of it returned on 4 March 2026 at 00:30.`,
    reversed: `${PAID}; all of it went back through a dispute on 4 March 2026 at 00:30.`,
    disputed: `${PAID}; the buyer disputes 40.00 USD at the bank, and 5.00 USD is returned.`,
    failed: '45.00 USD declined on 3 March 2026 at 14:03 by card ending 4242; nothing was taken.',
    cancelled: '45.00 USD cancelled on 3 March 2026 at 14:03; nothing was taken.',
    expired: `${REQUESTED}, and not paid in time on 3 March 2026 at 14:03; nothing was taken.`,
    status_unknown: `${REQUESTED}; 45.00 USD was taken, and a person has to decide what that means.`,
  })
})

test('what is under way, released, unknown or taken in part is said', () => {
  expect(storyText({ ...STORY, status: 'pending_payment', isUnderWay: true })).toContain('still working')
  expect(storyText({ ...STORY, status: 'reversed', takenMinor: 0 })).toBe(
    '45.00 USD paid on 3 March 2026 at 14:01 by card ending 4242; released on 4 March 2026 at 00:30, so nothing was taken.',
  )
  expect(storyText({ ...STORY, status: 'status_unknown', takenMinor: 0 })).toContain('not known whether')
  expect(storyText({ ...STORY, takenMinor: 1200, instrument: null })).toBe(
    '12.00 USD of 45.00 USD paid on 3 March 2026 at 14:02.',
  )
})

const { kassa, shop } = await openScene()

test('payment show begins with it', async () => {
  await setBranding(kassa.ctx, shop.merchantId, { timeZone: 'Asia/Yerevan' })
  const body = sessionRequest({ merchantOrderId: 'told', amountMinor: 4500 })
  const { body: session } = await createSession(kassa.url, shop, { key: 'told', body })
  const show = ['payment', 'show', '--payment', session.id]
  const open = async () => kassa.ctx
  expect((await operateHere(open, show)).stdout).toMatch(
    /^45\.00 USD asked for on .*; nothing is paid yet\.\n/,
  )
  await payAtBank(session.providerCheckoutUrl, 'paid')
  await askOperation(kassa.url, shop, session.id, 'refunds', {
    key: 'back',
    body: { amountMinor: 500, reason: 'a broken cup' },
  })
  await SWEEPS.moneyOperations(kassa.ctx)
  expect((await operateHere(open, show)).stdout).toMatch(
    /^45\.00 USD paid on .* at \d\d:\d\d.*; 5\.00 USD returned\.\n/,
  )
  const { answer } = await operateJson({}, show, (_settings, words) => operateHere(open, words))
  expect(answer).toMatchObject({ timeZone: 'Asia/Yerevan', sentence: expect.stringContaining('returned.') })
})
