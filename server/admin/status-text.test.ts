import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import type { Timeline } from '../operator/payment-timeline.ts'
import { readRoutes } from '../settings/routes.ts'
import { parseArguments } from './parser.ts'
import { type Explanation, explainStatus } from './status-text.ts'

const NOW = new Date('2026-08-02T12:00:00Z')
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

function explainAll(
  status: PaymentStatus,
  { attempt, ...changes }: { attempt?: object; [field: string]: unknown } = {},
  last: object = { detail: null },
  exchanges: object[] = [],
  warnings: object[] = [],
): Explanation {
  const routes = readRoutes('sandbox', {})
  const ctx = { config: readConfig({}), routes, clock: { now: () => NOW }, accounts: { recall: () => null } }
  const { provider } = { provider: 'route_a' as ProviderRoute, ...attempt }
  const payment = {
    id: 'pay_test_1',
    version: 3,
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
    { payment, changes: [last], exchanges, warnings } as unknown as Timeline,
  )
}

const explain = (
  status: PaymentStatus,
  changes: Parameters<typeof explainAll>[1] = {},
  detail: string | null = null,
  exchanges: object[] = [],
) => explainAll(status, changes, { detail }, exchanges).why

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
    'manual has no provider that can be asked.',
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
    /no usable answer, 2026-08-02 12:00:00 UTC: getaddrinfo EAI_AGAIN bank\.example\. .*asked again 2026-08-02 12:01:00 UTC\.$/,
  )
  expect(about({ status: 503, failure: null })).toContain('status 503')
  expect(about({ status: 200, failure: null })).toContain('The next question to the provider is due')
})

test('what a person decided is not told as the word of the provider', () => {
  const decided = (status: PaymentStatus) =>
    explainAll(status, {}, { cause: 'operator', actor: 'ani', detail: 'not in the statement' }).why
  for (const status of ['failed', 'cancelled', 'expired'] as const)
    expect(decided(status)).toBe(
      `ani decided that it is ${status} (not in the statement). To pay, the buyer needs a new attempt.`,
    )
})

test('an open payment names its last warning first, because an answer about its money may not have been used', () => {
  const warned = (status: PaymentStatus) =>
    explainAll(status, {}, undefined, [], [{ createdAt: NOW, detail: 'an object of live mode' }]).why
  expect(warned('pending_redirect')).toMatch(
    / Last warning, 2026-08-02 12:00:00 UTC: an object of live mode\.$/,
  )
  expect(warned('paid')).toBe('It is paid.')
})

test('each command that comes next can be typed as it stands', () => {
  const silent = [{ createdAt: NOW, status: null, failure: 'timed out' }]
  const next = (...given: Parameters<typeof explainAll>) =>
    explainAll(...given).next.map((line) => {
      const [, command = ''] = line.split(': npm run -s admin -- ')
      expect(parseArguments(command.split(' '), { out: () => {}, err: () => {} })).not.toBeNull()
      return command.replace(/unstored_\w+/, 'ACCOUNT')
    })
  const [ask, test] = ['payment ask --payment pay_test_1', 'account test --account ACCOUNT']
  const decide = 'payment resolve --payment pay_test_1 --version 3 --as'
  expect(next('pending_payment')).toEqual([ask])
  expect(next('pending_payment', {}, undefined, silent)).toEqual([test, ask])
  expect(next('status_unknown')).toEqual([ask, `${decide} paid --why REASON`])
  expect(next('pending_redirect', { attempt: { provider: 'manual' } })).toEqual([
    'payment confirm --payment pay_test_1 --reference REFERENCE',
    `${decide} cancelled --why REASON`,
  ])
  expect(next('pending_redirect', { attempt: { provider: 'route_e' } })).toEqual([test])
  expect(next('paid')).toEqual([])
})
