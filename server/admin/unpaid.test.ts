import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import type { Timeline } from '../operator/payment-timeline.ts'
import { readRoutes } from '../settings/routes.ts'
import { whyNotPaid } from './unpaid.ts'

const NOW = new Date('2026-08-02T12:00:00Z')
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

function ask(status: PaymentStatus, changes: object = {}, detail: string | null = null): string {
  const ctx = { config: readConfig({}), routes: readRoutes('sandbox', {}), clock: { now: () => NOW } }
  const payment = {
    status,
    provider: 'route_a',
    amountMinor: 1900,
    currency: 'USD',
    expiresAt: after(90),
    authorizedMinor: 1900,
    refundedMinor: 500,
    questionDueAt: after(1),
    ...changes,
  }
  return whyNotPaid(ctx as unknown as Context, { payment, changes: [{ detail }] } as unknown as Timeline)
}

test('every status has an answer of its own', () => {
  const answers = PAYMENT_STATUSES.map((status) => ask(status))
  expect(new Set(answers).size).toBe(PAYMENT_STATUSES.length)
  for (const answer of answers) expect(answer).toMatch(/^[A-Z0-9].*\.$/)
})

test("the provider's own words are part of the answer", () => {
  expect(ask('failed', {}, 'the bank declined')).toContain('(the bank declined)')
  expect(ask('status_unknown', {}, 'the provider answered with amount 5')).toContain('amount 5')
})

test('an open payment says who asks the provider next, or why nobody does', () => {
  expect(ask('pending_payment')).toContain('is asked next 2026-08-02 12:01:00 UTC')
  expect(ask('pending_payment', { questionDueAt: after(-2) })).toContain('no worker is running')
  expect(ask('pending_payment', { questionDueAt: null })).toContain('asks the provider no more')
  expect(ask('pending_redirect', { provider: 'route_e' })).toContain('route_e is not ready')
  expect(ask('pending_redirect', { provider: 'manual' })).toContain('an operator has to confirm')
  expect(ask('pending_redirect', { expiresAt: after(-5) })).toContain('It expired 2026-08-02 11:55:00 UTC')
})

test('amounts are told where only a part of the money moved', () => {
  expect(ask('authorized')).toContain('19.00 USD is held')
  expect(ask('partially_refunded')).toContain('5.00 USD of 19.00 USD went back')
})
