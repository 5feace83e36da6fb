import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import type { Timeline } from '../operator/payment-timeline.ts'
import { readRoutes } from '../settings/routes.ts'
import { explainStatus } from './status-text.ts'

const NOW = new Date('2026-08-02T12:00:00Z')
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

function explain(
  status: PaymentStatus,
  { attempt, ...changes }: { attempt?: object; [field: string]: unknown } = {},
  detail: string | null = null,
  exchanges: object[] = [],
): string {
  const routes = readRoutes('sandbox', {})
  const ctx = { config: readConfig({}), routes, clock: { now: () => NOW }, accounts: { recall: () => null } }
  const { provider } = { provider: 'route_a' as ProviderRoute, ...attempt }
  const payment = {
    status,
    amountMinor: 1900,
    currency: 'USD',
    expiresAt: after(90),
    authorizedMinor: 1900,
    capturedMinor: 1900,
    refundedMinor: 500,
    ...changes,
    attempt: { provider, accountId: routes[provider].id, questionDueAt: after(1), ...attempt },
  }
  return explainStatus(
    ctx as unknown as Context,
    { payment, changes: [{ detail }], exchanges } as unknown as Timeline,
  )
}

test('every status has an explanation of its own', () => {
  const texts = PAYMENT_STATUSES.map((status) => explain(status))
  expect(new Set(texts).size).toBe(PAYMENT_STATUSES.length)
  for (const text of texts) expect(text).toMatch(/^[A-Z0-9].*\.$/)
})

test("the explanation includes the provider's own words", () => {
  expect(explain('failed', {}, 'the bank declined')).toContain('(the bank declined)')
  expect(explain('status_unknown', {}, 'the provider answered with amount 5')).toContain('amount 5')
})

test('the explanation of an open payment says when the provider is asked next, or why it is not', () => {
  expect(explain('pending_payment')).toContain(
    'The next question to the provider is due 2026-08-02 12:01:00 UTC',
  )
  expect(explain('pending_payment', { attempt: { questionDueAt: after(-2) } })).toContain(
    'no worker is running',
  )
  expect(explain('pending_payment', { attempt: { questionDueAt: null } })).toContain(
    'The scheduled questions to the provider are over',
  )
  expect(explain('pending_redirect', { attempt: { provider: 'route_e' } })).toMatch(
    /account \S+ of route_e is not ready/,
  )
  expect(explain('pending_redirect', { attempt: { provider: 'manual' } })).toContain(
    'confirm it with: payment confirm',
  )
  expect(explain('pending_redirect', { expiresAt: after(-5) })).toContain(
    'It expired 2026-08-02 11:55:00 UTC',
  )
})

test('the explanation names the amount that is held or refunded', () => {
  expect(explain('authorized')).toContain('19.00 USD is held')
  expect(explain('partially_refunded')).toContain('5.00 USD of 19.00 USD went back')
})

test("a provider's silence is explained by its last request, if that had no answer", () => {
  const about = (last: object) => explain('pending_payment', {}, null, [{ createdAt: NOW, ...last }])
  const lost = { status: null, failure: 'getaddrinfo EAI_AGAIN bank.example' }
  expect(about(lost)).toMatch(
    /no usable answer, 2026-08-02 12:00:00 UTC: getaddrinfo EAI_AGAIN bank\.example\. .*asked again 2026-08-02 12:01:00 UTC.*account test --account \S+\. .*payment ask\.$/,
  )
  expect(about({ status: 503, failure: null })).toContain('status 503')
  expect(about({ status: 200, failure: null })).toContain('The next question to the provider is due')
})
