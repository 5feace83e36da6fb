import { once } from 'node:events'
/** Clients that send one byte a second, or nothing. `npm test` opens few of them to a bare server, `npm run test:long` many to a service. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo } from '../testing/attacks/raw-http.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import {
  type Kassa,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../testing/harness.ts'

const BYTE_EVERY_MS = 1_000
const GOOD_EVERY_MS = 150
const CUT_WITHIN_MS = 60_000

/** Sends `first` at once and `rest` at one byte a second. Returns the response, and after how long the connection was closed. */
export async function trickle(
  url: string,
  first: string,
  rest: string,
): Promise<{ answer: string; ms: number }> {
  const started = performance.now()
  const socket = await connectTo(url)
  let answer = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    answer += chunk
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  if (first) socket.write(first)
  let sent = 0
  const timer = setInterval(
    () => socket.writable && socket.write(rest[sent++ % rest.length] ?? ''),
    BYTE_EVERY_MS,
  )
  // Real time: the limits of the server are in real time.
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CUT_WITHIN_MS + 5_000).unref())])
  clearInterval(timer)
  const ms = performance.now() - started
  socket.destroy()
  return { answer, ms }
}

export function expectTimeOut(answer: string): void {
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(JSON.parse(answer.slice(answer.indexOf('{'))).error.code).toBe('request_timeout')
}

/** Sends normal requests during the attack. Returns how many of them failed, and the slowest time. */
async function shopOn(
  url: string,
  shop: Shop,
  until: Promise<unknown>,
): Promise<{ failed: number; slowestMs: number }> {
  let isOver = false
  void until.finally(() => {
    isOver = true
  })
  const seen = { failed: 0, slowestMs: 0 }
  for (let index = 0; !isOver; index++) {
    const started = performance.now()
    const { status } = await createSession(url, shop, { key: `good-${index}` })
    if (status !== 201) seen.failed++
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - started)
    // Real time: a shop that sends less on a slow machine.
    await new Promise((resolve) => setTimeout(resolve, GOOD_EVERY_MS))
  }
  return seen
}

/** Registers the test with `linesEach` connections of each kind. */
export function testSlowClients(linesEach: number): void {
  let kassa: Kassa
  let running: KassaProcess
  let shop: Shop
  beforeAll(async () => {
    kassa = await startKassa()
    shop = await openShop(kassa.ctx)
    running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
  })
  afterAll(async () => {
    await running?.kill('SIGTERM')
    await kassa?.close()
  })

  test('connections that send one byte a second or nothing are closed within 20 s, and other requests are not affected', async () => {
    const head = `POST /v1/payment-sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000\r\nAuthorization: Bearer ${shop.token}\r\n`
    const body = JSON.stringify(sessionRequest())
    const { url } = running
    const lines = Array.from({ length: linesEach }, () => [
      trickle(url, '', head),
      trickle(url, head, 'X-Slow: 1\r\n'),
      trickle(url, `${head}\r\n`, body),
    ]).flat()
    const all = Promise.all(lines)
    const good = await shopOn(url, shop, all)
    for (const { answer, ms } of await all) {
      expect(ms).toBeLessThan(CUT_WITHIN_MS)
      expectTimeOut(answer)
    }
    expect(good.failed).toBe(0)
    // None of them waited until the slow connections were closed.
    expect(good.slowestMs).toBeLessThan(Math.min(...(await all).map(({ ms }) => ms)))
  })
}
