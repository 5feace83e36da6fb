import { once } from 'node:events'
import { afterAll, describe, expect, test } from 'vitest'
import { connectTo, sendRaw } from '../testing/attacks/raw-http.ts'
import { call, sessionRequest } from '../testing/calls.ts'
import { SHOP_ORIGIN, spawnKassa } from '../testing/harness.ts'
import { openScene } from '../testing/scene.ts'
import { expectSound, sendGenerated } from './malformed.suite.ts'

const { kassa, shop } = await openScene()
const running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
afterAll(() => running.kill('SIGTERM'))

/** The long version: npm run test:long. */
test('200 generated requests: no 5xx, no crash, no response after more than 2 s, only JSON', async () => {
  await sendGenerated(running, shop, { count: 200, seed: 2 })
  expect(running.child.exitCode).toBeNull()
})

/** PostgreSQL rejects NUL, and the object cannot become text. */
const NO_KEYS: Record<string, string> = {
  NUL: String.raw`"\u0000"`,
  'NUL after the beginning of a key': String.raw`"kpk_sandbox_\u0000"`,
  'half a surrogate pair': String.raw`"kpk_sandbox_\ud800"`,
  'an object': '{"toString":1}',
}

describe('a public key that cannot be one', () => {
  test.each(Object.entries(NO_KEYS))('%s is rejected with a clear error', async (_, key) => {
    const body = `{"publicKey":${key},"productId":"tea","clientReference":"c"}`
    const click = (origin: string) =>
      call(`${running.url}/api/widget/checkout`, { headers: { origin }, body })
    expect((await click('https://other.example')).body.error.code).toBe('origin_not_trusted')
    expect((await click(SHOP_ORIGIN)).body.error.code).toMatch(/^(validation_failed|widget_key_invalid)$/)
  })

  test.each(['/pay/kpk_sandbox_%00/tea', '/install/kpk_sandbox_%00', '/pay/kpk_sandbox_%00'])(
    '%s is a page that says so',
    async (path) => {
      expect((await fetch(`${running.url}${path}`)).status).toBe(404)
    },
  )
})

test('a request with two Host headers is rejected, because a proxy may have read the other one', async () => {
  for (const second of ['x', 'evil.example', '']) {
    const answer = await sendRaw(
      running.url,
      `GET /api/health HTTP/1.1\r\nHost: x\r\nhOST: ${second}\r\n\r\n`,
    )
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, 'malformed_request'])
  }
})

const many = (count: number, line: string) =>
  Array.from({ length: count }, (_, index) => line.replace('#', String(index))).join('')
