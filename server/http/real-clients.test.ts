/** Requests as the libraries of real languages send them. Nothing that they mean is refused, and nothing is changed without a word. */
import { describe, expect, test } from 'vitest'
import { call, createLink, createSession, linkRequest, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

let count = 0
/** Posts a session as this text. `headers` replace the usual ones. */
function post(body: string, headers: Record<string, string> = {}) {
  const usual = { authorization: `Bearer ${shop.token}`, 'idempotency-key': `real-${++count}` }
  return call(`${kassa.url}/v1/payment-sessions`, { headers: { ...usual, ...headers }, body })
}
const text = (changes: object = {}) =>
  JSON.stringify(sessionRequest({ merchantOrderId: `real-${count + 1}`, ...changes }))
/** The text of a session with one more property. */
const textWith = (property: string) => text().replace(/}$/, `,${property}}`)

describe('the media type', () => {
  test.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=utf8',
    'application/json; charset=UTF_8',
    'Application/JSON ; Charset="UTF8"',
    "application/json; charset='utf-8'",
    'application/json;',
    'application/json; odata=verbose',
    'application/json; charset=utf-8; v=1',
    'application/json; boundary=x; charset=utf8',
    'application/json; charset=utf8mb4',
    'application/json; charset=us-ascii',
    'application/json; charset="US-ASCII"',
    'application/json; charset=ASCII',
    'application/json; charset=ANSI_X3.4-1968',
    'application/json; charset=',
  ])('%s is JSON in UTF-8', async (type) => {
    expect((await post(text(), { 'content-type': type })).status).toBe(201)
  })

  test.each([
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1; v=1',
    'application/jsonp',
    'text/json',
    'application/json, text/plain',
  ])('%s is not', async (type) => {
    expect((await post(text(), { 'content-type': type })).status).toBe(415)
  })

  test('another charset is refused with what to do, also if all bytes are ASCII', async () => {
    const { status, body } = await post(text(), { 'content-type': 'application/json;charset=ISO-8859-1' })
    expect([status, body.error.code, body.error.hint]).toEqual([
      415,
      'unsupported_media_type',
      expect.stringContaining('charset=utf-8'),
    ])
  })

  test('letters are read as UTF-8 where ASCII is named, and refused where they are none', async () => {
    const type = { 'content-type': 'application/json; charset=us-ascii' }
    const { body } = await post(text({ metadata: { city: 'Երևան' } }), type)
    expect(body.metadata).toEqual({ city: 'Երևան' })
    const refused = await fetch(`${kassa.url}/v1/payment-sessions`, {
      method: 'POST',
      headers: { ...type, authorization: `Bearer ${shop.token}`, 'idempotency-key': `real-${++count}` },
      body: Buffer.from(text({ metadata: { city: 'Zürich' } }), 'latin1'),
    })
    expect((await refused.json()).error.code).toBe('invalid_json')
  })
})

test('blanks and tabs may stand before a token', async () => {
  for (const between of ['  ', ' \t '])
    expect((await post(text(), { authorization: `Bearer${between}${shop.token}` })).status).toBe(201)
  for (const wrong of [`Bearer${shop.token}`, `Bearer ${shop.token} x`, `Basic ${shop.token}`])
    expect((await post(text(), { authorization: wrong })).status).toBe(401)
  const { body } = await post(text(), { authorization: shop.token })
  expect([body.error.code, body.error.hint]).toEqual([
    'invalid_token',
    expect.stringContaining('Bearer, a space'),
  ])
  expect(JSON.stringify(body)).not.toContain(shop.token)
})

describe('a field that is not used', () => {
  test('may be null, and the request is the same as without it', async () => {
    const key = `null-${++count}`
    const bodies = [
      { provider: null, customer: null, metadata: null },
      {},
      { customer: { email: null, phone: null, name: null } },
      { customer: [] },
      { customer: {} },
    ]
    const sent = bodies.map((change) => sessionRequest({ merchantOrderId: key, ...change }))
    const [all, none] = await Promise.all(
      sent.slice(0, 2).map((body) => createSession(kassa.url, shop, { key, body })),
    )
    expect([all?.status, none?.status].sort()).toEqual([200, 201])
    expect(all?.body.id).toBe(none?.body.id)
    for (const body of sent.slice(2))
      expect((await createSession(kassa.url, shop, { key: `${key}-${++count}`, body })).status).toBe(201)
  })

  test('of a link, a refund or a capture may be null too', async () => {
    const unused = {
      amountMinor: null,
      expiresAt: null,
      providerRoute: null,
      merchantOrderId: null,
      returnUrl: null,
    }
    const link = await createLink(kassa.url, shop, {
      key: `link-${++count}`,
      body: linkRequest({ ...unused, customer: null, metadata: [] }),
    })
    expect(link.status).toBe(201)
    const paid = await post(text())
    await payAtBank(paid.body.providerCheckoutUrl, 'paid')
    const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': `refund-${count}` }
    const body = { amountMinor: 100, reason: 'broken', currency: null, metadata: [] }
    const refund = await call(`${kassa.url}/v1/payments/${paid.body.id}/refunds`, { headers, body })
    expect(refund.status).toBe(201)
  })

  test('must not be null where it is required', async () => {
    const { status, body } = await post(text({ amountMinor: null, returnUrl: null }))
    expect([status, Object.keys(body.errors).sort()]).toEqual([422, ['amountMinor', 'returnUrl']])
  })

  test('as PHP writes an empty object: a list without elements, also as the whole body', async () => {
    const { status, body } = await post(text({ metadata: [], customer: [] }))
    expect(status).toBe(201)
    expect(body.metadata ?? {}).toEqual({})
    expect((await post(text({ metadata: [1] }))).body.errors).toHaveProperty('metadata')
    expect(Object.keys((await post('[]')).body.errors)).toContain('merchantOrderId')
    // What the merchant keeps in its metadata stays as it is.
    expect((await post(text({ metadata: { a: [], b: null } }))).body.metadata).toEqual({ a: [], b: null })
  })
})

