import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BRAND_PREFIXES, cardNumber, SPELLINGS } from '../testing/attacks/card-numbers.ts'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { call, clickWidget, createSession, sessionRequest } from '../testing/calls.ts'
import { growthOf, LINEAR_BELOW } from '../testing/growth.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'
import { refuseCardData } from './card-data.ts'

/** `kassa` reads the database. The requests go to `running`, a whole service, so that the test sees all that it prints. */
let kassa: Kassa
let running: ServedHere
let shop: Shop
/** Every spelling of a card number that was sent. */
const sent = new Set<string>()

beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  running = await serveHere({ DATABASE_URL: kassa.databaseUrl, LOG_LEVEL: 'trace' })
})
afterAll(async () => {
  await running?.stop()
  await kassa?.close()
})

const bearer = () => ({ authorization: `Bearer ${shop.token}` })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(`${running.url}${path}`, { headers: { ...bearer(), ...headers }, body })
const session = (changes: object) => post('/v1/payment-sessions', sessionRequest(changes))
const link = (changes: object) =>
  post(
    '/v1/payment-links',
    { amount: '19.00', currency: 'USD', description: 'Tea', ...changes },
    { 'idempotency-key': 'card' },
  )
const click = (body: object) => clickWidget(running.url, shop, { body })

/** Places of a card number in a well-formed request, and the field that the error names. */
const PLACES: Record<string, [field: string, send: (number: string) => ReturnType<typeof call>]> = {
  'the order reference': ['merchantOrderId', (number) => session({ merchantOrderId: number })],
  'the name': ['customer.name', (number) => session({ customer: { name: number } })],
  'the e-mail address': [
    'customer.email',
    (number) => session({ customer: { email: `${number}@mail.example` } }),
  ],
  'the telephone number': ['customer.phone', (number) => session({ customer: { phone: number } })],
  'the return address': [
    'returnUrl',
    (number) => session({ returnUrl: `https://shop.example/?card=${encodeURIComponent(number)}` }),
  ],
  'a value in metadata': ['metadata.note', (number) => session({ metadata: { note: number } })],
  'a deep value in metadata': ['metadata.a.b.0', (number) => session({ metadata: { a: { b: [number] } } })],
  'a name in metadata': ['metadata', (number) => session({ metadata: { [number]: 'x' } })],
  'a far too deep value': [
    'metadata.a.a.a.a.a.a.a.a.a.a',
    (number) => {
      let nested: object | string = number
      for (let depth = 0; depth < 10; depth++) nested = { a: nested }
      return session({ metadata: nested })
    },
  ],
  'pieces in a list': [
    'metadata.pieces',
    (number) => session({ metadata: { pieces: number.match(/.{1,4}/gsu) } }),
  ],
  'an unknown property': ['note', (number) => session({ note: number })],
  'the name of an unknown property': ['body', (number) => session({ [number]: 1 })],
  'the whole body': ['body', (number) => post('/v1/payment-sessions', JSON.stringify(number))],
  'a description': ['description', (number) => link({ description: number })],
  'a client reference': ['clientReference', (number) => click({ clientReference: number })],
  'a product': ['productId', (number) => click({ productId: number })],
  'the query': [
    'paymentId',
    (number) =>
      call(`${running.url}/v1/payments?paymentId=${encodeURIComponent(number)}`, {
        method: 'GET',
        headers: bearer(),
      }),
  ],
  'a name in the query': [
    'query',
    (number) =>
      call(`${running.url}/v1/payments?${encodeURIComponent(number)}=1`, {
        method: 'GET',
        headers: bearer(),
      }),
  ],
}

function expectRefusal(answer: Awaited<ReturnType<typeof call>>, field: string, spelt: string): void {
  expect([spelt, answer.status, answer.body.error?.code]).toEqual([spelt, 422, 'raw_card_data_rejected'])
  expect(Object.keys(answer.body.errors)).toEqual([field])
  expect(JSON.stringify([answer.body, ...answer.headers])).not.toContain(spelt)
}

describe('raw card data is rejected with the name of the field', () => {
  const percent = (number: string) => number.replaceAll(/\d/g, (digit) => `%3${digit}`)
  const encoded = {
    'percent-encoded': percent,
    'percent-encoded twice': (number: string) => percent(number).replaceAll('%', '%25'),
  }
  const spellings = Object.entries({ ...SPELLINGS, ...encoded })
  for (const [at, [name, [field, send]]] of Object.entries(PLACES).entries())
    test(`in ${name}`, async () => {
      for (const [index, [prefix, length]] of BRAND_PREFIXES.entries()) {
        const number = cardNumber(prefix, length, index + at)
        // Words of a sentence are not the parts of a number.
        const spell = field === 'metadata.pieces' ? String : spellings[(index + at) % spellings.length]?.[1]
        const spelt = spell?.(number) ?? number
        sent.add(number).add(spelt)
        expectRefusal(await send(spelt), field, spelt)
      }
    })

  test('as a number in JSON', async () => {
    for (const [index, [prefix]] of BRAND_PREFIXES.entries()) {
      const number = cardNumber(prefix, prefix.startsWith('3') ? 15 : 16, index)
      if (Number(number) > Number.MAX_SAFE_INTEGER || !/^(4|5|62|65|2|37)/.test(number)) continue
      sent.add(number)
      expectRefusal(await session({ metadata: { n: Number(number) } }), 'metadata.n', number)
    }
  })

  test('in the Idempotency-Key', async () => {
    for (const [index, [prefix, length]] of BRAND_PREFIXES.entries()) {
      const number = cardNumber(prefix, length, index + 50)
      sent.add(number)
      expectRefusal(
        await createSession(running.url, shop, { key: `try-${number}` }),
        'Idempotency-Key',
        number,
      )
    }
  })

  const names = [
    'pan',
    'PAN',
    'cardNumber',
    'card_number',
    'Card-Number',
    'card number',
    'cvv',
    'CVC',
    'cvv2',
  ]
  test.each([...names, 'expiry', 'track2', 'ccNumber', 'ｃｖｖ'])(
    'under the name %s, at any depth',
    async (name) => {
      for (const [field, answer] of [
        [name, await session({ [name]: 'x' })],
        [`metadata.a.${name}`, await session({ metadata: { a: { [name]: 123 } } })],
        [`customer.${name}`, await session({ customer: { [name]: null } })],
      ] as const) {
        expect([answer.status, answer.body.error.code]).toEqual([422, 'raw_card_data_rejected'])
        expect(Object.keys(answer.body.errors)).toEqual([field])
      }
    },
  )
})

