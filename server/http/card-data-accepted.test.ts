/** What the filter of card data lets through, and what reading it costs. */
import { describe, expect, test } from 'vitest'
import { refuseCardData } from '../card-number/card-data.ts'
import { cardNumber } from '../testing/attacks/card-numbers.ts'
import { clickWidget, createSession, sessionRequest } from '../testing/calls.ts'
import { growthOf, LINEAR_BELOW } from '../testing/growth.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

const session = (changes: object) => createSession(kassa.url, shop, { body: sessionRequest(changes) })
const click = (body: object) => clickWidget(kassa.url, shop, { body })

describe('what is no card data is accepted', () => {
  const accepts = async (changes: object, key?: string) => {
    const { status, body } = await createSession(kassa.url, shop, {
      ...(key && { key }),
      body: sessionRequest({ merchantOrderId: crypto.randomUUID(), ...changes }),
    })
    expect([changes, status, body.error]).toEqual([changes, 201, undefined])
  }

  test('names of card data with other values', async () => {
    const metadata = {
      pan: 'Peter Pan',
      expiry: '2027-01-31',
      track: 'DHL 12',
      cardNumber: 'gift',
      cvv: 'no',
    }
    await accepts({ metadata: { ...metadata, pin: 1234, card: '•••• 4242', securityCode: 'blue' } })
  })

  test('an identifier that contains a card number by chance', async () => {
    const { body } = await createSession(kassa.url, shop, {
      key: `try-${cardNumber('2470', 16, 60)}`,
      body: sessionRequest({ merchantOrderId: `YYMMDD-${cardNumber('2470', 16, 61)}` }),
    })
    expect(body.error).toBeUndefined()
    expect((await click({ clientReference: `${cardNumber('2470', 16, 62)}.abcdefgh` })).status).toBe(201)
  })

  test('a value that is written as the message advises', async () => {
    const number = cardNumber('2470', 16, 63)
    expect((await session({ metadata: { account: number } })).body.errors['metadata.account']).toMatch(
      /a letter directly before and after its digits, or write it in groups of five digits/,
    )
    const inFives = number.match(/.{1,5}/g)?.join(' ')
    await accepts({ metadata: { account: `x${number}x`, accountInFives: inFives } })
    expect((await session({ merchantOrderId: number })).body.errors.merchantOrderId).toContain('"order-"')
    await accepts({ merchantOrderId: `order-${number}` }, `order-${number}`)
  })
})

test('timestamps, telephone numbers, UUIDs, ids of the service and decimal numbers are accepted', async () => {
  const metadata = {
    at: 1_732_174_642_123,
    text: '1732174642123',
    iso: '2026-11-21T07:37:22.123Z',
    phone: '+4915123456789',
    uuid: crypto.randomUUID(),
    lat: 40.1811123456789,
    fraction: 0.5105105105105101,
    sum: 0.1 + 0.2,
    list: [1, 2, 3],
    prices: [4500, 5100, 5200, 5300],
  }
  const { status, body } = await createSession(kassa.url, shop, {
    key: crypto.randomUUID(),
    body: sessionRequest({
      customer: { phone: '+374 10 12-34-56' },
      metadata,
      merchantOrderId: '1732174642127',
    }),
  })
  expect([status, body.metadata]).toEqual([201, metadata])
})

const BODIES: Record<string, (chars: number) => unknown> = {
  'elements below a long name': (chars) => ({ ['n'.repeat(chars / 2)]: Array(chars / 4).fill(1) }),
  'a list of pieces': (chars) => ['4 '.repeat(chars / 4), ...Array(chars / 4).fill('4')],
  'percent-encoding': (chars) => '%3'.repeat(chars / 2),
  'layers of percent-encoding': (chars) => '%252534'.repeat(chars / 7),
  'combining marks in a name': (chars) => ({ ['\u0300\u0316'.repeat(chars / 2)]: 1 }),
}

test.each(Object.keys(BODIES))('a body of %s takes time in proportion to its length', (name) => {
  const read = (text: string) => {
    try {
      refuseCardData(JSON.parse(text), 'body')
    } catch {
      // It may throw, because some texts contain a card number.
    }
  }
  expect(growthOf(read, (chars) => JSON.stringify(BODIES[name]?.(chars)), 4_000)).toBeLessThan(LINEAR_BELOW)
})
