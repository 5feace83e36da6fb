/** Requests of drivers: a call ends in time whatever the provider does, and failures of one account do not affect another. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOutbound } from '../outbound/outbound.ts'
import { RetryLaterError } from './driver/refusal.ts'
import { GATE_LIMITS, type GateLimits } from './http/gate.ts'
import { isPrivate, REDACTED, redactBody, redactUrl } from './http/redact.ts'
import { GATE_LANES } from './http/slots.ts'
import {
  createProviderNetwork,
  type Exchange,
  type GateLane,
  noteUnwritten,
  type ProviderRequest,
  wasNothingSent,
} from './http.ts'

const CLASS = { free: 0, queue: 3 }
const LIMITS = {
  concurrency: 2,
  classes: { money: CLASS, creation: CLASS, buyer: CLASS, schedule: CLASS, stranger: CLASS },
  failures: 3,
  fewFailures: 3,
  failingMs: 1_000,
  openMs: 100,
  openMaxMs: 400,
}

let answers: Record<string, () => { status: number; body: string } | null>
let requested: string[] = []
let underWay = 0
let mostAtOnce = 0
const server = createServer(async (request, response) => {
  requested.push(`${request.method} ${request.url}`)
  mostAtOnce = Math.max(mostAtOnce, ++underWay)
  response.once('close', () => underWay--)
  const answer = (answers[request.url ?? ''] ?? (() => ({ status: 200, body: '{}' })))()
  // Real time: the provider answers a little later, so that requests are under way at once.
  if (answer) setTimeout(() => response.writeHead(answer.status).end(answer.body), 20)
})
let origin = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  answers = { '/silent': () => null }
  requested = []
  mostAtOnce = 0
})

function openNetwork(limits: GateLimits = LIMITS) {
  let nowMs = 0
  const exchanges: Exchange[] = []
  const breaker: string[] = []
  const network = createProviderNetwork({
    outbound: createOutbound(['loopback']),
    record: (exchange) => exchanges.push(exchange),
    onBreaker: (id, state) => breaker.push(`${id} ${state}`),
    limits,
    nowMs: () => nowMs,
  })
  const request = (
    given: Partial<ProviderRequest> & { path: string },
    { id = 'acc_1', limitMs = 2_000, lane = 'buyer' as GateLane } = {},
  ) =>
    network
      .open({ id, addresses: [origin], secrets: ['s3cr3t-value'] }, AbortSignal.timeout(limitMs), 'pay_1', {
        lane,
      })
      .request({ method: 'GET', url: origin + given.path, ...given })
  return { network, exchanges, breaker, request, wait: (ms: number) => (nowMs += ms) }
}

describe('a request', () => {
  test('returns the whole response for every method and status', async () => {
    const { request } = openNetwork()
    answers['/x'] = () => ({ status: 422, body: 'no' })
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await request({ path: '/x', method })).toMatchObject({ status: 422, text: 'no' })
    expect(requested).toHaveLength(5)
  })

  test('without a response fails when the time of the call is over, and its connection is closed', async () => {
    const { request } = openNetwork()
    await expect(request({ path: '/silent' }, { limitMs: 150 })).rejects.toThrow(/no answer/)
    await expect.poll(() => underWay).toBe(0)
  })

  test('fails if the response is too long', async () => {
    const { request } = openNetwork()
    answers['/long'] = () => ({ status: 200, body: 'x'.repeat(5_000) })
    await expect(request({ path: '/long', bytesMax: 1_000 })).rejects.toThrow(/longer than 1000 bytes/)
  })

  test('may go only to the addresses of the account', async () => {
    const { request } = openNetwork()
    for (const url of ['https://elsewhere.example/', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'x'])
      await expect(request({ path: '', url })).rejects.toThrow(/not configured/)
    expect(requested).toEqual([])
  })

  test('in the live world cannot reach this machine', async () => {
    const network = createProviderNetwork({
      outbound: createOutbound([], { anyPort: true }),
      record: () => {},
      onBreaker: () => {},
    })
    const account = { id: 'acc_1', addresses: [origin, 'https://127.0.0.1:8443'], secrets: [] }
    for (const url of account.addresses)
      await expect(
        network.open(account, AbortSignal.timeout(500), null).request({ method: 'GET', url }),
      ).rejects.toThrow()
    expect(requested).toEqual([])
  })
})

describe('wasNothingSent', () => {
  const failing = async (request: Promise<unknown>) =>
    wasNothingSent(await request.catch((error: unknown) => error))

  test('is false once a write was sent, and true if only reads were sent', async () => {
    const { request } = openNetwork()
    expect(await failing(request({ path: '/silent', method: 'POST' }, { limitMs: 100 }))).toBe(false)
    expect(await failing(request({ path: '/silent', method: 'POST', isRead: true }, { limitMs: 100 }))).toBe(
      true,
    )
    expect(await failing(request({ path: '/silent' }, { limitMs: 100 }))).toBe(true)
    expect(await failing(request({ path: '', method: 'POST', url: 'https://elsewhere.example/' }))).toBe(true)
  })

  test('stays false if a read fails after a write of the same call', async () => {
    const { network } = openNetwork()
    const http = network.open(
      { id: 'acc_1', addresses: [origin], secrets: [] },
      AbortSignal.timeout(200),
      null,
    )
    await http.request({ method: 'POST', url: `${origin}/write` })
    expect(await failing(http.request({ method: 'GET', url: `${origin}/silent` }))).toBe(false)
  })
})

describe('a later request', () => {
  const isWriteAfter = async (status: number, { isNoted = false, isRead = false } = {}) => {
    answers = { '/write': () => ({ status, body: '{}' }) }
    const { network } = openNetwork()
    const account = { id: 'acc_1', addresses: [origin], secrets: [] }
    const http = network.open(account, AbortSignal.timeout(2_000), null)
    await http.request({ method: 'POST', url: `${origin}/write`, isRead })
    if (isNoted) http.noteRefused()
    expect(http.isPastWrite()).toBe(false)
    await http.request({ method: 'GET', url: `${origin}/` })
    const error = new RetryLaterError('429')
    noteUnwritten(error, http)
    return wasNothingSent(error)
  }

  test('says nothing about a write before it, unless that was refused or only read', async () => {
    for (const status of [200, 302, 408, 409, 500])
      expect([status, await isWriteAfter(status)]).toEqual([status, false])
    for (const status of [400, 401, 422, 429])
      expect([status, await isWriteAfter(status)]).toEqual([status, true])
    expect(await isWriteAfter(200, { isNoted: true })).toBe(true)
    expect(await isWriteAfter(200, { isRead: true })).toBe(true)
  })
})

describe('for each account', () => {
  test('the number of concurrent requests is limited, and another account does not wait for them', async () => {
    const { request } = openNetwork()
    const all = [1, 2, 3, 4, 5].map((id) => request({ path: `/${id}` }))
    await expect(request({ path: '/6' })).rejects.toThrow(/too many requests/)
    const other = request({ path: '/other' }, { id: 'acc_2' })
    await Promise.all([...all, other])
    expect(mostAtOnce).toBe(3)
    expect(requested.indexOf('GET /other')).toBeLessThan(3)
  })

  for (const flood of GATE_LANES)
    test(`200 requests of the class ${flood} hang, and all other classes go out at once`, {
      tags: flood === 'stranger' ? [] : ['long'],
    }, async () => {
      const { request } = openNetwork(GATE_LIMITS)
      // Requests of an earlier flood may still arrive, so each has an address of its own.
      const path = `/silent-${flood}`
      answers[path] = () => null
      const hanging = Promise.allSettled(
        Array.from({ length: 200 }, () => request({ path }, { lane: flood })),
      )
      const others = GATE_LANES.filter((lane) => lane !== flood)
      await Promise.all(others.map((lane) => request({ path: `/${lane}` }, { lane, limitMs: 1_500 })))
      // Those that hang still use every slot that they may use.
      const kept = others.reduce((sum, lane) => sum + GATE_LIMITS.classes[lane].free, 0)
      const arrived = () => requested.filter((each) => each === `GET ${path}`).length
      await expect.poll(arrived, { interval: 10 }).toBe(GATE_LIMITS.concurrency - kept)
      await hanging
    })

  test('optional requests do not open the breaker, and say nothing about one that is open', async () => {
    const { request, breaker, wait } = openNetwork()
    answers['/optional'] = () => ({ status: 503, body: '' })
    answers['/down'] = () => ({ status: 503, body: '' })
    for (let failures = 0; failures < 5; failures++) await request({ path: '/optional', isOptional: true })
    expect(breaker).toEqual([])
    for (let failures = 0; failures < 3; failures++) await request({ path: '/down' })
    expect(breaker).toEqual(['acc_1 open'])
    wait(100)
    await request({ path: '/optional', isOptional: true })
    expect(await request({ path: '/x' })).toMatchObject({ status: 200 })
    expect(breaker).toEqual(['acc_1 open', 'acc_1 closed'])
  })

  test('new credentials close an open breaker, because the requests begin again', async () => {
    const { network, request, breaker } = openNetwork()
    answers['/down'] = () => ({ status: 503, body: '' })
    for (let count = 0; count < LIMITS.failures; count++) await request({ path: '/down' })
    expect(breaker).toEqual(['acc_1 open'])
    network.cacheOf({ id: 'acc_1', version: 1 })
    expect(breaker).toEqual(['acc_1 open', 'acc_1 closed'])
  })

  test('the breaker opens after failures in a row, allows one trial request, and closes if that gets a response', async () => {
    const { request, breaker, wait } = openNetwork()
    answers['/x'] = () => ({ status: 503, body: '' })
    for (let count = 0; count < LIMITS.failures; count++) await request({ path: '/x' })
    await expect(request({ path: '/x' })).rejects.toThrow(/did not answer 3 requests/)
    await request({ path: '/x' }, { id: 'acc_2' })
    expect(requested).toHaveLength(4)
    wait(LIMITS.openMs)
    // The breaker allows one trial request and rejects the others. The trial fails, so the pause doubles.
    const trial = request({ path: '/x' })
    await expect(request({ path: '/x' })).rejects.toThrow(/did not answer/)
    await trial
    wait(LIMITS.openMs)
    await expect(request({ path: '/x' })).rejects.toThrow(/did not answer/)
    wait(LIMITS.openMs)
    answers['/x'] = () => ({ status: 500, body: '' })
    await request({ path: '/x' })
    await request({ path: '/x' })
    expect(breaker).toEqual(['acc_1 open', 'acc_1 kept_open', 'acc_1 closed'])
  })
})

describe('the exchange log', () => {
  test('stores requests and responses without secrets and personal data', async () => {
    const { request, exchanges } = openNetwork()
    answers['/pay?token=abc&lang=en'] = () => ({
      status: 200,
      body: JSON.stringify({
        pan: '4242424242424242',
        order: { email: 'a@b.example', amount: 5 },
        text: 's3cr3t-value',
      }),
    })
    const body = 'userName=shop&password=pw12345&amount=1900&note=4242+4242+4242+4242'
    await request({ path: '/pay?token=abc&lang=en', method: 'POST', body })
    expect(exchanges).toMatchObject([
      {
        accountId: 'acc_1',
        about: 'pay_1',
        method: 'POST',
        url: `${origin}/pay?token=${REDACTED}&lang=en`,
        status: 200,
        requestBody: expect.stringContaining(`userName=${REDACTED}&password=${REDACTED}&amount=1900`),
        responseBody: JSON.stringify({
          pan: REDACTED,
          order: { email: REDACTED, amount: 5 },
          text: REDACTED,
        }),
      },
    ])
  })

  test.each([
    ['{"cardholderName":"A B","CVV2":"123"}', `{"cardholderName":"${REDACTED}","CVV2":"${REDACTED}"}`],
    ['{"broken":"4242424242424242', `${REDACTED}: 27 characters that are not valid JSON`],
    ['paid with 4242 4242 4242 4242', 'paid with [card number]'],
  ])('%s is kept as %s', (body, kept) => {
    expect(redactBody(body, [])).toBe(kept)
  })

  test('recognizes private names', () => {
    for (const name of [
      'Password',
      'card_holder_name',
      'X-API-Key',
      'EDP_CHECKSUM',
      'payerIp',
      'clientSecret',
    ])
      expect([name, isPrivate(name)]).toEqual([name, true])
    for (const name of ['authorizedMinor', 'panel', 'keyboard', 'description', 'merchant_name', 'status'])
      expect([name, isPrivate(name)]).toEqual([name, false])
  })

  test('removes a secret that an answer quotes encoded, inside an address', () => {
    const secret = 'planted+&tea %2'
    for (const quoted of [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ a: secret }).toString().slice(2),
    ]) {
      const body = JSON.stringify({ redirect: `finish.html?x=${quoted}` })
      expect(redactBody(body, [secret])).toBe(JSON.stringify({ redirect: `finish.html?x=${REDACTED}` }))
    }
  })

  test('removes a password from an address', () => {
    expect(redactUrl('https://bank.example/x?userName=a&password=b', [])).toBe(
      `https://bank.example/x?userName=${REDACTED}&password=${REDACTED}`,
    )
  })
})
