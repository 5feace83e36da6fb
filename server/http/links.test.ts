import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { CURRENCIES } from '../contract/currencies.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../contract/fields.ts'
import { createLink, emailOf, linkRequest, urlOf } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
let count = 0
// This file sends many requests at once. Other files test the rate limits.
const kassa = await openKassa({ settings: { RATE_LIMITS: 'off' } })
const shop = await openShop(kassa.ctx)

/** Creates a new link for each call. */
const make = (body: unknown) => createLink(kassa.url, shop, { key: `k${count++}`, body })
const inMs = (ms: number) => new Date(kassa.clock.now().getTime() + ms).toISOString()

type Case = [name: string, field: string, change: () => object]

describe('a link request is accepted with', () => {
  const taken: Case[] = [
    ['a description of 2 characters', 'description', () => ({ description: 'ab' })],
    ['a description of 600', 'description', () => ({ description: 'x'.repeat(600) })],
    ['amountMinor of 1', 'amountMinor', () => ({ amount: '0.01', amountMinor: 1 })],
    ['amountMinor of 10^12', 'amountMinor', () => ({ amount: '10000000000', amountMinor: 10 ** 12 })],
    ['a reference of 1 character', 'merchantOrderId', () => ({ merchantOrderId: 'o' })],
    ['a reference of 120', 'merchantOrderId', () => ({ merchantOrderId: 'o'.repeat(120) })],
    ['a returnUrl of 300 characters', 'returnUrl', () => ({ returnUrl: urlOf(300) })],
    ['a returnUrl over plain http', 'returnUrl', () => ({ returnUrl: 'http://shop.example/' })],
    ['no customer data', 'customer', () => ({ customer: {} })],
    ['an e-mail of 160', 'customer.email', () => ({ customer: { email: emailOf(160) } })],
    ['a phone of 80', 'customer.phone', () => ({ customer: { phone: '+'.repeat(80) } })],
    ['a name of 120', 'customer.name', () => ({ customer: { name: 'n'.repeat(120) } })],
    ['empty metadata', 'metadata', () => ({ metadata: {} })],
    ['an end in a second', 'expiresAt', () => ({ expiresAt: inMs(1_000) })],
    ['an end in 90 days', 'expiresAt', () => ({ expiresAt: inMs(90 * DAY_MS) })],
    ['an end with an offset', 'expiresAt', () => ({ expiresAt: `${inMs(2 * DAY_MS).slice(0, 19)}+04:00` })],
    ...CURRENCY_CODES.map((currency): Case => [currency, 'currency', () => ({ amount: '15', currency })]),
    ...PROVIDER_ROUTES.filter((route) => route !== 'route_e').map(
      (providerRoute): Case => [providerRoute, 'providerRoute', () => ({ providerRoute })],
    ),
  ]
  test.each(taken)('%s', async (_, __, change) => {
    const { status, body } = await make(linkRequest(change()))
    expect([status, body.errors]).toEqual([201, undefined])
  })
})

