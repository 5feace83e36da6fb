import { afterAll, describe, expect, test } from 'vitest'
import { BRAND_PREFIXES, cardNumber, SPELLINGS, WHOLE_SPELLINGS } from '../testing/attacks/card-numbers.ts'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { call, clickWidget, createSession, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'
import { serveHere } from '../testing/serve-here.ts'

/** `kassa` reads the database. The requests go to `running`, a whole service, so that the test sees all that it prints. */
/** Every spelling of a card number that was sent. */
const sent = new Set<string>()

const { kassa, shop } = await openScene()
const running = await serveHere({ DATABASE_URL: kassa.databaseUrl, LOG_LEVEL: 'trace' })
afterAll(() => running.stop())

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

/** Fields of identifiers, which must not be a card number as a whole. The error names the field. */
const IDENTIFIERS: Record<string, [field: string, send: (number: string) => ReturnType<typeof call>]> = {
  'the order reference': ['merchantOrderId', (number) => session({ merchantOrderId: number })],
  'the order reference of a link': ['merchantOrderId', (number) => link({ merchantOrderId: number })],
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
  'a path': [
    'paymentId',
    (number) =>
      post(`/v1/payments/${encodeURIComponent(number)}/void`, { reason: 'x' }, { 'idempotency-key': 'k' }),
  ],
}

/** Other places of a card number in a well-formed request, and the field that the error names. */
const PLACES: Record<string, [field: string, send: (number: string) => ReturnType<typeof call>]> = {
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
  'a name in the query': [
    'query',
    (number) =>
      call(`${running.url}/v1/payments?${encodeURIComponent(number)}=1`, {
        method: 'GET',
        headers: bearer(),
      }),
  ],
}

function expectRefusal(
  { status, body, headers }: Awaited<ReturnType<typeof call>>,
  { field, spelt, number }: { field: string; spelt: string; number: string },
): void {
  expect([spelt, status, body.error?.code]).toEqual([spelt, 422, 'raw_card_data_rejected'])
  expect(body.errors).toEqual({ [field]: expect.stringContaining(`ending in ${number.slice(-4)}`) })
  for (const each of [spelt, number]) expect(JSON.stringify([body, ...headers])).not.toContain(each)
}

describe('raw card data is rejected with the name of the field and the last four digits', () => {
  const plainSpellings = Object.entries(SPELLINGS).filter(([name]) => !name.includes('before a date'))
  const rows = [
    ...Object.entries(PLACES).map((place) => ({ place, spellings: plainSpellings })),
    ...Object.entries(IDENTIFIERS).map((place) => ({ place, spellings: Object.entries(WHOLE_SPELLINGS) })),
  ]
  for (const [at, { place, spellings }] of rows.entries())
    test(`in ${place[0]}`, async () => {
      const [, [field, send]] = place
      for (const [index, [prefix, length]] of BRAND_PREFIXES.entries()) {
        const number = cardNumber(prefix, length, index + at)
        // Words of a sentence are not the parts of a number.
        const spell = field === 'metadata.pieces' ? String : spellings[(index + at) % spellings.length]?.[1]
        const spelt = spell?.(number) ?? number
        sent.add(number).add(spelt)
        expectRefusal(await send(spelt), { field, spelt, number })
      }
    })

  test('as a number in JSON', async () => {
    for (const [index, [prefix]] of BRAND_PREFIXES.entries()) {
      const number = cardNumber(prefix, prefix.startsWith('3') ? 15 : 16, index)
      if (Number(number) > Number.MAX_SAFE_INTEGER || !/^(4|5|62|65|2|37)/.test(number)) continue
      sent.add(number)
      const answer = await session({ metadata: { n: Number(number) } })
      expectRefusal(answer, { field: 'metadata.n', spelt: number, number })
    }
  })

  test('in the Idempotency-Key', async () => {
    for (const [index, [prefix, length]] of BRAND_PREFIXES.entries()) {
      const number = cardNumber(prefix, length, index + 50)
      sent.add(number)
      const answer = await createSession(running.url, shop, { key: number })
      expectRefusal(answer, { field: 'Idempotency-Key', spelt: number, number })
    }
  })

  const names = ['cvv', 'CVC', 'cvv2', 'Card-Security-Code', 'c%76v', 'ｃｖｖ']
  test.each(names)('three or four digits under the name %s, at any depth', async (name) => {
    for (const [field, send] of [
      [name, (value: unknown) => session({ [name]: value })],
      [`metadata.a.${name}`, (value: unknown) => session({ metadata: { a: { [name]: value } } })],
      [`customer.${name}`, (value: unknown) => session({ customer: { [name]: value } })],
    ] as const) {
      for (const value of ['123', 1234, ' 123 ', '٠٧٧']) {
        const { status, body } = await send(value)
        expect([value, status, body.error.code]).toEqual([value, 422, 'raw_card_data_rejected'])
        expect(Object.keys(body.errors)).toEqual([field])
      }
      for (const value of ['x', '12', 12345, null, true])
        expect((await send(value)).body.error?.code ?? '').not.toBe('raw_card_data_rejected')
    }
  })
})

test('the endpoints for saved cards reject a card number anywhere in an identifier, also in the key', async () => {
  const number = cardNumber('4', 16, 70)
  const token = { providerRoute: 'route_a', customerConsentId: 'consent-1' }
  const subscription = {
    providerRoute: 'route_a',
    merchantSubscriptionId: `sub-${number}`,
    paymentTokenId: 'pmt_1',
    amountMinor: 1900,
    currency: 'USD',
    interval: 'month',
    description: 'Tea',
  }
  const key = { 'idempotency-key': 'saved-card' }
  const rows = [
    [{ 'idempotency-key': `try-${number}` }, token, 'Idempotency-Key'],
    [key, { ...token, customerConsentId: `consent-${number}` }, 'customerConsentId'],
    [key, subscription, 'merchantSubscriptionId'],
  ] as const
  for (const [headers, body, field] of rows) {
    const path = body === subscription ? 'subscriptions' : 'payment-method-tokens'
    expectRefusal(await post(`/v1/${path}`, body, headers), { field, spelt: number, number })
  }
  for (const path of [`payment-method-tokens/pmt_${number}`, `subscriptions/sub_${number}/cancel`]) {
    const method = path.endsWith('cancel') ? 'POST' : 'DELETE'
    const answer = await call(`${running.url}/v1/${path}`, { method, headers: { ...bearer(), ...key } })
    expect([path, answer.body.error.code]).toEqual([path, 'raw_card_data_rejected'])
  }
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