test('a percent-encoded name of card data is rejected like the plain one', async () => {
  const { status, body } = await session({ metadata: { 'c%76v': 123 } })
  expect([status, body.error.code, Object.keys(body.errors)]).toEqual([
    422,
    'raw_card_data_rejected',
    ['metadata.c%76v'],
  ])
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
  expect(growthOf(read, (chars) => JSON.stringify(BODIES[name]?.(chars)), 16_000)).toBeLessThan(LINEAR_BELOW)
})

test('a card number in broken JSON, headers, paths, forms or broken HTTP is neither repeated nor stored', async () => {
  for (const [index, [prefix, length]] of BRAND_PREFIXES.entries()) {
    const number = cardNumber(prefix, length, index + 90)
    sent.add(number)
    const answers = await Promise.all([
      post('/v1/payment-sessions', `{"card":"${number}",`),
      post('/v1/payment-sessions', `${number}abc`),
      post('/v1/payment-sessions', sessionRequest(), { 'content-type': `text/${number}` }),
      call(`${running.url}/v1/payment-sessions`, {
        headers: { authorization: `Bearer ${number}` },
        body: {},
      }),
      call(`${running.url}/v1/payments/${number}/nothing`, { method: 'GET', headers: bearer() }),
      call(`${running.url}/${number}?${number}=${number}`, { method: 'GET' }),
      call(`${running.url}/v1/payments`, {
        method: 'GET',
        headers: { ...bearer(), origin: `https://${number}` },
      }),
      clickWidget(running.url, shop, { origin: `https://${number}.example` }),
    ])
    for (const { status, body, headers } of answers) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(JSON.stringify([body, ...headers])).not.toContain(number)
    }
    // A card number in a header that the service ignores does not reject the request.
    const ignored = await post('/v1/payment-sessions', sessionRequest(), {
      'x-note': number,
      'user-agent': number,
    })
    expect([200, 201]).toContain(ignored.status)
    const broken = await sendRaw(
      running.url,
      `GET /${number} HTTP/1.1\r\nHost: x\r\n${number} : \x01\r\n\r\n`,
    )
    expect(broken.status).toBe(400)
    expect(broken.body).not.toContain(number)
  }
})

test('timestamps, telephone numbers, UUIDs and ids of the service are accepted', async () => {
  const metadata = {
    at: 1_732_174_642_123,
    text: '1732174642123',
    iso: '2026-11-21T07:37:22.123Z',
    phone: '+4915123456789',
    uuid: crypto.randomUUID(),
    lat: 40.1811123456789,
    sum: 0.1 + 0.2,
    list: [1, 2, 3],
  }
  const { status, body } = await createSession(running.url, shop, {
    key: crypto.randomUUID(),
    body: sessionRequest({
      customer: { phone: '+374 10 12-34-56' },
      metadata,
      merchantOrderId: '1732174642127',
    }),
  })
  expect([status, body.metadata]).toEqual([201, metadata])
})

/** Returns every row of every table as text. */
async function dump(): Promise<string> {
  const { rows: names } = await kassa.ctx.db.query(
    `select format('select to_jsonb(t) as row from %I.%I t', schemaname, tablename) as query
     from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const tables = await Promise.all(names.map(({ query }) => kassa.ctx.db.query(query)))
  return tables.flatMap(({ rows }) => rows.map((each: object) => JSON.stringify(each))).join('\n')
}

const inHex = (text: string) => Buffer.from(text).toString('hex')

test('none of these card numbers is in the log, in a table or in an event', async () => {
  expect(sent.size).toBeGreaterThanOrEqual(200)
  const marker = 'seen-where-it-should-be'
  await createSession(running.url, shop, { key: marker, body: sessionRequest({ metadata: { marker } }) })
  await expect.poll(running.output).toContain('/v1/payment-sessions')
  const { rows } = await kassa.ctx.db.query('select body from sandbox.events')
  const events = rows.map(({ body }) => String(body)).join('\n')
  const places = { log: running.output(), events, tables: await dump() }
  // The search does find text that is stored.
  expect(places.tables).toContain(marker)
  for (const number of sent)
    for (const [name, text] of Object.entries(places))
      expect([number, name, text.includes(number) || text.includes(inHex(number))]).toEqual([
        number,
        name,
        false,
      ])
})
