import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound } from './outbound.ts'

let connections = 0
const canary = createServer((request, response) => {
  if (request.url === '/drip') return void response.writeHead(200).write('x')
  if (request.url === '/large') return void response.end('x'.repeat(5_000_000))
  if (request.url === '/elsewhere') return void response.writeHead(302, { location: '/' }).end()
  if (request.url === '/busy') return void response.setHeader('retry-after', ['7', '9']).writeHead(503).end()
  if (request.url === '/once') response.setHeader('connection', 'close')
  if (request.url !== '/silent') response.end('taken')
}).on('connection', () => connections++)
let port = 0
beforeAll(async () => {
  canary.listen(0, '127.0.0.1')
  await once(canary, 'listening')
  port = (canary.address() as AddressInfo).port
})
afterAll(() => {
  canary.closeAllConnections()
  canary.close()
})

const request = { headers: {}, body: '{}', timeoutMs: 2_000 }

/** Spellings of internal addresses, names that exist only in a local network, and other addresses that must not be called. */
const HOSTILE_HOSTS = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0x7f.1',
  '0x7f000001',
  '0x7F.0x0.0x0.0x1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::7f00:1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '10.0.0.1',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '3232235777',
  '0xc0a80101',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '[::ffff:a9fe:a9fe]',
  '168.63.129.16',
  '100.100.100.200',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  'ip6-localhost',
  'metadata',
  'metadata.google.internal',
  'printer.local',
  'router.lan',
  'db.internal',
  'nas.home',
  'wiki.corp',
  '1.0.0.127.in-addr.arpa',
  'x.onion',
]
const HOSTILE_URLS = [
  'ftp://example.com',
  'file:///etc/passwd',
  'gopher://example.com',
  'javascript:1',
  'data:text/plain,x',
  '',
  'example.com',
  '//example.com',
  'https://',
  'https://user:x@example.com',
  'https://x@example.com',
  'http://example.com',
  'https://example.com:22',
  'https://example.com:8443',
  'https://example.com:80',
  'https://1.1.1.1',
  'https://[2606:4700::1111]',
  'https://[fe80::1%25eth0]',
  'https://a b.com',
]

describe('without exceptions', () => {
  test(`none of ${HOSTILE_HOSTS.length} hosts is accepted as a callback URL or connected to, in any spelling`, async () => {
    const outbound = createOutbound([], { httpsPort: port })
    for (const host of HOSTILE_HOSTS)
      for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`, `https://${host}/`]) {
        expect(() => outbound.checkUrl(url), url).toThrow()
        expect([url, (await outbound.post(url, request)).kind]).toEqual([url, 'failed'])
      }
    for (const url of HOSTILE_URLS) expect(() => outbound.checkUrl(url), url).toThrow()
    expect(outbound.checkUrl('https://shop.example/kassa').host).toBe('shop.example')
    expect(connections).toBe(0)
  })

  test('a public name that resolves to an internal address is not connected to, at any position in the list', async () => {
    const inside = [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '100.64.1.1',
      '0.0.0.0',
      '192.168.0.1',
      '172.20.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::1',
      'fe80::1',
      'fd00::1',
    ]
    for (const address of inside)
      for (const answers of [[address], ['93.184.215.14', address], [address, '93.184.215.14']]) {
        const resolveName = async () =>
          answers.map((each) => ({ address: each, family: each.includes(':') ? 6 : 4 }))
        const answer = await createOutbound([], { resolveName, httpsPort: port }).post(
          'https://shop.example/',
          request,
        )
        expect(answer).toMatchObject({
          kind: 'failed',
          message: expect.stringContaining('not a public address'),
        })
      }
    expect(connections).toBe(0)
  })

  test('a name that resolves to a public address first and to loopback later is not connected to', async () => {
    let questions = 0
    const hasGivenUp = Promise.withResolvers<void>()
    const resolveName = async () => {
      // The public address comes too late to be used, because no test may call the internet.
      if (++questions === 1) await hasGivenUp.promise
      return [{ address: questions === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }]
    }
    const outbound = createOutbound([], { resolveName, httpsPort: port })
    const post = () => outbound.post('https://rebinding.example/', { ...request, timeoutMs: 50 })
    expect(outbound.checkUrl('https://rebinding.example/').host).toBe('rebinding.example')
    expect((await post()).kind).toBe('failed')
    hasGivenUp.resolve()
    for (const _ of [1, 2])
      expect(await post()).toMatchObject({
        kind: 'failed',
        message: 'rebinding.example resolves to 127.0.0.1, which is not a public address',
      })
    expect([questions, connections]).toEqual([3, 0])
  })

  test('a name server that never responds delays the request only up to the time limit', async () => {
    const outbound = createOutbound([], { resolveName: () => new Promise(() => {}) })
    // Without the limit this would never end.
    const answer = await outbound.post('https://shop.example/', { ...request, timeoutMs: 200 })
    expect(answer).toEqual({ kind: 'failed', message: 'no answer within 200 ms' })
  })
})

