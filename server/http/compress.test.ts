/** Which responses are compressed, how, and for whom. And what people see at an address that does not exist. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

/** The bytes as they are sent: `fetch` would decode them. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { default: http } = await import('node:http')
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>(
    (resolve, reject) => {
      const request = http.request(kassa.url + path, { method, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        )
      })
      request.on('error', reject).end()
    },
  )
}

const bearer = () => ({ authorization: `Bearer ${shop.token}` })
const TEXTS: [name: string, path: () => string, headers?: () => Record<string, string>][] = [
  ['a hosted page', () => `/pay/${shop.publicKey}/tea`],
  ['the install page', () => `/install/${shop.publicKey}`],
  ['a style sheet', () => '/pages.css'],
  ['a script', () => '/install.js'],
  ['the documentation', () => '/docs/getting-started'],
  ['a search', () => '/docs/search?q=refund'],
  ['the OpenAPI document', () => '/openapi.json'],
  ['the button', () => '/widget/v1/kassa.js'],
  ['a response of the API', () => '/v1/capabilities', bearer],
]

describe.each(TEXTS)('%s', (_, path, headers = () => ({})) => {
  test('is compressed as the browser can read it, and caches are told so', async () => {
    const plain = await ask(path(), headers())
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([
      undefined,
      expect.stringContaining('Accept-Encoding'),
    ])
    const br = await ask(path(), { ...headers(), 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await ask(path(), { ...headers(), 'accept-encoding': 'gzip' })
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip'])
    expect(br.headers['content-type']).toBe(plain.headers['content-type'])
    // The token in the page and the time in a response differ each time.
    const length = plain.bytes.length
    expect(Math.abs(brotliDecompressSync(br.bytes).length - length)).toBeLessThan(20)
    expect(Math.abs(gunzipSync(gzip.bytes).length - length)).toBeLessThan(20)
    expect(br.bytes.length).toBeLessThan(length / 2)
  })
})

test('short texts and files that are already compressed are sent unchanged', async () => {
  const all = { 'accept-encoding': 'gzip, br' }
  for (const path of ['/api/health', '/demo.webp', '/v1/payments']) {
    const { headers } = await ask(path, all)
    expect([path, headers['content-encoding']]).toEqual([path, undefined])
  }
})

test('a file that the browser already has is not sent again', async () => {
  const first = await ask('/pages.css', { 'accept-encoding': 'br' })
  const again = await ask('/pages.css', {
    'accept-encoding': 'br',
    'if-none-match': String(first.headers.etag),
  })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
  expect((await ask('/pages.css', { 'if-none-match': String(first.headers.etag) })).status).toBe(200)
  expect((await ask('/pages.css', { 'accept-encoding': 'br' }, 'HEAD')).headers['content-length']).toBe(
    first.headers['content-length'],
  )
})

test('the token of a form is new in each response, so that the length of a compressed page cannot reveal it', async () => {
  const tokens = await Promise.all(
    [1, 2, 3].map(
      async () =>
        /name="token" value="([^"]+)"/.exec((await ask(`/pay/${shop.publicKey}/tea`)).bytes.toString())?.[1],
    ),
  )
  expect(new Set(tokens).size).toBe(3)
  expect(new Set(tokens.map((token) => token?.split('.').at(-1))).size).toBe(3)
})

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
describe('an address that does not exist', () => {
  test.each([
    ['hy', 'Այսպիսի էջ չկա'],
    ['ru', 'Такой страницы нет'],
    ['en', 'There is no page here'],
  ])(
    'is a page for people (%s), with the other languages and the headers of pages',
    async (locale, title) => {
      const { status, headers, bytes } = await ask('/chekout/x', { ...BROWSER, 'accept-language': locale })
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
      expect(bytes.toString()).toContain(title)
      expect(bytes.toString()).toContain('/chekout/x?locale=')
      expect(headers['content-security-policy']).toContain("style-src 'self'")
    },
  )

  test.each(['/demo/', '/a%00b', '/%zz', '/pictures/x.png', '/widget/none/kassa.js'])(
    '%s too',
    async (path) => {
      const { status, headers } = await ask(path, BROWSER)
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    },
  )

  test.each([
    ['/v1/none', BROWSER],
    ['/api/none', BROWSER],
    ['/V1', BROWSER],
    ['/none', { accept: '*/*' }],
    ['/none', { accept: 'application/json' }],
    ['/none', {}],
  ])('is a JSON error for programs, and below the API for everybody: %s %o', async (path, headers) => {
    const answer = await ask(path, headers as Record<string, string>)
    expect([answer.status, JSON.parse(answer.bytes.toString()).error.code]).toEqual([404, 'not_found'])
  })

  test('is a JSON error for methods other than GET and HEAD', async () => {
    expect((await ask('/none', BROWSER, 'POST')).headers['content-type']).toBe(
      'application/json; charset=utf-8',
    )
  })

  test('never shows a hostile address as markup', async () => {
    const hostile = '/"><script>alert(1)</script>'
    const { body } = await sendRaw(
      kassa.url,
      `GET ${hostile} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n`,
    )
    expect(String(body)).not.toContain('<script')
  })
})
