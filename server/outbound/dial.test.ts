/** A host with several addresses is reached as long as one of them works, and no request is sent twice. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connect, connectToAddress } from './dial.ts'
import { createOutbound } from './outbound.ts'
import { type ClientTls, wasSent } from './wire.ts'

const SILENT = '127.0.0.41'
const REFUSING = '127.0.0.42'
const WORKING = '127.0.0.43'
const RESETTING = '127.0.0.44'
const ONLY_TCP = '127.0.0.45'
const WRONG_NAME = '127.0.0.46'
/** Packets to this address are dropped by no one, but this machine has no way to it. */
const NO_WAY = '2001:db8::1'

const folder = mkdtempSync(join(tmpdir(), 'kassa-dial-'))
const closers: (() => unknown)[] = []
const requests: Record<string, string[]> = { [WORKING]: [], [RESETTING]: [], [WRONG_NAME]: [] }
let port = 0
let securePort = 0

/** A worker that listens and then never accepts anything. Once its short queue is full, the kernel drops every further packet. */
async function listenSilently(host: string, at: number): Promise<void> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
      parentPort.postMessage('listening')
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(code, { eval: true, workerData: { host, port: at } })
  closers.push(() => worker.terminate())
  await once(worker, 'message')
  const queued = [0, 1].map(() => net.connect(at, host).on('error', () => {}))
  closers.push(() => queued.map((socket) => socket.destroy()))
  await Promise.all(queued.map((socket) => once(socket, 'connect')))
}

function certify(name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

async function listen(server: net.Server, host: string, at = 0): Promise<number> {
  server.listen(at, host)
  await once(server, 'listening')
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const noting = (host: string): http.RequestListener =>
  async function note(request, response) {
    requests[host]?.push(Buffer.concat(await request.toArray()).toString())
    if (host === RESETTING) request.socket.resetAndDestroy()
    else response.end('taken')
  }

const shop = certify('shop.example')
const other = certify('other.example')

beforeAll(async () => {
  port = await listen(http.createServer(noting(WORKING)), WORKING)
  securePort = await listen(https.createServer(shop, noting(WORKING)), WORKING)
  await listen(http.createServer(noting(RESETTING)), RESETTING, port)
  await listen(https.createServer(other, noting(WRONG_NAME)), WRONG_NAME, securePort)
  await listen(
    net.createServer((socket) => socket.on('error', () => {})),
    ONLY_TCP,
    securePort,
  )
  await listenSilently(SILENT, port)
  await listenSilently(SILENT, securePort)
})
afterAll(async () => {
  await Promise.all(closers.map((close) => close()))
  rmSync(folder, { recursive: true })
})

/** A way out whose name server knows these addresses. `connected` has each address that a connection was started to. */
function openTo(addresses: string[], { connect = connectToAddress }: { connect?: Connect } = {}) {
  const connected: string[] = []
  const sockets: Socket[] = []
  const resolved = addresses.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 }))
  const outbound = createOutbound(['loopback', 'shop.example', `shop.example:${port}`], {
    anyPort: true,
    attemptDelayMs: 5,
    resolveName: async () => resolved.map((each) => ({ ...each })),
    connect(address, target) {
      connected.push(address.address)
      const socket = connect(address, target)
      sockets.push(socket)
      return socket
    },
  })
  const event = { headers: {}, body: 'event', timeoutMs: 10_000 }
  return {
    connected,
    sockets,
    resolved,
    post: () => outbound.post(`http://shop.example:${port}/`, event),
    ask: (
      signal = AbortSignal.timeout(10_000),
      scheme: 'http' | 'https' = 'https',
      tls: ClientTls = { authority: shop.cert },
    ) =>
      outbound.request({
        method: 'POST',
        url: `${scheme}://shop.example:${scheme === 'https' ? securePort : port}/`,
        headers: {},
        body: 'order',
        tls,
        bytesMax: 1_000,
        signal,
      }),
  }
}

function countRequests(): number {
  return Object.values(requests).flat().length
}

