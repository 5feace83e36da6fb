/**
 * Attacks by class, each with many tries. A test fails at the first attack that succeeds. It also checks the number of tries, so
 * that none can be lost unnoticed.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createOutbound } from '../outbound/outbound.ts'
import { BRAND_PREFIXES, cardNumber, SPELLINGS } from '../testing/attacks/card-numbers.ts'
import { EVIL, INNER_HOSTS, ORIGINS, RETURNS } from '../testing/attacks/hostile-addresses.ts'
import { BODIES, FRAMINGS } from '../testing/attacks/hostile-bodies.ts'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { call, clickWidget, createSession, sessionRequest } from '../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { ENDPOINTS } from './endpoints/index.ts'

const kassa = await openKassa()
const mine = await openShop(kassa.ctx)
const theirs = await openShop(kassa.ctx)

const countPayments = async () =>
  Number((await kassa.ctx.db.query('select count(*) from sandbox.payments')).rows[0]?.count)

test('another merchant: every endpoint with an id rejects every id of that merchant', async () => {
  const { body: payment } = await createSession(kassa.url, theirs, { key: 'theirs' })
  const ids = [payment.id, theirs.merchantId, theirs.installationId, theirs.publicKey, `${payment.id}%20`]
  const headers = { authorization: `Bearer ${mine.token}`, 'idempotency-key': 'mine' }
  let tried = 0
  for (const { method, path } of ENDPOINTS.filter((each) => each.auth.kind === 'bearer'))
    for (const id of ids)
      for (const named of [':', '?']) {
        if (named === ':' ? !path.includes(':') : path.includes(':')) continue
        const address =
          named === ':' ? path.replace(/:\w+/, id) : `${path}?paymentId=${id}&merchantId=${theirs.merchantId}`
        const body =
          method === 'get' ? {} : { body: { paymentId: id, merchantId: theirs.merchantId, tokenId: id } }
        const answer = await call(kassa.url + address, { method: method.toUpperCase(), headers, ...body })
        const isOwnList = answer.status === 200 && path === '/v1/capabilities'
        expect([path, id, isOwnList || (answer.status >= 400 && answer.status < 500)]).toEqual([
          path,
          id,
          true,
        ])
        expect(JSON.stringify(answer.body)).not.toContain('order-1')
        tried++
      }
  expect(tried).toBeGreaterThanOrEqual(50)
})

test('origins that only look like the registered one are rejected, for clicks and preflights', async () => {
  const before = await countPayments()
  const body = JSON.stringify({ publicKey: mine.publicKey, productId: 'tea', clientReference: 'o' })
  let tried = 0
  for (const origin of ORIGINS)
    for (const method of ['POST', 'OPTIONS']) {
      // HTTP removes spaces at both ends, so such values are not tried.
      if (origin.trim() === SHOP_ORIGIN) continue
      const head = `${method} /api/widget/checkout HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n`
      const sent =
        method === 'POST'
          ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          : '\r\n'
      const { status, headers } = await sendRaw(kassa.url, Buffer.from(head + sent, 'latin1'))
      expect([origin, method, [400, 403, 204].includes(status)]).toEqual([origin, method, true])
      if (method === 'POST') expect(status).not.toBe(204)
      expect([origin, headers['access-control-allow-origin']]).toEqual([origin, undefined])
      tried++
    }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
  ]) {
    const { status } = await call(`${kassa.url}/api/widget/checkout`, {
      headers: { origin: SHOP_ORIGIN, 'content-type': type },
      body,
    })
    expect([type, status]).toEqual([type, 415])
    tried++
  }
  expect(await countPayments()).toBe(before)
  expect(tried).toBeGreaterThanOrEqual(140)
})

test('return URLs: none redirects to another origin, and none adds a header', async () => {
  let tried = 0
  for (const [index, returnUrl] of RETURNS.entries()) {
    const { status, body } = await clickWidget(kassa.url, mine, {
      body: { clientReference: `r${index}`, returnUrl },
    })
    expect([returnUrl, [201, 422].includes(status)]).toEqual([returnUrl, true])
    tried++
    if (status !== 201) continue
    const back = await fetch(`${body.checkoutUrl}/return`, { redirect: 'manual' })
    const location = new URL(back.headers.get('location') ?? '', kassa.url)
    expect([returnUrl, [SHOP_ORIGIN, kassa.url].includes(location.origin)]).toEqual([returnUrl, true])
    // The service sets one cookie of its own here. A cookie with another name or value would come from the return address.
    const set = back.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
    expect([returnUrl, set]).toEqual([returnUrl, [expect.stringMatching(/^kassa_left=[0-9a-z]+$/)]])
    tried++
  }
  for (const name of [
    'X-Forwarded-Host',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Proto',
    'Forwarded',
    'X-HTTP-Method-Override',
    'X-Forwarded-Prefix',
    'Referer',
  ])
    for (const path of [
      '/',
      '/docs',
      '/api/health',
      `/pay/${mine.publicKey}/tea`,
      '/checkout/pay_x/return',
      '/v1/payments',
    ]) {
      const { status, headers, body } = await sendRaw(
        kassa.url,
        `GET ${path} HTTP/1.1\r\nHost: ${EVIL}\r\n${name}: ${EVIL}\r\n\r\n`,
      )
      expect([name, path, status < 500]).toEqual([name, path, true])
      expect(`${headers.location} ${body}`).not.toContain(EVIL)
      tried++
    }
  expect(tried).toBeGreaterThanOrEqual(120)
})

/**
 * Each spelling and each brand is sent once as a value and once as a name. card-number.test.ts checks every spelling of every brand
 * without a request.
 */
