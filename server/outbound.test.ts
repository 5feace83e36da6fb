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

describe('without exceptions', () => {
  test('no address that leads inside is connected to, in any spelling', async () => {
    const outbound = createOutbound([])
    const hosts = [
      ...[
        '127.0.0.1',
        'localhost',
        '127.1',
        '0x7f.1',
        '2130706433',
        '0177.0.0.1',
        '127.0.0.1.',
        '①②⑦.⓪.⓪.①',
        '0.0.0.0',
        '0',
      ],
      ...[
        '[::1]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[64:ff9b::7f00:1]',
        '[2002:7f00:1::]',
        '[::]',
        '[fe80::1]',
        '[fc00::1]',
      ],
      ...[
        '10.0.0.1',
        '172.16.0.1',
        '192.168.1.1',
        '169.254.169.254',
        '100.64.0.1',
        '224.0.0.1',
        '255.255.255.255',
        'ip6-localhost',
      ],
    ]
    for (const host of hosts)
      for (const scheme of ['http', 'https']) {
        const answer = await outbound.post(`${scheme}://${host}:${port}/`, request)
        expect([host, answer.kind]).toEqual([host, 'failed'])
      }
    for (const url of ['ftp://example.com', 'https://user:x@example.com', 'javascript:1', 'example.com', ''])
      expect(() => outbound.checkUrl(url)).toThrow()
    expect(connections).toBe(0)
  })
})

describe('with loopback allowed', () => {
  const outbound = createOutbound(['loopback'])
  const post = (path: string, timeoutMs = 2_000) =>
    outbound.post(`http://127.0.0.1:${port}${path}`, { ...request, timeoutMs })

  test('a receiver on this machine is reached over plain http', async () => {
    expect(await post('/')).toMatchObject({ kind: 'answered', statusCode: 200, answerStart: 'taken' })
  })

  test('a redirect is answered as it is, and not followed', async () => {
    expect(await post('/elsewhere')).toMatchObject({ kind: 'answered', statusCode: 302 })
  })

  test('a receiver that never answers, or never ends, costs the time limit and no more', async () => {
    for (const path of ['/silent', '/drip']) {
      const started = performance.now()
      expect((await post(path, 300)).kind).toBe('failed')
      expect(performance.now() - started).toBeLessThan(1_500)
    }
  })

  test('of a large answer only the start is read', async () => {
    const answer = await post('/large')
    expect(answer.kind === 'answered' && answer.answerStart.length).toBe(4_096)
  })

  test('private addresses are still refused', async () => {
    expect((await outbound.post('https://10.0.0.1/', request)).kind).toBe('failed')
    expect(() => outbound.checkUrl('http://example.com/')).toThrow()
  })
})
