/** The bodies of callbacks: whom they are read for, and how many may be in memory at the same time. */
import { createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { connectTo, sendRaw } from '../testing/attacks/raw-http.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa({ settings: { TRUST_PROXY: '1' } })

const BYTES = 256 * 1024
const account = () => kassa.ctx.routes.route_a.id

const headOf = (to: string, address: string, bytes = BYTES) =>
  `POST /callbacks/${to} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${bytes}\r\n`

/** A callback whose body does not end. */
async function begin(address: string): Promise<{ socket: Socket; heard: () => string }> {
  const socket = await connectTo(kassa.url)
  let heard = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.write(`${headOf(account(), address)}\r\nx`)
  return { socket, heard: () => heard }
}

test('the body of a callback for an account that does not exist, or takes none, is not waited for', async () => {
  const unknown = `acc_test_${'0'.repeat(36)}`
  for (const to of [unknown, kassa.ctx.routes.manual.id, 'x']) {
    const { status } = await sendRaw(kassa.url, `${headOf(to, '192.0.2.1')}\r\nx`, 10_000)
    expect([to, status]).toEqual([to, 404])
  }
})

test('callbacks hold at most 16 MB together and 4 MB of one address, and others are taken as soon as these are over', async () => {
  const genuine = async (address: string) => {
    const body = JSON.stringify({ reference: 'x', event: 'captured', at: '2026-01-01T00:00:00.000Z' })
    const secret = kassa.ctx.sandbox.bank.customers.secretOf('kassa')
    const signature = createHmac('sha256', secret).update(`sandbox-callback.${body}`).digest('hex')
    const { status } = await fetch(`${kassa.url}/callbacks/${account()}`, {
      method: 'POST',
      headers: { 'x-bank-signature': `bks_test_1=${signature}`, 'x-forwarded-for': address },
      body,
    })
    return status
  }
  const usual = await genuine('198.51.100.1')
  expect(usual).not.toBe(429)

  const one = await Promise.all(Array.from({ length: 20 }, () => begin('192.0.2.1')))
  const refused = (of: typeof one) => of.filter(({ heard }) => heard().startsWith('HTTP/1.1 429 ')).length
  await expect.poll(() => refused(one)).toBe(4)
  expect(await genuine('198.51.100.1')).toBe(usual)

  const places = Array.from({ length: 60 }, (_, index) => `192.0.2.${10 + (index % 6)}`)
  const others = await Promise.all(places.map(begin))
  await expect.poll(() => refused(others)).toBe(12)
  expect([await genuine('198.51.100.1'), refused(one), refused(others)]).toEqual([429, 4, 12])

  for (const { socket } of [...one, ...others]) socket.destroy()
  await expect.poll(() => genuine('198.51.100.1')).toBe(usual)
})