describe('with loopback allowed', () => {
  const outbound = createOutbound(['loopback'])
  const post = (path: string, timeoutMs = 2_000) =>
    outbound.post(`http://127.0.0.1:${port}${path}`, { ...request, timeoutMs })

  test('a receiver on this machine is reached over plain http', async () => {
    expect(await post('/')).toMatchObject({ kind: 'answered', statusCode: 200, responseStart: 'taken' })
  })

  test('a redirect is returned and not followed', async () => {
    expect(await post('/elsewhere')).toMatchObject({ kind: 'answered', statusCode: 302 })
  })

  test('a receiver that never responds, or never ends its response, delays the request only up to the time limit', async () => {
    // Without the limit neither would ever end.
    for (const path of ['/silent', '/drip'])
      expect(await post(path, 300)).toEqual({ kind: 'failed', message: 'no answer within 300 ms' })
  })

  test('only the start of a large response is read', async () => {
    const answer = await post('/large')
    expect(answer.kind === 'answered' && answer.responseStart.length).toBe(4_096)
  })

  test('a connection is reused, but not after a failed or incomplete exchange', async () => {
    await post('/')
    const before = connections
    for (let count = 0; count < 5; count++) await post('/')
    expect(connections - before).toBeLessThanOrEqual(1)
    await post('/large')
    await post('/large')
    expect(connections - before).toBeGreaterThanOrEqual(1)
  })

  test('a request does not fail if the receiver has closed an idle connection', async () => {
    for (let count = 0; count < 5; count++) {
      await post('/')
      canary.closeIdleConnections()
      expect(await post('/')).toMatchObject({ kind: 'answered', statusCode: 200 })
    }
  })

  test('a receiver that closes each connection after its response gets every request', async () => {
    for (let count = 0; count < 5; count++)
      expect(await post('/once')).toMatchObject({ kind: 'answered', responseStart: 'taken' })
  })

  test('of several times after which to try again, the first one counts', async () => {
    expect(await post('/busy')).toMatchObject({ kind: 'answered', statusCode: 503, retryAfter: '7' })
  })

  test('private addresses are still rejected', async () => {
    expect((await outbound.post('https://10.0.0.1/', request)).kind).toBe('failed')
    expect(() => outbound.checkUrl('http://example.com/')).toThrow()
  })
})

test('if nothing listens at the first address of a name, the next one is tried', async (context) => {
  const addresses = await lookup('localhost', { all: true, order: 'ipv4first' })
  if (addresses.length < 2) context.skip('this machine knows one address of localhost')
  const second = createServer((_, response) => response.end('taken'))
  second.listen(0, addresses[1]?.address)
  await once(second, 'listening')
  const { port } = second.address() as AddressInfo
  try {
    const exchange = await createOutbound(['loopback']).post(`http://localhost:${port}/`, request)
    expect(exchange).toMatchObject({ kind: 'answered', statusCode: 200 })
  } finally {
    second.close()
  }
})