describe('a link request is rejected with the name of the field and stores nothing, with', () => {
  const refused: Case[] = [
    ...['amount', 'currency', 'description'].map(
      (field): Case => [`no ${field}`, field, () => ({ [field]: undefined })],
    ),
    ['an unknown property', 'provider', () => ({ provider: 'route_a' })],
    ['an unknown property of the customer', 'customer.vat', () => ({ customer: { vat: '1' } })],
    ['a description of 1 character', 'description', () => ({ description: 'a' })],
    ['a description of 601', 'description', () => ({ description: 'x'.repeat(601) })],
    ['a description that is no text', 'description', () => ({ description: 12 })],
    ['amountMinor of 0', 'amountMinor', () => ({ amountMinor: 0 })],
    ['amountMinor above 10^12', 'amountMinor', () => ({ amountMinor: 10 ** 12 + 1 })],
    ['amountMinor with a fraction', 'amountMinor', () => ({ amountMinor: 1900.5 })],
    ['amountMinor as text', 'amountMinor', () => ({ amountMinor: '1900' })],
    ['amountMinor that does not agree', 'amountMinor', () => ({ amountMinor: 1901 })],
    ['amountMinor in drams', 'amountMinor', () => ({ amount: 1900, amountMinor: 1900, currency: 'AMD' })],
    ['amount null', 'amount', () => ({ amount: null })],
    ['amount as a list', 'amount', () => ({ amount: ['19.00'] })],
    ['an empty reference', 'merchantOrderId', () => ({ merchantOrderId: '' })],
    ['a reference of 121', 'merchantOrderId', () => ({ merchantOrderId: 'o'.repeat(121) })],
    ['a returnUrl of 301', 'returnUrl', () => ({ returnUrl: urlOf(301) })],
    ['an empty returnUrl', 'returnUrl', () => ({ returnUrl: '' })],
    ['a relative returnUrl', 'returnUrl', () => ({ returnUrl: '/thanks' })],
    ['a returnUrl that runs', 'returnUrl', () => ({ returnUrl: 'javascript:alert(1)' })],
    ['a returnUrl with a password', 'returnUrl', () => ({ returnUrl: 'https://a:b@shop.example/' })],
    ['an e-mail of 161', 'customer.email', () => ({ customer: { email: emailOf(161) } })],
    ['a wrong e-mail', 'customer.email', () => ({ customer: { email: 'nobody' } })],
    ['a phone of 81', 'customer.phone', () => ({ customer: { phone: '+'.repeat(81) } })],
    ['a name of 121', 'customer.name', () => ({ customer: { name: 'n'.repeat(121) } })],
    ['metadata as a list', 'metadata', () => ({ metadata: ['a'] })],
    ['an end that is now', 'expiresAt', () => ({ expiresAt: inMs(-1) })],
    ['an end 90 days and a minute ahead', 'expiresAt', () => ({ expiresAt: inMs(90 * DAY_MS + MINUTE_MS) })],
    ['an end without a zone', 'expiresAt', () => ({ expiresAt: inMs(DAY_MS).slice(0, 19) })],
    ['an end that is only a day', 'expiresAt', () => ({ expiresAt: inMs(DAY_MS).slice(0, 10) })],
    ['an end on a day that does not exist', 'expiresAt', () => ({ expiresAt: '2027-02-30T00:00:00Z' })],
    ['an end in seconds', 'expiresAt', () => ({ expiresAt: 4_000_000_000 })],
    ['a currency that is not taken', 'currency', () => ({ currency: 'RUB' })],
    ['a currency in small letters', 'currency', () => ({ currency: 'usd' })],
    ['a route that does not exist', 'providerRoute', () => ({ providerRoute: 'route_f' })],
    ['a route that is not configured', 'providerRoute', () => ({ providerRoute: 'route_e' })],
  ]
  const countPayments = async () =>
    (await kassa.ctx.db.query('select count(*)::int as count from sandbox.payments')).rows[0].count
  let before = 0
  beforeEach(async () => {
    before = await countPayments()
  })
  test.each(refused)('%s', async (_, field, change) => {
    const { status, body } = await make(linkRequest(change()))
    expect([status, body.ok, Object.keys(body.errors)]).toEqual([422, false, [field]])
    expect(body.errors[field]).toMatch(/\w/)
    expect(await countPayments()).toBe(before)
  })

  test('a body that is not an object, or without a key', async () => {
    for (const body of [[], 'null', '"x"', '7']) expect((await make(body)).status).toBe(422)
    const { status, body } = await createLink(kassa.url, shop, { key: null })
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_required'])
    for (const key of ['', 'x'.repeat(161)])
      expect((await createLink(kassa.url, shop, { key })).status).toBe(422)
    expect((await createLink(kassa.url, shop, { key: 'x'.repeat(160) })).status).toBe(201)
  })

  test('amount and amountMinor that do not agree, with their own error code', async () => {
    const { body } = await make(linkRequest({ amount: 10, amountMinor: 10 }))
    expect(body.error.code).toBe('amount_mismatch')
    expect(body.errors).toEqual({ amountMinor: 'does not agree with amount, which is 1000 minor units' })
  })
})