const HOST = 'Host: x\r\n'
const ODD_BYTES: Record<string, [bytes: string, statuses: number[]]> = {
  'no HTTP at all': ['hello\r\n\r\n', [400]],
  'a TLS greeting': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  'HTTP/2’s preface': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  'an unknown version': [`GET / HTTP/9.9\r\n${HOST}\r\n`, [400]],
  'an unknown method': [`BREW / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  CONNECT: [`CONNECT evil.test:443 HTTP/1.1\r\n${HOST}\r\n`, [405]],
  TRACE: [`TRACE /v1/payments HTTP/1.1\r\n${HOST}\r\n`, [405]],
  'TRACE of nothing': [`TRACE / HTTP/1.1\r\n${HOST}\r\n`, [404, 405]],
  'OPTIONS *': [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'no Host': ['GET /api/health HTTP/1.1\r\n\r\n', [400]],
  'two Hosts': [`GET /v1/x HTTP/1.1\r\n${HOST}${HOST}\r\n`, [400, 404]],
  'an address in full': [`GET http://evil.test/v1/payments HTTP/1.1\r\n${HOST}\r\n`, [401]],
  'an address without a slash': [`GET v1 HTTP/1.1\r\n${HOST}\r\n`, [400]],
  'an address of two slashes': [`GET //evil.test/v1 HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a NUL in the address': [`GET /v1/\0 HTTP/1.1\r\n${HOST}\r\n`, [400]],
  'a broken escape': [`GET /v1/payments/%zz%E0%A4%A HTTP/1.1\r\n${HOST}\r\n`, [404]],
  'a long address': [`GET /v1/${'x'.repeat(6_000)} HTTP/1.1\r\n${HOST}\r\n`, [414]],
  'an address longer than all headers may be': [
    `GET /v1/${'x'.repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`,
    [414],
  ],
  'a long header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`, [431]],
  '200 headers': [`GET /v1/x HTTP/1.1\r\n${HOST}${many(200, 'X-#: 1\r\n')}\r\n`, [431]],
  'a header without a name': [`GET /v1/x HTTP/1.1\r\n${HOST}: x\r\n\r\n`, [400]],
  'a blank in a header’s name': [`GET /v1/x HTTP/1.1\r\n${HOST}X Y: x\r\n\r\n`, [400]],
  'a folded header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, [400, 404]],
  'a bare line feed': [`GET /v1/x HTTP/1.1\nHost: x\n\n`, [400, 404]],
  'a NUL in a header': [`GET /v1/x HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, [400]],
  'a length and chunks': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  'two lengths': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`, [400]],
  'a negative length': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, [400]],
  'a length beyond counting': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999999\r\n\r\n`,
    [400],
  ],
  'an unknown coding': [`POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: cow\r\n\r\n`, [400, 404]],
  'chunks of no size': [`POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [400, 404]],
  'a chunk with much to say': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(40_000)}\r\n`,
    [404, 413],
  ],
  'an unknown expectation': [
    `POST /v1/x HTTP/1.1\r\n${HOST}Expect: wonders\r\nContent-Length: 0\r\n\r\n`,
    [417],
  ],
  'the expectation to go on': [
    `POST /v1/payments HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
    [405],
  ],
  'an upgrade': [`GET /v1/x HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, [404]],
  'a far too large body': [`POST /v1/x HTTP/1.1\r\n${HOST}Content-Length: 99999999999\r\n\r\nabc`, [404]],
}

describe('bytes that no client would send get a JSON response', () => {
  for (const [what, [bytes, statuses]] of Object.entries(ODD_BYTES))
    test(what, async () => {
      const answer = await sendRaw(running.url, Buffer.from(bytes, 'latin1'))
      expectSound(what, answer)
      expect(statuses, answer.body).toContain(answer.status)
    })

  test('bodies that do not fit their headers', async () => {
    const send = (headers: string, body: Buffer) => {
      const head = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Length: ${body.length}\r\n${headers}\r\n\r\n`
      return sendRaw(running.url, Buffer.concat([Buffer.from(head), body]))
    }
    const json = 'Content-Type: application/json'
    const sessionWith = (order: string) =>
      Buffer.from(JSON.stringify(sessionRequest()).replace('"order-1"', order))
    const cases: [string, Buffer, string][] = [
      [`${json}\r\nContent-Encoding: gzip`, Buffer.from('1f8b08', 'hex'), 'unsupported_media_type'],
      [json, Buffer.from('7b22ff22', 'hex'), 'invalid_json'],
      [json, Buffer.from('"\ud83d', 'utf16le'), 'invalid_json'],
      [json, sessionWith('"\\u0000"'), 'validation_failed'],
      [json, sessionWith('"\\ud800"'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"\\u0000":1}'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"n":1e400}'), 'validation_failed'],
      [json, sessionWith('"a","metadata":{"n":9007199254740993}'), 'validation_failed'],
      [json, Buffer.from('{"constructor":{}}'), 'validation_failed'],
      [json, Buffer.alloc(65_537, ' '), 'payload_too_large'],
    ]
    for (const [headers, body, code] of cases) {
      const answer = await send(headers, body)
      expectSound(body.toString(), answer)
      expect([body.toString().slice(0, 40), JSON.parse(answer.body).error.code]).toEqual([
        body.toString().slice(0, 40),
        code,
      ])
    }
  })

  test('a connection is closed after 1,000 requests, and pipelined requests on it get no 5xx', async () => {
    const socket = await connectTo(running.url)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    const closed = once(socket, 'close')
    socket.write(`GET /api/health HTTP/1.1\r\n${HOST}\r\n`.repeat(1_200))
    await closed
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect([statuses.length, new Set(statuses)]).toEqual([1_000, new Set(['200'])])
  })

  test('a connection is used again after a chunked body that was too large', async () => {
    const socket = await connectTo(running.url)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`
    const head = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    socket.write(`${head}${chunk.repeat(250)}0\r\n\r\n`)
    socket.write(`GET /api/health HTTP/1.1\r\n${HOST}\r\n`)
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    await expect.poll(statuses).toHaveLength(2)
    socket.destroy()
    expect(statuses()).toEqual(['413', '200'])
  })

  test('a connection that is closed in the middle of a body does not affect other requests', async () => {
    const half = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"a":`
    await Promise.allSettled(Array.from({ length: 50 }, () => sendRaw(running.url, half, 50)))
    expect((await sendRaw(running.url, `GET /api/health HTTP/1.1\r\n${HOST}\r\n`)).status).toBe(200)
    expect(running.child.exitCode).toBeNull()
  })
})

describe('the metadata of a payment', () => {
  const nest = (depth: number): object => (depth === 1 ? { a: 1 } : { a: nest(depth - 1) })
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
  const bytes = (count: number) => ({ a: 'x'.repeat(count - '{"a":""}'.length) })
  const cases: [string, object, number][] = [
    ['50 keys', keys(50), 201],
    ['51 keys', keys(51), 422],
    ['51 keys, some of them deeper', { ...keys(25), more: keys(25) }, 422],
    ['4 levels', nest(4), 201],
    ['5 levels', nest(5), 422],
    ['8 KB', bytes(8_192), 201],
    ['a byte more', bytes(8_193), 422],
    ['8 KB of Armenian', { a: 'ա'.repeat(4_092) }, 201],
    ['a letter more', { a: 'ա'.repeat(4_093) }, 422],
  ]
  for (const [what, metadata, status] of cases)
    test(`${what}: ${status}`, async () => {
      const body = JSON.stringify(sessionRequest({ metadata, merchantOrderId: what }))
      const head = `POST /v1/payment-sessions HTTP/1.1\r\n${HOST}Authorization: Bearer ${shop.token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      const answer = await sendRaw(running.url, head + body)
      expect(answer.status).toBe(status)
      if (status === 422) expect(JSON.parse(answer.body).errors).toHaveProperty('metadata')
    })
})