describe('a name that stands twice', () => {
  test.each([
    ['"amountMinor":1', 'amountMinor'],
    ['"amountMinor" : 1900', 'amountMinor'],
    ['"amount\\u004dinor":1', 'amountMinor'],
    ['"metadata":{"a":{"b":1,"c":[],"b":1}}', 'metadata.a.b'],
    ['"metadata":{"list":["x",{"k":1,"k":2}]}', 'metadata.list.1.k'],
    ['"metadata":{"":1,"":2}', 'metadata.'],
    ['"metadata":{"x":"\\"a\\":1,","x":2}', 'metadata.x'],
  ])('%s is refused with its place', async (property, place) => {
    const { status, body } = await post(textWith(property))
    expect([status, body.errors]).toEqual([422, { [place]: expect.stringContaining('stands twice') }])
  })

  test('in different objects is fine, also inside a text', async () => {
    const metadata = { a: { b: 1 }, b: '"b":1,"b":2', c: [{ b: 1 }, { b: 2 }] }
    const { status, body } = await post(text({ metadata }))
    expect([status, body.metadata]).toEqual([201, metadata])
  })

  test('never shows a card number that is such a name', async () => {
    const { status, body } = await post(textWith('"metadata":{"4242424242424242":1,"4242424242424242":2}'))
    expect([status, body.error.code]).toEqual([422, 'raw_card_data_rejected'])
    expect(JSON.stringify(body)).not.toContain('42424242')
  })
})

describe('a number is kept or refused, never changed', () => {
  test.each([
    '0.1234567890123456789',
    '3.14159265358979323846',
    '1234567890123456.7',
    '100000000000000.0625001',
    '1e-400',
    '1.00000000000000000001e2',
  ])('%s is refused', async (number) => {
    const { status, body } = await post(textWith(`"metadata":{"rate":[${number}]}`))
    expect([status, body.errors]).toEqual([
      422,
      { 'metadata.rate.0': expect.stringContaining('send it as text') },
    ])
  })

  test.each([
    '0.1',
    '1.10',
    '0.30000000000000004',
    '-12.5',
    '1e2',
    '1.5E-7',
    '0.000000000000000000000000000001',
    '0',
    '100000000000000.06',
  ])('%s is kept', async (number) => {
    const { status, body } = await post(textWith(`"metadata":{"rate":${number}}`))
    expect([status, body.metadata]).toEqual([201, { rate: Number(number) }])
  })

  test('also as an amount', async () => {
    const { status, body } = await post(text().replace('1900', '1900.00000000000000000001'))
    expect([status, Object.keys(body.errors)]).toEqual([422, ['amountMinor']])
    const link = await createLink(kassa.url, shop, {
      key: `long-${++count}`,
      body: JSON.stringify(linkRequest({ amount: 1 })).replace(':1,', ':10.000000000000000000001,'),
    })
    expect([link.status, Object.keys(link.body.errors)]).toEqual([422, ['amount']])
  })

  test('an amount with zeros behind its point is a whole number', async () => {
    expect((await post(text().replace('1900', '1900.0'))).body.amountMinor).toBe(1900)
  })
})

describe('names of other scripts', () => {
  test.each([
    ['https://խանութ.հայ/thanks', 'https://xn--y9aqk1bk4d.xn--y9a3aq/thanks'],
    ['https://чай.рф:8443/%D1%81', 'https://xn--80as4b.xn--p1ai:8443/%D1%81'],
    ['HTTPS://чай.Рф', 'HTTPS://xn--80as4b.xn--p1ai'],
    ['https://bücher.example/a?b=c#d', 'https://xn--bcher-kva.example/a?b=c#d'],
  ])('a buyer returns to %s', async (returnUrl, ascii) => {
    const { status, body } = await post(text({ returnUrl }))
    expect(status).toBe(201)
    const back = await payAtBank(body.providerCheckoutUrl, 'paid')
    expect(back?.startsWith(ascii.split('?')[0] ?? '')).toBe(true)
    const { rows } = await kassa.ctx.db.query('select return_url from sandbox.payments where id = $1', [
      body.id,
    ])
    expect(rows).toEqual([{ return_url: ascii }])
  })

  test.each([
    'https://чай.рф/спасибо',
    'https://чай .рф/',
    'https://чай..рф/',
    'https://чай\u202e.рф/',
    'https://-.рф/',
    'https://ани:x@чай.рф/',
  ])('%s is refused', async (returnUrl) => {
    const { status, body } = await post(text({ returnUrl }))
    expect([status, Object.keys(body.errors)]).toEqual([422, ['returnUrl']])
  })

  test.each(['ani@խանութ.հայ', 'почта@чай.рф', 'ani@bücher.example', 'o’neil@example.com'])(
    '%s is an e-mail address',
    async (email) => {
      const { status, body } = await post(text({ customer: { email } }))
      const isLetter = !email.includes('’')
      expect([status, body.customer?.email]).toEqual(isLetter ? [201, email] : [422, undefined])
    },
  )

  test.each([
    'ani@чай .рф',
    'ani\u202e@чай.рф',
    'ani@чай..рф',
    '@чай.рф',
    'ани@',
    'a\u00a0b@чай.рф',
    'ани@чай.рф\u2028',
  ])('%j is none', async (email) => {
    expect(Object.keys((await post(text({ customer: { email } }))).body.errors)).toEqual(['customer.email'])
  })
})