describe('an amount', () => {
  /** Minor units in drams, in dollars and in euros. Null: rejected. */
  const AMOUNTS: [amount: string | number, AMD: number | null, others: number | null][] = [
    ['1', 100, 100],
    ['10', 1000, 1000],
    ['10.0', 1000, 1000],
    ['10.00', 1000, 1000],
    ['0010', 1000, 1000],
    ['1900', 190_000, 190_000],
    ['1900.00', 190_000, 190_000],
    ['1900.50', null, 190_050],
    ['0.1', null, 10],
    ['0.10', null, 10],
    ['0.01', null, 1],
    ['19.99', null, 1999],
    ['10000000000', 10 ** 12, 10 ** 12],
    ['10000000000.00', 10 ** 12, 10 ** 12],
    ['9999999999.99', null, 10 ** 12 - 1],
    [1, 100, 100],
    [10, 1000, 1000],
    [1900, 190_000, 190_000],
    [1900.5, null, 190_050],
    [0.1, null, 10],
    [0.01, null, 1],
    [1.1, null, 110],
    [4.35, null, 435],
    [1.15, null, 115],
    [8.2, null, 820],
    [10_000_000_000, 10 ** 12, 10 ** 12],
    [9_999_999_999.99, null, 10 ** 12 - 1],
    ...(
      [
        '',
        ' ',
        '0',
        '0.0',
        '0.00',
        '-1',
        '+1',
        '-0.01',
        '1e3',
        '1E3',
        '0x10',
        '0b1',
        '0o7',
        '1_000',
        '10.005',
        '10.000',
        '0.001',
        '10 ',
        ' 10',
        '10\n',
        '\t10',
        '10.',
        '.5',
        '1,5',
        '1 000',
        '1.0.0',
        '١٠',
        '１０',
        '10٫5',
        '$10',
        '10 USD',
        'ten',
        'NaN',
        'Infinity',
        'null',
        '4242424242424242',
        '10000000000.01',
        '10000000001',
        '99999999999999',
        `1${'0'.repeat(50)}`,
        0,
        -1,
        -0.01,
        10.005,
        0.001,
        0.1 + 0.2,
        1e21,
        1e-7,
        10_000_000_000.01,
        2 ** 53,
      ] as const
    ).map((amount): [string | number, null, null] => [amount, null, null]),
  ]

  test.each(AMOUNTS)(
    'of %j is parsed exactly or rejected, in every currency with two decimals',
    async (amount, whole, others) => {
      for (const currency of CURRENCY_CODES.filter((code) => CURRENCIES[code].digits === 2)) {
        const minor = CURRENCIES[currency].isWhole ? whole : others
        const { status, body } = await make(linkRequest({ amount, currency }))
        expect([currency, status, body.payment?.amountMinor ?? null]).toEqual([
          currency,
          minor === null ? 422 : 201,
          minor,
        ])
        if (minor === null) expect(Object.keys(body.errors)).toEqual(['amount'])
      }
    },
  )

  test('that was rejected is not repeated, because it may be a card number in the wrong field', async () => {
    const { body } = await make(linkRequest({ amount: '4242424242424242' }))
    expect(JSON.stringify(body)).not.toContain('42424242')
  })

  test('is returned in exactly the minor units that were written', async () => {
    const minors = fc.oneof(fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: 1, max: 10_000 }))
    await fc.assert(
      fc.asyncProperty(minors, fc.constantFrom('USD', 'EUR'), async (minor, currency) => {
        const digits = String(minor).padStart(3, '0')
        const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`
        const key = `p${count++}`
        const first = await createLink(kassa.url, shop, {
          key,
          body: linkRequest({ amount: text, currency, amountMinor: minor }),
        })
        // The same amount as a JSON number is the same request.
        const again = await createLink(kassa.url, shop, {
          key,
          body: linkRequest({ amount: Number(text), currency }),
        })
        expect([first.status, first.body.payment?.amountMinor]).toEqual([201, minor])
        expect([again.status, again.body.paymentId]).toEqual([200, first.body.paymentId])
      }),
      { numRuns: 100 },
    )
  })
})
