/** Every response has the security headers, also if no endpoint or page handles it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../app.ts'
import { describeWidgetBuild } from '../channels/widget-build.ts'
import { type RawAnswer, sendRaw } from '../testing/attacks/raw-http.ts'
import { openShop, SHOP_ORIGIN, startKassa } from '../testing/harness.ts'
import { VERSION } from '../version.ts'
import { createHttpServer, guard } from './server.ts'

let url: string
let close: () => void
let token: string
const kassa = await startKassa()
beforeAll(async () => {
  token = (await openShop(kassa.ctx)).token
  // Unlike the harness, this uses the real HTTP server, so its own rejections are included.
  const newRequestId = () => 'req_raw'
  const server = createHttpServer(newRequestId)
  const code = Buffer.from('/* the widget */')
  const newest = describeWidgetBuild(VERSION, { identity: code, br: code, gzip: code })
  const app = createApp(kassa.worlds, {
    widget: { newest, texts: new Map(), list: () => [newest], find: async () => undefined },
  })
  server.on('request', guard(newRequestId, app)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterAll(async () => {
  close()
  await kassa.close()
})

const HOST = 'Host: pay.example\r\n'
const ask = (line: string, headers = '') => sendRaw(url, `${line} HTTP/1.1\r\n${HOST}${headers}\r\n`)

function expectHeaders({ status, headers, body }: RawAnswer, expected: number): void {
  expect(status).toBe(expected)
  // A picture has no charset.
  if (body) expect(headers['content-type']).toMatch(/; charset=utf-8$|^image\/(png|webp)$/i)
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  expect(headers['x-frame-options']).toBe('DENY')
  expect(headers['x-powered-by']).toBeUndefined()
}

const preflight = `Origin: ${SHOP_ORIGIN}\r\nAccess-Control-Request-Method: POST\r\n`
const PLACES: [name: string, status: number, line: string, headers?: string][] = [
  ['a POST to the widget file', 405, 'POST /widget/v1/kassa.js'],
  ['the widget file', 200, 'GET /widget/v1/kassa.js'],
  ['a missing widget version', 404, 'GET /widget/0.0.1/kassa.js'],
  ['the list of widget versions', 200, 'GET /widget/versions.json'],
  ['a callback address with a wrong method', 405, 'PUT /callbacks/acc_test_0'],
  ['a callback of an account that does not exist', 404, 'GET /callbacks/acc_test_0'],
  ['a path with %00', 404, 'GET /checkout/pay_%00'],
  ['a path with %00 in the API', 404, 'GET /v1/payments%00'],
  ['a broken path', 404, 'GET /checkout/%E0%A4%A'],
  ['the closed demo', 404, 'GET /demo/'],
  ['a file of the closed demo', 404, 'GET /demo/shop.js'],
  ['a missing page', 404, 'GET /nothing-here'],
  ['a redirect', 302, 'GET /'],
  ['a preflight', 204, 'OPTIONS /api/widget/checkout', preflight],
  ['the API without a token', 401, 'GET /v1/payments'],
  ['the API with a wrong method', 405, 'PUT /v1/payments'],
  ['health', 200, 'GET /api/health'],
  ['the description of the API', 200, 'GET /openapi.json'],
  ['the documentation', 200, 'GET /docs'],
  ['a style sheet', 200, 'GET /pages.css'],
  ['a drawing', 200, 'GET /kassa.svg'],
  ['a request without Host', 400, 'GET /'],
  ['a header that is none', 400, 'GET /', 'no colon\r\n'],
  ['a method that is none', 400, 'G@T /'],
  ['an address that is too long', 414, `GET /${'x'.repeat(5_000)}`],
  ['headers that are too long', 431, 'GET /', `X-Long: ${'x'.repeat(20_000)}\r\n`],
  ['too many headers', 431, 'GET /', 'X-Many: x\r\n'.repeat(101)],
  ['an Expect that is not supported', 417, 'GET /', 'Expect: miracles\r\n'],
  ['CONNECT', 405, 'CONNECT pay.example:443'],
]

describe.each(PLACES)('%s', (name, status, line, headers = '') => {
  test('has the security headers', async () => {
    const answer =
      name === 'a request without Host'
        ? await sendRaw(url, `${line} HTTP/1.1\r\n\r\n`)
        : await ask(line, headers)
    expectHeaders(answer, status)
  })
})

describe('a browser whose cookies are too many', () => {
  const browser = 'Accept: text/html,*/*;q=0.8\r\nAccept-Language: hy\r\n'
  const cookies = (chars: number) => `Cookie: a=${'x'.repeat(chars)}\r\n`
  test.each([
    ['a page', `GET /checkout/pay_1`, browser + cookies(20_000)],
    ['a page, with more than is parsed', `GET /checkout/pay_1/return?a=1`, browser + cookies(40_000)],
    ['a form', `POST /pay/kpk_1/tea`, browser + cookies(20_000)],
    ['a page, behind its cookies', `GET /`, cookies(20_000) + browser],
    [
      'a page, with a long Referer',
      `GET /`,
      `${browser}Referer: https://shop.example/${'x'.repeat(20_000)}\r\n`,
    ],
    ['a page, with too many headers', `GET /`, browser + 'X-Many: x\r\n'.repeat(101)],
  ])('gets %s in its language', async (_, line, headers) => {
    const answer = await ask(line, headers)
    expectHeaders(answer, 431)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toContain('<html lang="hy">')
    expect(answer.body).toContain('քուքի')
    expect(answer.body).toContain('req_raw')
  })

  test.each([
    ['an address of the API', 'GET /v1/payments', browser + cookies(20_000)],
    ['an address of the API, with more than is parsed', 'GET /v1/payments', browser + cookies(40_000)],
    ['a program', 'GET /checkout/pay_1', `Accept: application/json\r\n${cookies(20_000)}`],
    ['a program that says nothing', 'GET /checkout/pay_1', cookies(40_000)],
  ])('gets JSON at %s', async (_, line, headers) => {
    const answer = await ask(line, headers)
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([431, 'headers_too_large'])
  })

  test('gets a page for an address that is too long too', async () => {
    const answer = await ask(`GET /pay/${'x'.repeat(5_000)}`, browser)
    expectHeaders(answer, 414)
    expect(answer.body).toContain('<html lang="hy">')
  })

  test('is told of the address where its address alone is longer than what is parsed', async () => {
    expectHeaders(await ask(`GET /pay/${'x'.repeat(40_000)}`, browser), 414)
  })
})

describe('Cache-Control: no-store', () => {
  const NOT_STORED: [name: string, status: number, line: string, headers?: string][] = [
    ['a refused call', 401, 'GET /v1/payments'],
    ['an unknown address of the API', 404, 'GET /v1/nothing'],
    ['an address with its origin', 401, 'GET http://pay.example/v1/payments'],
    ['an address in capitals', 401, 'GET /V1/Payments'],
    ['a wrong method', 405, 'PUT /v1/payments'],
    ['health', 200, 'GET /api/health'],
    ['a refused click', 403, 'POST /api/widget/checkout'],
    ['a path with %00', 404, 'GET /v1/%00'],
    ['a malformed request', 400, 'GET /', 'no colon\r\n'],
    ['an address that is too long', 414, `GET /${'x'.repeat(5_000)}`],
    ['headers that are too long', 431, 'GET /', `X-Long: ${'x'.repeat(20_000)}\r\n`],
  ]
  test.each(NOT_STORED)('is on %s', async (_, status, line, headers) => {
    const answer = await ask(line, headers)
    expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store'])
  })

  test('is on a payment that a merchant looks up', async () => {
    const answer = await ask('GET /v1/payments?paymentId=pay_x', `Authorization: Bearer ${token}\r\n`)
    expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store'])
  })
})