describe('an address that swallows packets', () => {
  test.each([
    [[SILENT, WORKING]],
    [[REFUSING, SILENT, '127.0.0.42', SILENT, NO_WAY, WORKING]],
    [[NO_WAY, WORKING]],
  ])('does not keep an event from the address that works: %j', async (addresses) => {
    const before = countRequests()
    expect(await openTo(addresses).post()).toMatchObject({ kind: 'answered', statusCode: 200 })
    expect(countRequests()).toBe(before + 1)
  })

  test.each([
    [[SILENT, WORKING]],
    [[ONLY_TCP, WORKING]],
    [[WRONG_NAME, WORKING]],
    [[REFUSING, ONLY_TCP, WRONG_NAME, SILENT, WORKING]],
  ])(
    'does not keep a call from the provider, which gets it once over verified TLS: %j',
    async (addresses) => {
      const before = countRequests()
      expect((await openTo(addresses).ask()).statusCode).toBe(200)
      expect(countRequests()).toBe(before + 1)
      expect(requests[WRONG_NAME]).toEqual([])
    },
  )

  test('is tried last by the next requests', async () => {
    const way = openTo([SILENT, WORKING])
    await way.ask()
    expect(way.connected).toEqual([SILENT, WORKING])
    await way.ask()
    // On a busy machine the next address is tried before this one has answered.
    expect(way.connected.slice(0, 3)).toEqual([SILENT, WORKING, WORKING])
  })

  test('is left behind without an open connection', async () => {
    const way = openTo([SILENT, WORKING])
    await way.ask()
    expect(way.sockets[0]?.destroyed).toBe(true)
  })
})

test('an address that is slower than the delay is still used if no other one works', async () => {
  const gate = Promise.withResolvers<void>()
  const way = openTo([WORKING, REFUSING], {
    connect(address, target) {
      if (address.address === REFUSING) {
        const socket = connectToAddress(address, target)
        return socket.once('error', () => gate.resolve())
      }
      const socket = new net.Socket()
      void gate.promise.then(() => socket.connect({ host: address.address, port: target.port }))
      return socket
    },
  })
  expect((await way.ask(AbortSignal.timeout(10_000), 'http')).statusCode).toBe(200)
  expect(way.connected).toEqual([WORKING, REFUSING])
})

test('a request that was read and then reset is not sent to the next address', async () => {
  const before = countRequests()
  const way = openTo([RESETTING, WORKING])
  const failure = await way.ask(undefined, 'http').catch((error: unknown) => error)
  expect([failure instanceof Error, wasSent(failure)]).toEqual([true, true])
  expect(way.connected).toEqual([RESETTING])
  expect(countRequests()).toBe(before + 1)
})

test('if every address refuses the connection, the error says so and that nothing was sent', async () => {
  const failure = await openTo([NO_WAY, REFUSING])
    .ask()
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'ECONNREFUSED',
    message: expect.stringMatching(/^connect ECONNREFUSED/),
  })
  expect(wasSent(failure)).toBe(false)
})

test('if the time is over while no address has answered, nothing was sent and no connection stays open', async () => {
  const limit = new AbortController()
  const way = openTo([SILENT, '127.0.0.41'], {
    connect(address, target) {
      const socket = connectToAddress(address, target)
      if (way.connected.length === 2) queueMicrotask(() => limit.abort())
      return socket
    },
  })
  const failure = await way.ask(limit.signal).catch((error: unknown) => error)
  expect(wasSent(failure)).toBe(false)
  expect(way.sockets.map(({ destroyed }) => destroyed)).toEqual([true, true])
})

test('an idle connection to an address that the name does not have any more is not reused', async () => {
  const way = openTo([WORKING])
  await way.post()
  await way.post()
  expect(way.connected).toEqual([WORKING])
  way.resolved.splice(0, 1, { address: REFUSING, family: 4 })
  expect(await way.post()).toMatchObject({ kind: 'failed', message: expect.stringContaining('ECONNREFUSED') })
})

test('with a client certificate that cannot be read, nothing is sent to any address', async () => {
  const before = countRequests()
  const tls = { authority: shop.cert, certificate: 'no certificate', key: 'no key' }
  const failure = await openTo([WORKING, WORKING])
    .ask(undefined, 'https', tls)
    .catch((error: unknown) => error)
  expect([failure instanceof Error, wasSent(failure)]).toEqual([true, false])
  expect(countRequests()).toBe(before)
})
