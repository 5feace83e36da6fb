/**
 * Behind a proxy one address may have so many requests under way. A callback beyond them gets what its provider's protocol reads, and the
 * provider's own addresses have no such limit.
 */
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { connectTo } from '../testing/attacks/raw-http.ts'
import { setIdramScene } from '../testing/providers/idram/scene.ts'
import { closeAfter } from '../testing/scene.ts'

const AT_ONCE = 200
const [STRANGER, KNOWN] = ['192.0.2.1', '198.51.100.1']

const scene = closeAfter(
  await setIdramScene({
    settings: { TRUST_PROXY: '1', RATE_LIMITS: 'callback=1000:10000' },
    own: { CALLERS: `${KNOWN} 2001:db8::/64` },
  }),
)

/** A request whose body does not end. */
async function hold(address: string): Promise<Socket> {
  const socket = await connectTo(scene.kassa.url)
  socket.on('error', () => {})
  const head = `POST /callbacks/${scene.accountId} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}`
  socket.write(`${head}\r\nContent-Length: 100\r\n\r\nx`)
  return socket
}

async function confirmFrom(address: string, path = `/callbacks/${scene.accountId}`) {
  const answer = await fetch(`${scene.kassa.url}${path}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({ EDP_BILL_NO: 'x' }),
  })
  return [
    answer.status,
    answer.headers.get('content-type')?.split(';')[0],
    (await answer.text()).slice(0, 10),
  ]
}

test.each([
  [STRANGER, 'NOT STORED'],
  [KNOWN, 'REFUSED'],
  ['2001:db8::7', 'REFUSED'],
])('%s has as many requests under way as it may: a callback reads %s', async (address, words) => {
  const held = await Promise.all(Array.from({ length: AT_ONCE }, () => hold(address)))
  const isFull = async () => (await confirmFrom(address, '/callbacks/acc_test_nobody'))[0] === 429
  await expect.poll(isFull, { timeout: 60_000 }).toBe(true)
  expect(await confirmFrom(address)).toEqual([200, 'text/plain', words])
  for (const socket of held) socket.destroy()
  await expect.poll(isFull, { timeout: 60_000 }).toBe(false)
})