test('card numbers are rejected in every spelling and of every brand, as a value and as a name', async () => {
  const spellings = Object.values(SPELLINGS)
  const brands = new Set<string>()
  let tried = 0
  for (const [index, spell] of spellings.entries()) {
    const [prefix, length] = BRAND_PREFIXES[index % BRAND_PREFIXES.length] ?? ['', 0]
    const spelt = spell(cardNumber(prefix, length, index))
    for (const metadata of [{ note: spelt }, { [spelt]: 1 }]) {
      const { status, body } = await createSession(kassa.url, mine, {
        key: 'card',
        body: sessionRequest({ metadata }),
      })
      expect([metadata, status, body.error.code]).toEqual([metadata, 422, 'raw_card_data_rejected'])
      tried++
    }
    brands.add(`${prefix} ${length}`)
  }
  expect(brands.size).toBe(BRAND_PREFIXES.length)
  expect(tried).toBeGreaterThanOrEqual(44)
})

const LETTER = { headers: {}, body: '{}', timeoutMs: 500 }

test('callback URLs cannot reach internal addresses', async () => {
  let reached = 0
  const canary = createServer((_request, response) => {
    reached++
    response.end()
  }).listen(0, '0.0.0.0')
  await once(canary, 'listening')
  const { port } = canary.address() as AddressInfo
  let tried = 0
  for (const scheme of ['https', 'http'])
    for (const each of INNER_HOSTS)
      for (const suffix of [`:${port}`, '']) {
        const url = `${scheme}://${each}${suffix}/`
        const { kind } = await createOutbound([]).post(url, LETTER)
        expect([url, kind]).toEqual([url, 'failed'])
        tried++
      }
  expect(reached).toBe(0)
  // The test server does receive a request if its address is allowed.
  await createOutbound(['loopback']).post(`http://127.0.0.1:${port}/`, LETTER)
  canary.close()
  expect(reached).toBe(1)
  expect(tried).toBeGreaterThanOrEqual(190)
})

test('bodies and their framing: nothing is created, no 5xx, and every rejection has an error body of the contract', async () => {
  const before = await countPayments()
  let tried = 0
  const places = [
    ['/v1/payment-sessions', `Authorization: Bearer ${mine.token}\r\nIdempotency-Key: b\r\n`],
    ['/api/widget/checkout', `Origin: ${SHOP_ORIGIN}\r\n`],
  ]
  for (const [path, headers] of places) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}`
    for (const given of BODIES) {
      const bytes = Buffer.from(given as string)
      const { status, body } = await sendRaw(
        kassa.url,
        Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`), bytes]),
      )
      const shown = String(given).slice(0, 60)
      expect([path, shown, [413, 415, 422].includes(status), JSON.parse(body).ok]).toEqual([
        path,
        shown,
        true,
        false,
      ])
      tried++
    }
    for (const framing of FRAMINGS) {
      const { status } = await sendRaw(kassa.url, head + framing)
      expect([framing, status === 0 || (status >= 400 && status < 500)]).toEqual([framing, true])
      tried++
    }
  }
  expect(await countPayments()).toBe(before)
  expect((await call(`${kassa.url}/api/health`, { method: 'GET' })).body.ready).toBe(true)
  expect(tried).toBeGreaterThanOrEqual(140)
})
